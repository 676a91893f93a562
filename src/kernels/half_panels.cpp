#include "kernels/half_panels.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/bf16.h"
#include "kernels/element.h"
#include "kernels/half_tiles.h"
#include "kernels/layer_norm.h"
#include "kernels/product.h"
#include "kernels/team.h"
#include "kernels/tiles.h"

namespace whinchat::kernels {
namespace {

// Rows whose x stays in the L2 cache while every panel passes by.
constexpr int64_t kBlockBytes = int64_t{512} << 10U;
constexpr int64_t kMostBlockRows = 6 * kHalfTileRows;

// Where (output, input) lies in a panel.
int64_t place_of(int64_t output, int64_t input) {
  const int64_t tile = input / kHalfTileDepth * 2 + output / 16;
  return ((tile * 16 + input % kHalfTileDepth / 2) * 16 + output % 16) * 2 + input % 2;
}

int64_t block_rows(int64_t depth) {
  const int64_t fitting = kBlockBytes / (depth * static_cast<int64_t>(sizeof(uint16_t)));
  return std::clamp(fitting / kHalfTileRows * kHalfTileRows, kHalfTileRows, kMostBlockRows);
}

// Rows [begin, end) of x in bf16 with zeros up to whole tiles: as they lie, or in the arena.
ConstRows tiled_rows(const Product& product, const HalfPanels& panels, int64_t begin, int64_t end,
                     Arena& arena) {
  const int64_t count = end - begin;
  const int64_t tiled = (count + kHalfTileRows - 1) / kHalfTileRows * kHalfTileRows;
  const int64_t depth = panels.depth();
  const auto from = static_cast<size_t>(begin * product.x.stride) * size_of(product.x.type);
  const ConstRows x{static_cast<const std::byte*>(product.x.data) + from, product.x.stride,
                    product.x.type};
  if (x.type == Element::BF16 && tiled == count && depth == panels.in) return x;

  auto* rows = arena.take<uint16_t>(static_cast<size_t>(tiled * depth));
  if (product.norm != nullptr) {
    layer_norm(*product.norm, count, x, {rows, depth, Element::BF16});
  } else {
    for (int64_t row = 0; row < count; ++row) {
      const auto at = static_cast<size_t>(row * x.stride) * size_of(x.type);
      to_bf16(static_cast<const std::byte*>(x.data) + at, x.type, rows + row * depth, panels.in);
    }
  }
  for (int64_t row = 0; row < count && depth > panels.in; ++row) {
    std::fill(rows + row * depth + panels.in, rows + (row + 1) * depth, uint16_t{0});
  }
  std::fill(rows + count * depth, rows + tiled * depth, uint16_t{0});
  return {rows, depth, Element::BF16};
}

// Rows [begin, end) of y by one thread.
void multiply_rows(const Product& product, const HalfPanels& panels, int64_t begin, int64_t end,
                   HalfUnit unit, Arena& arena) {
  const int64_t step = block_rows(panels.depth());
  for (int64_t row = begin; row < end; row += step) {
    const Arena::Scope scope(arena);
    const int64_t stop = std::min(row + step, end);
    const ConstRows x = tiled_rows(product, panels, row, stop, arena);
    const int64_t at = row * product.y.stride;
    auto* y =
        static_cast<std::byte*>(product.y.data) + static_cast<size_t>(at) * size_of(product.y.type);
    multiply_half_tiles({.rows = stop - row,
                         .x = static_cast<const uint16_t*>(x.data),
                         .x_stride = x.stride,
                         .depth = panels.depth(),
                         .weights = panels.weights(),
                         .out = panels.out,
                         .y = {y, product.y.stride, product.y.type},
                         .bias = product.bias,
                         .residual = product.residual == nullptr ? nullptr : product.residual + at,
                         .gelu = product.gelu},
                        unit);
  }
}

}  // namespace

HalfPanels pack_half_panels(std::span<const WeightView> parts, Team& team) {
  HalfPanels panels{.in = parts[0].in};
  for (const WeightView& part : parts) panels.out += part.out;
  const int64_t panel_size = panels.depth() * kHalfPanelWidth;
  panels.bytes = static_cast<size_t>(panels.count() * panel_size) * sizeof(uint16_t);
  panels.data = allocate_panels(panels.bytes);

  team.split(panels.count(), 1, [&](int64_t begin, int64_t end, int thread) {
    const Arena::Scope scope(team.arena(thread));
    auto* line = team.arena(thread).take<uint16_t>(static_cast<size_t>(panels.in));
    for (int64_t p = begin; p < end; ++p) {
      uint16_t* panel = panels.weights() + p * panel_size;
      std::fill_n(panel, panel_size, uint16_t{0});
      each_output(parts, p * kHalfPanelWidth, kHalfPanelWidth,
                  [&](const WeightView& part, const std::byte* row, int64_t output) {
                    to_bf16(row, part.type, line, part.in);
                    for (int k = 0; k < part.in; ++k) panel[place_of(output, k)] = line[k];
                  });
    }
  });
  return panels;
}

void multiply_half_panels(const Product& product, const HalfPanels& panels, HalfUnit unit,
                          Team& team) {
  team.split(product.rows, kHalfTileRows, [&](int64_t begin, int64_t end, int thread) {
    multiply_rows(product, panels, begin, end, unit, team.arena(thread));
  });
}

}  // namespace whinchat::kernels
