#include "kernels/panel_tiles.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "kernels/element.h"
#include "kernels/panels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/panel_tiles.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "kernels/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace whinchat::kernels::HWY_NAMESPACE {
namespace {

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

HWY_INLINE Vector load(const float* weights) { return hn::Load(Floats(), weights); }

HWY_INLINE Vector load(const hwy::float16_t* weights) {
  return hn::PromoteTo(Floats(), hn::Load(hn::Rebind<hwy::float16_t, Floats>(), weights));
}

struct Columns {  // where a panel's 16 results go, and what is added to them
  const float* bias;
  const float* residual;
  float* y;
};

template <int kRows>
HWY_INLINE void store_panel(const Vector (&sums)[kRows][kVectors], const TileProduct& product,
                            const Columns& columns) {
  const Floats d;
  for (int v = 0; v < kVectors; ++v) {
    const size_t at = static_cast<size_t>(v) * kLanes;
    const Vector bias = columns.bias != nullptr ? hn::LoadU(d, columns.bias + at) : hn::Zero(d);
    for (int r = 0; r < kRows; ++r) {
      Vector value = hn::Add(sums[r][v], bias);
      if (product.gelu) value = gelu(d, value);
      const int64_t offset = r * product.y_stride + static_cast<int64_t>(at);
      if (columns.residual != nullptr) {
        value = hn::Add(value, hn::LoadU(d, columns.residual + offset));
      }
      hn::StoreU(value, d, columns.y + offset);
    }
  }
}

// The last panel's columns beyond `out` must not be touched: through a copy.
template <int kRows>
HWY_NOINLINE void store_part(const Vector (&sums)[kRows][kVectors], const TileProduct& product,
                             const Columns& columns, size_t width) {
  float bias[kPanelWidth] = {};
  float residual[kRows * kPanelWidth] = {};
  float y[kRows * kPanelWidth];
  if (columns.bias != nullptr) std::memcpy(bias, columns.bias, width * sizeof(float));
  for (int r = 0; r < kRows && columns.residual != nullptr; ++r) {
    std::memcpy(residual + r * kPanelWidth, columns.residual + r * product.y_stride,
                width * sizeof(float));
  }
  TileProduct dense = product;
  dense.y_stride = kPanelWidth;
  store_panel<kRows>(sums, dense, {bias, residual, y});
  for (int r = 0; r < kRows; ++r) {
    std::memcpy(columns.y + r * product.y_stride, y + r * kPanelWidth, width * sizeof(float));
  }
}

template <int kRows>
HWY_INLINE void store_columns(const Vector (&sums)[kRows][kVectors], const TileProduct& product,
                              int64_t row, int64_t column, int64_t out) {
  const int64_t at = row * product.y_stride + column;
  const Columns columns{product.bias == nullptr ? nullptr : product.bias + column,
                        product.residual == nullptr ? nullptr : product.residual + at,
                        product.y + at};
  if (out - column >= kPanelWidth) {
    store_panel<kRows>(sums, product, columns);
  } else {
    store_part<kRows>(sums, product, columns, static_cast<size_t>(out - column));
  }
}

// kRows rows times kPanels panels from `panel` on.
template <int kRows, int kPanels, typename Weight>
HWY_INLINE void tile(const TileProduct& product, const Panels& panels, int64_t row, int64_t panel) {
  const Floats d;
  const auto in = static_cast<size_t>(panels.in);
  const auto* weights =
      reinterpret_cast<const Weight*>(panels.data.get()) + panel * panels.in * kPanelWidth;
  const float* x = product.x + row * product.x_stride;

  Vector sums[kPanels][kRows][kVectors];
  for (auto& of_panel : sums) {
    for (auto& of_row : of_panel) {
      for (Vector& sum : of_row) sum = hn::Zero(d);
    }
  }
  for (size_t k = 0; k < in; ++k) {
    for (int p = 0; p < kPanels; ++p) {
      Vector w[kVectors];
      for (int v = 0; v < kVectors; ++v) {
        w[v] = load(weights + (static_cast<size_t>(p) * in + k) * kPanelWidth +
                    static_cast<size_t>(v) * kLanes);
      }
      for (int r = 0; r < kRows; ++r) {
        const Vector value = hn::Set(d, x[r * product.x_stride + static_cast<int64_t>(k)]);
        for (int v = 0; v < kVectors; ++v) sums[p][r][v] = hn::MulAdd(value, w[v], sums[p][r][v]);
      }
    }
  }

  for (int p = 0; p < kPanels; ++p) {
    store_columns<kRows>(sums[p], product, row, (panel + p) * kPanelWidth, panels.out);
  }
}

// `rows` ≤ kRows rows from `row` on, every panel of the range.
template <int kRows, typename Weight>
void band(const TileProduct& product, const Panels& panels, int64_t row, int64_t rows,
          PanelRange range) {
  if constexpr (kRows > 1) {
    if (rows < kRows) return band<kRows - 1, Weight>(product, panels, row, rows, range);
  }
  constexpr int kPanels = panels_of(kRows);
  int64_t panel = range.begin;
  for (; panel + kPanels <= range.end; panel += kPanels) {
    tile<kRows, kPanels, Weight>(product, panels, row, panel);
  }
  for (; panel < range.end; ++panel) tile<kRows, 1, Weight>(product, panels, row, panel);
}

// Panels outside, rows inside: a group of panels stays in the L1 cache while the rows pass by, in
// bands of about the same height.
template <typename Weight>
void multiply(const TileProduct& product, const Panels& panels, PanelRange range) {
  const int64_t bands = (product.rows + kMostRows - 1) / kMostRows;
  const int64_t height = (product.rows + bands - 1) / bands;
  const int64_t group = bands == 1 ? range.end - range.begin : panels_of(kMostRows);
  for (int64_t begin = range.begin; begin < range.end; begin += group) {
    const int64_t end = std::min(begin + group, range.end);
    for (int64_t row = 0; row < product.rows; row += height) {
      const int64_t rows = std::min(height, product.rows - row);
      band<kMostRows, Weight>(product, panels, row, rows, {begin, end});
    }
  }
}

void multiply_any(const TileProduct& product, const Panels& panels, PanelRange range) {
  if (panels.type == Element::F16) {
    multiply<hwy::float16_t>(product, panels, range);
  } else {
    multiply<float>(product, panels, range);
  }
}

}  // namespace
}  // namespace whinchat::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace whinchat::kernels {

HWY_EXPORT(multiply_any);

void multiply_tiles(const TileProduct& product, const Panels& panels, PanelRange range) {
  HWY_DYNAMIC_DISPATCH(multiply_any)(product, panels, range);
}

}  // namespace whinchat::kernels
#endif
