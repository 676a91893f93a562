// From the attention of tokens on frames to the frame at which each token begins.
#pragma once

#include <span>
#include <vector>

namespace whinchat::transcription {

// Medians of 7 neighbours along each row of x [rows, columns] in place; past its ends a row is
// reflected. Rows of 3 or less stay as they are.
void median_filter(std::span<float> x, int columns);

// Dynamic time warping: a cheap path through cost [rows, columns] from the first corner to the
// last, by steps down, right or both. Unless one of the ways to a cell is the cheapest alone, it
// comes from the left: the oracle's order. Returns the column at which the path enters each row.
std::vector<int> first_columns(std::span<const float> cost, int rows, int columns);

}  // namespace whinchat::transcription
