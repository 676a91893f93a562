#include "kernels/byte_panels.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <span>
#include <vector>

#include "base/error.h"
#include "kernels/bf16.h"
#include "kernels/byte_tiles.h"
#include "kernels/element.h"
#include "kernels/layer_norm.h"
#include "kernels/product.h"
#include "kernels/team.h"
#include "kernels/tiles.h"

namespace whinchat::kernels {
namespace {

constexpr int kLargestWeight = 127;

// A panel on its way, and memory for an output's weights.
struct Packing {
  const BytePanels& panels;
  std::byte* panel;
  float* floats;
  int16_t* integers;
};

// The floats → a column of the panel. Returns the sum of their magnitudes as integers.
int64_t pack_output(const Packing& packing, int64_t column) {
  const BytePanels& panels = packing.panels;
  float scale = 0;
  round_to_integers({packing.floats, panels.in}, 1, panels.in, kLargestWeight,
                    {packing.integers, panels.pairs() * 2, &scale});
  if (!std::isfinite(scale)) {
    base::fail(ErrorKind::Corrupt, "expected weights that are finite, got one that is not");
  }
  std::memcpy(packing.panel + panels.weight_bytes() + column * 4, &scale, sizeof scale);
  int64_t sum = 0;
  for (int64_t pair = 0; pair < panels.pairs(); ++pair) {
    const std::array both{static_cast<int8_t>(packing.integers[pair * 2]),
                          static_cast<int8_t>(packing.integers[pair * 2 + 1])};
    std::memcpy(packing.panel + (pair * kPanelWidth + column) * 2, both.data(), both.size());
    sum += std::abs(both[0]) + std::abs(both[1]);
  }
  return sum;
}

// Outputs [first, first + 16) of all parts together. Returns the largest sum of an output.
int64_t pack_panel(std::span<const WeightView> parts, int64_t first, const Packing& packing) {
  std::memset(packing.panel, 0, static_cast<size_t>(packing.panels.panel_bytes()));
  int64_t most = 0;
  each_output(parts, first, kPanelWidth,
              [&](const WeightView& part, const std::byte* row, int64_t output) {
                to_f32(row, part.type, packing.floats, part.in);
                most = std::max(most, pack_output(packing, output));
              });
  return most;
}

int largest_without_overflow(int64_t sum) {
  constexpr int64_t kMostSum = std::numeric_limits<int32_t>::max();
  constexpr int64_t kMost = std::numeric_limits<int16_t>::max();
  return static_cast<int>(std::min(kMost, kMostSum / std::max<int64_t>(sum, 1)));
}

IntegerRows take_rows(int64_t rows, const BytePanels& panels, Arena& arena) {
  const int64_t stride = panels.pairs() * 2;
  return {arena.take<int16_t>(static_cast<size_t>(rows * stride)), stride,
          arena.take<float>(static_cast<size_t>(rows))};
}

// Rows [begin, end) of x, normed where the product says so.
void round_rows(const Product& product, const BytePanels& panels, int64_t begin, int64_t end,
                const IntegerRows& to, Arena& arena) {
  const Arena::Scope scope(arena);
  ConstRows x{static_cast<const float*>(product.x.data) + begin * product.x.stride,
              product.x.stride};
  if (product.norm != nullptr) {
    const Rows normed{arena.take<float>(static_cast<size_t>((end - begin) * panels.in)), panels.in};
    layer_norm(*product.norm, end - begin, x, normed);
    x = normed;
  }
  round_to_integers(x, end - begin, panels.in, panels.largest, to);
}

}  // namespace

BytePanels pack_byte_panels(std::span<const WeightView> parts, Team& team) {
  BytePanels panels{.in = parts[0].in};
  for (const WeightView& part : parts) panels.out += part.out;
  panels.bytes = static_cast<size_t>(panels.count() * panels.panel_bytes());
  panels.data = allocate_panels(panels.bytes);
  std::vector<int64_t> sums(static_cast<size_t>(team.size()), 0);
  team.split(panels.count(), 1, [&](int64_t begin, int64_t end, int thread) {
    Arena& arena = team.arena(thread);
    const Arena::Scope scope(arena);
    const auto in = static_cast<size_t>(panels.pairs() * 2);
    Packing packing{panels, nullptr, arena.take<float>(in), arena.take<int16_t>(in)};
    int64_t& sum = sums[static_cast<size_t>(thread)];
    for (int64_t p = begin; p < end; ++p) {
      packing.panel = panels.data.get() + p * panels.panel_bytes();
      sum = std::max(sum, pack_panel(parts, p * kPanelWidth, packing));
    }
  });
  panels.largest = largest_without_overflow(*std::ranges::max_element(sums));
  return panels;
}

void multiply_byte_panels(const Product& product, const BytePanels& panels, Team& team) {
  const auto multiply = [&](int64_t begin, int64_t end, const IntegerRows& x, PanelRange range) {
    multiply_byte_tiles(
        {.rows = end - begin, .x = x, .results = results_from(product, begin, panels.out)}, panels,
        range);
  };
  const int64_t count = panels.count();
  if (splits_rows(product.rows, team.size())) {
    team.split(product.rows, kTileRows, [&](int64_t begin, int64_t end, int thread) {
      Arena& arena = team.arena(thread);
      const int64_t step = rows_in_block(panels.pairs() * 4, end - begin);
      const Arena::Scope scope(arena);
      const IntegerRows x = take_rows(step, panels, arena);
      for (int64_t row = begin; row < end; row += step) {
        const int64_t to = std::min(row + step, end);
        round_rows(product, panels, row, to, x, arena);
        multiply(row, to, x, {0, count});
      }
    });
    return;
  }
  team.split(count, 1, [&](int64_t begin, int64_t end, int thread) {
    Arena& arena = team.arena(thread);
    const Arena::Scope scope(arena);
    const IntegerRows x = take_rows(product.rows, panels, arena);
    round_rows(product, panels, 0, product.rows, x, arena);
    multiply(0, product.rows, x, {begin, end});
  });
}

void copy_byte_row(const BytePanels& panels, int output, float* row) {
  const int8_t* panel = panels.weights(output / kPanelWidth);
  const int column = output % kPanelWidth;
  float scale = 0;
  std::memcpy(&scale, panel + panels.weight_bytes() + int64_t{column} * 4, sizeof scale);
  for (int k = 0; k < panels.in; ++k) {
    row[k] = scale * static_cast<float>(panel[(int64_t{k / 2} * kPanelWidth + column) * 2 + k % 2]);
  }
}

}  // namespace whinchat::kernels
