#include "kernels/panel_tiles.h"

#include <cstddef>
#include <cstdint>

#include "kernels/element.h"
#include "kernels/panels.h"
#include "kernels/tiles.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/panel_tiles.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "kernels/tiles-inl.h"

HWY_BEFORE_NAMESPACE();
namespace whinchat::kernels::HWY_NAMESPACE {
namespace {

HWY_INLINE Vector load(const float* weights) { return hn::Load(Floats(), weights); }

HWY_INLINE Vector load(const hwy::float16_t* weights) {
  return hn::PromoteTo(Floats(), hn::Load(hn::Rebind<hwy::float16_t, Floats>(), weights));
}

template <typename Weight>
struct PanelTile {
  const TileProduct& product;
  const Panels& panels;

  template <int kRows, int kPanels>
  HWY_INLINE void run(int64_t row, int64_t panel) const {
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
      store_columns<kRows>(sums[p], product.results, row, (panel + p) * kPanelWidth);
    }
  }
};

void multiply_any(const TileProduct& product, const Panels& panels, PanelRange range) {
  if (panels.type == Element::F16) {
    walk_tiles(PanelTile<hwy::float16_t>{product, panels}, product.rows, range);
  } else {
    walk_tiles(PanelTile<float>{product, panels}, product.rows, range);
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
