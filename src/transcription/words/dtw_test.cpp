#include "transcription/words/dtw.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <limits>
#include <random>
#include <span>
#include <vector>

namespace whinchat::transcription {
namespace {

constexpr float kNever = std::numeric_limits<float>::infinity();

std::mt19937 repeatable_random() {
  return std::mt19937(6);  // NOLINT(bugprone-random-generator-seed)
}

// Whole numbers, so that sums are exact and ways often equally cheap.
std::vector<float> random_cost(std::mt19937& random, int rows, int columns, unsigned values) {
  std::vector<float> cost(static_cast<size_t>(rows) * static_cast<size_t>(columns));
  for (float& value : cost) value = static_cast<float>(random() % values);
  return cost;
}

// Every way to a cell looked at anew, without a table.
struct Slow {
  std::span<const float> cost;
  int columns;

  std::array<float, 3> ways(int row, int column) const {  // both, down, right
    return {until(row - 1, column - 1), until(row - 1, column), until(row, column - 1)};
  }

  static size_t chosen(const std::array<float, 3>& ways) {
    const auto& [both, down, right] = ways;
    if (both < down && both < right) return 0;
    return down < both && down < right ? 1 : 2;
  }

  float at(int row, int column) const {
    return cost[static_cast<size_t>(row) * static_cast<size_t>(columns) +
                static_cast<size_t>(column)];
  }

  float until(int row, int column) const {
    if (row < 0 || column < 0) return row == -1 && column == -1 ? 0 : kNever;
    const std::array<float, 3> all = ways(row, column);
    return all.at(chosen(all)) + at(row, column);
  }

  std::vector<int> first_columns(int rows) const {
    std::vector<int> firsts(static_cast<size_t>(rows));
    int row = rows - 1;
    int column = columns - 1;
    while (row >= 0) {
      const size_t way = chosen(ways(row, column));
      if (way != 2) firsts[static_cast<size_t>(row)] = column;
      if (way != 2) --row;
      if (way != 1) --column;
    }
    return firsts;
  }

  // The cheapest of all paths to a cell.
  float cheapest(int row, int column) const {
    if (row < 0 || column < 0) return row == -1 && column == -1 ? 0 : kNever;
    return at(row, column) + std::min({cheapest(row - 1, column - 1), cheapest(row - 1, column),
                                       cheapest(row, column - 1)});
  }
};

TEST(Dtw, ChoosesAsTheRuleSaysAlsoBetweenEqualWays) {
  std::mt19937 random = repeatable_random();
  for (int round = 0; round < 300; ++round) {
    const int rows = 1 + static_cast<int>(random() % 5);
    const int columns = 1 + static_cast<int>(random() % 5);
    const std::vector<float> cost = random_cost(random, rows, columns, 3);
    EXPECT_EQ(first_columns(cost, rows, columns), (Slow{cost, columns}.first_columns(rows)));
  }
}

// What a path costs that enters each row at its first column. Whether it comes from beside or from
// above is not said: the bits of `beside` choose, a row each.
float cost_through(const Slow& all, const std::vector<int>& firsts, unsigned beside) {
  float sum = 0;
  for (size_t row = 0; row < firsts.size(); ++row) {
    const bool is_last = row + 1 == firsts.size();
    const int end = is_last                     ? all.columns
                    : (beside >> row & 1U) != 0 ? firsts[row + 1]
                                                : firsts[row + 1] + 1;
    if (end <= firsts[row]) return kNever;
    for (int column = firsts[row]; column < end; ++column) {
      sum += all.at(static_cast<int>(row), column);
    }
  }
  return sum;
}

TEST(Dtw, FindsTheCheapestPathWhereNoTwoWaysAreEqual) {
  std::mt19937 random = repeatable_random();
  for (int round = 0; round < 200; ++round) {
    const int rows = 2 + static_cast<int>(random() % 4);
    const int columns = 2 + static_cast<int>(random() % 4);
    const std::vector<float> cost = random_cost(random, rows, columns, 1000);
    const Slow all{cost, columns};
    const std::vector<int> firsts = first_columns(cost, rows, columns);
    float best = kNever;
    for (unsigned beside = 0; beside < 1U << (rows - 1); ++beside) {
      best = std::min(best, cost_through(all, firsts, beside));
    }
    EXPECT_EQ(best, all.cheapest(rows - 1, columns - 1));
  }
}

TEST(Dtw, LetsEveryRowBeginAtTheOnlyColumn) {
  const std::vector<float> cost{0, 0, 0};
  EXPECT_EQ(first_columns(cost, 3, 1), (std::vector<int>{0, 0, 0}));
  EXPECT_EQ(first_columns(cost, 1, 3), (std::vector<int>{0}));
}

// Of a row reflected at its ends, by sorting.
float middle_of_seven(std::span<const float> row, int column) {
  const auto last = static_cast<int>(row.size()) - 1;
  std::array<float, 7> window{};
  for (int i = 0; i < 7; ++i) {
    const int at = std::abs(column + i - 3);
    window.at(static_cast<size_t>(i)) = row[static_cast<size_t>(at <= last ? at : 2 * last - at)];
  }
  std::ranges::sort(window);
  return window[3];
}

TEST(MedianFilter, IsTheMiddleOfSevenNeighbours) {
  std::mt19937 random = repeatable_random();
  for (const int columns : {4, 5, 7, 8, 50}) {
    const std::vector<float> before = random_cost(random, 40, columns, 5);
    std::vector<float> after = before;
    median_filter(after, columns);
    for (size_t i = 0; i < before.size(); ++i) {
      const size_t column = i % static_cast<size_t>(columns);
      const auto row = std::span(before).subspan(i - column, static_cast<size_t>(columns));
      EXPECT_EQ(after[i], middle_of_seven(row, static_cast<int>(column)));
    }
  }
}

TEST(MedianFilter, LeavesRowsThatAreTooShort) {
  std::vector<float> x{3, 1, 2};
  median_filter(x, 3);
  EXPECT_EQ(x, (std::vector<float>{3, 1, 2}));
}

}  // namespace
}  // namespace whinchat::transcription
