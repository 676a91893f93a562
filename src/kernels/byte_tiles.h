// The inner loops of products in integers, for the instruction set in use. Any thread.
#pragma once

#include <cstdint>

#include "kernels/element.h"
#include "kernels/tiles.h"

namespace whinchat::kernels {

struct BytePanels;

// Rows as integers: x ≈ value · scale of its row.
struct IntegerRows {
  int16_t* values;  // [rows, in]
  int64_t stride;   // even
  float* scales;    // [rows]
};

// `in` values a row, f32, rounded to multiples of the largest of them / `largest`; the place of an
// odd last pair's second is set to 0. A row that is not finite gets NaN as its scale.
void round_to_integers(ConstRows x, int64_t rows, int in, int largest, const IntegerRows& to);

struct ByteTileProduct {
  int64_t rows;
  IntegerRows x;
  TileResults results;
};

// The columns of y that belong to the panels of `range`.
void multiply_byte_tiles(const ByteTileProduct& product, const BytePanels& panels,
                         PanelRange range);

}  // namespace whinchat::kernels
