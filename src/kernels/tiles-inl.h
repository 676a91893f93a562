// The order of a product's tiles, and what is done to their sums: bias, GELU, residual. Include it
// after highway.h in a file that foreach_target.h compiles.

#if defined(WHINCHAT_KERNELS_TILES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef WHINCHAT_KERNELS_TILES_INL_H_
#undef WHINCHAT_KERNELS_TILES_INL_H_
#else
#define WHINCHAT_KERNELS_TILES_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "kernels/math-inl.h"
#include "kernels/tiles.h"

HWY_BEFORE_NAMESPACE();
namespace whinchat::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::CappedTag<float, kPanelWidth>;
using Vector = hn::Vec<Floats>;
constexpr size_t kLanes = hn::MaxLanes(Floats());
constexpr int kVectors = kPanelWidth / static_cast<int>(kLanes);  // vectors a panel

// A tile's sums fill about three quarters of the registers: 16 of up to 32 bytes, 32 of 64.
constexpr int kSums = kLanes == 16 ? 24 : 12;
constexpr int kMostRows = std::clamp(kSums / kVectors, 1, kTileRows);

// Panels side by side in a tile of so many rows. Few rows need several, or the additions wait for
// each other.
constexpr int panels_of(int rows) {
  const int fitting = kSums / (rows * kVectors);
  return fitting >= 8 ? 8 : fitting >= 4 ? 4 : fitting >= 2 ? 2 : 1;
}

template <int kRows>
HWY_INLINE void store_panel(const Vector (&sums)[kRows][kVectors], const TileResults& results) {
  const Floats d;
  for (int v = 0; v < kVectors; ++v) {
    const size_t at = static_cast<size_t>(v) * kLanes;
    const Vector bias = results.bias != nullptr ? hn::LoadU(d, results.bias + at) : hn::Zero(d);
    for (int r = 0; r < kRows; ++r) {
      Vector value = hn::Add(sums[r][v], bias);
      if (results.gelu) value = gelu(d, value);
      const int64_t offset = r * results.stride + static_cast<int64_t>(at);
      if (results.residual != nullptr) {
        value = hn::Add(value, hn::LoadU(d, results.residual + offset));
      }
      hn::StoreU(value, d, results.y + offset);
    }
  }
}

// The last panel's columns beyond `out` must not be touched: through a copy.
template <int kRows>
HWY_NOINLINE void store_part(const Vector (&sums)[kRows][kVectors], const TileResults& results,
                             size_t width) {
  float bias[kPanelWidth] = {};
  float residual[kRows * kPanelWidth] = {};
  float y[kRows * kPanelWidth];
  if (results.bias != nullptr) std::memcpy(bias, results.bias, width * sizeof(float));
  for (int r = 0; r < kRows && results.residual != nullptr; ++r) {
    std::memcpy(residual + r * kPanelWidth, results.residual + r * results.stride,
                width * sizeof(float));
  }
  store_panel<kRows>(sums, {y, kPanelWidth, kPanelWidth, bias, residual, results.gelu});
  for (int r = 0; r < kRows; ++r) {
    std::memcpy(results.y + r * results.stride, y + r * kPanelWidth, width * sizeof(float));
  }
}

// The sums of rows from `row` and of 16 outputs from `column` on.
template <int kRows>
HWY_INLINE void store_columns(const Vector (&sums)[kRows][kVectors], const TileResults& results,
                              int64_t row, int64_t column) {
  const int64_t at = row * results.stride + column;
  TileResults part = results;
  part.y += at;
  if (part.bias != nullptr) part.bias += column;
  if (part.residual != nullptr) part.residual += at;
  if (results.out - column >= kPanelWidth) {
    store_panel<kRows>(sums, part);
  } else {
    store_part<kRows>(sums, part, static_cast<size_t>(results.out - column));
  }
}

// `rows` ≤ kRows rows from `row` on, every panel of the range.
template <int kRows, typename Tile>
HWY_INLINE void walk_band(const Tile& tile, int64_t row, int64_t rows, PanelRange range) {
  if constexpr (kRows > 1) {
    if (rows < kRows) return walk_band<kRows - 1>(tile, row, rows, range);
  }
  constexpr int kPanels = panels_of(kRows);
  int64_t panel = range.begin;
  for (; panel + kPanels <= range.end; panel += kPanels) {
    tile.template run<kRows, kPanels>(row, panel);
  }
  for (; panel < range.end; ++panel) tile.template run<kRows, 1>(row, panel);
}

// Calls tile.run<rows, panels>(row, panel) for all of them. Panels outside, rows inside: a group of
// panels stays in the L1 cache while the rows pass by, in bands of about the same height.
template <typename Tile>
HWY_INLINE void walk_tiles(const Tile& tile, int64_t rows, PanelRange range) {
  const int64_t bands = (rows + kMostRows - 1) / kMostRows;
  const int64_t height = (rows + bands - 1) / bands;
  const int64_t group = bands == 1 ? range.end - range.begin : panels_of(kMostRows);
  for (int64_t begin = range.begin; begin < range.end; begin += group) {
    const int64_t end = std::min(begin + group, range.end);
    for (int64_t row = 0; row < rows; row += height) {
      walk_band<kMostRows>(tile, row, std::min(height, rows - row), {begin, end});
    }
  }
}

}  // namespace whinchat::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
