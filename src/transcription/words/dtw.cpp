#include "transcription/words/dtw.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

namespace whinchat::transcription {
namespace {

constexpr size_t kWidth = 7;
constexpr size_t kHalf = kWidth / 2;

// Exchanges after which the fourth of seven values is their median.
constexpr auto kExchanges = std::to_array<std::pair<size_t, size_t>>({{0, 5},
                                                                      {0, 3},
                                                                      {1, 6},
                                                                      {2, 4},
                                                                      {0, 1},
                                                                      {3, 5},
                                                                      {2, 6},
                                                                      {2, 3},
                                                                      {3, 6},
                                                                      {4, 5},
                                                                      {1, 4},
                                                                      {1, 3},
                                                                      {3, 4}});

float median(std::array<float, kWidth> values) {
  for (const auto& [low, high] : kExchanges) {
    const float smaller = std::min(values[low], values[high]);
    values[high] = std::max(values[low], values[high]);
    values[low] = smaller;
  }
  return values[kHalf];
}

enum class Step : uint8_t { Both, Down, Right };

// By which step each cell is reached.
std::vector<Step> cheap_steps(std::span<const float> cost, size_t columns) {
  constexpr float kNever = std::numeric_limits<float>::infinity();
  // Before the first row and column: no way but one, into the corner.
  std::vector<float> above(columns + 1, kNever);
  std::vector<float> here(columns + 1, kNever);
  above[0] = 0;
  std::vector<Step> steps(cost.size());
  for (size_t begin = 0; begin < cost.size(); begin += columns) {
    here[0] = kNever;
    for (size_t column = 0; column < columns; ++column) {
      const float both = above[column];
      const float down = above[column + 1];
      const float right = here[column];
      const bool is_both = both < down && both < right;
      const bool is_down = down < both && down < right;
      here[column + 1] = cost[begin + column] + (is_both ? both : is_down ? down : right);
      steps[begin + column] = is_both ? Step::Both : is_down ? Step::Down : Step::Right;
    }
    std::swap(above, here);
  }
  return steps;
}

}  // namespace

void median_filter(std::span<float> x, int columns) {
  const auto count = static_cast<size_t>(columns);
  if (count <= kHalf) return;
  std::vector<float> padded(count + 2 * kHalf);
  for (size_t begin = 0; begin < x.size(); begin += count) {
    const std::span<float> row = x.subspan(begin, count);
    std::ranges::copy(row, padded.begin() + kHalf);
    for (size_t i = 1; i <= kHalf; ++i) {
      padded[kHalf - i] = row[i];
      padded[kHalf + count - 1 + i] = row[count - 1 - i];
    }
    const float* window = padded.data();
    for (float& value : row) {
      std::array<float, kWidth> values;
      std::copy_n(window++, kWidth, values.begin());
      value = median(values);
    }
  }
}

std::vector<int> first_columns(std::span<const float> cost, int rows, int columns) {
  const auto width = static_cast<size_t>(columns);
  const std::vector<Step> steps = cheap_steps(cost, width);
  std::vector<int> firsts(static_cast<size_t>(rows));
  size_t column = width - 1;
  for (size_t row = firsts.size(); row-- > 0;) {
    // Along the edges there is one way back.
    while (column > 0 && (row == 0 || steps[row * width + column] == Step::Right)) --column;
    firsts[row] = static_cast<int>(column);
    if (column > 0 && steps[row * width + column] == Step::Both) --column;
  }
  return firsts;
}

}  // namespace whinchat::transcription
