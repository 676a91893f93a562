#include "kernels/half_tiles.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "kernels/element.h"
#include "kernels/isa.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/half_tiles.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "kernels/bf16-inl.h"
#include "kernels/half_units-inl.h"
#include "kernels/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace whinchat::kernels::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::CappedTag<float, 16>;
constexpr int64_t kSquare = kHalfTileRows * kHalfPanelWidth;  // results of a block
constexpr int64_t kTileSize = 16 * kHalfTileDepth;            // elements of an operand's tile

// Results on their way from tiles to y, a row at a time: between the steps of the next block's
// products, whose unit works meanwhile.
template <class Unit, typename Out>
class Finishing {
 public:
  HWY_INLINE Finishing(const HalfTileProduct& product, int64_t row, int64_t column,
                       const float* sums)
      : bias_(product.bias == nullptr ? nullptr : product.bias + column),
        residual_(product.residual == nullptr ? nullptr
                                              : product.residual + row * product.y.stride + column),
        y_(static_cast<Out*>(product.y.data) + row * product.y.stride + column),
        sums_(sums),
        stride_(product.y.stride),
        left_(std::min(product.rows - row, kHalfTileRows)),
        width_(std::min(product.out - column, kHalfPanelWidth)),
        gelu_(product.gelu) {}
  Finishing() = default;  // of nothing

  HWY_INLINE void go_on(int64_t rows) {
    for (rows = std::min(rows, left_); rows > 0; --rows) finish_row();
  }
  HWY_INLINE void end() { go_on(left_); }

 private:
  HWY_INLINE void finish_row() {
    if (width_ == kHalfPanelWidth) {
      write(bias_, residual_, y_);
    } else {
      write_part();
    }
    sums_ += kHalfPanelWidth;
    y_ += stride_;
    if (residual_ != nullptr) residual_ += stride_;
    --left_;
  }

  HWY_INLINE void write(const float* bias, const float* residual, Out* y) const {
    const Floats d;
    constexpr size_t kLanes = hn::MaxLanes(Floats());
    for (size_t i = 0; i < kHalfPanelWidth; i += 2 * kLanes) {
      const auto first = finished(bias, residual, i);
      const auto second = finished(bias, residual, i + kLanes);
      if constexpr (sizeof(Out) == sizeof(float)) {
        hn::StoreU(first, d, y + i);
        hn::StoreU(second, d, y + i + kLanes);
      } else {
        Unit::store_bf16_pair(d, first, second, y + i);
      }
    }
  }

  HWY_INLINE hn::Vec<Floats> finished(const float* bias, const float* residual, size_t i) const {
    const Floats d;
    auto value = hn::Load(d, sums_ + i);
    if (bias != nullptr) value = hn::Add(value, hn::LoadU(d, bias + i));
    if (gelu_) value = sizeof(Out) == sizeof(float) ? gelu(d, value) : rough_gelu(d, value);
    if (residual != nullptr) value = hn::Add(value, hn::LoadU(d, residual + i));
    return value;
  }

  // Columns beyond `out` must not be touched: through a copy.
  HWY_NOINLINE void write_part() const {
    float bias[kHalfPanelWidth] = {};
    float residual[kHalfPanelWidth] = {};
    Out y[kHalfPanelWidth];
    const auto width = static_cast<size_t>(width_);
    if (bias_ != nullptr) std::memcpy(bias, bias_, width * sizeof(float));
    if (residual_ != nullptr) std::memcpy(residual, residual_, width * sizeof(float));
    write(bias, residual, y);
    std::memcpy(y_, y, width * sizeof(Out));
  }

  const float* bias_ = nullptr;
  const float* residual_ = nullptr;
  Out* y_ = nullptr;
  const float* sums_ = nullptr;
  int64_t stride_ = 0, left_ = 0, width_ = 0;
  bool gelu_ = false;
};

// Products of 32 rows and a panel → sums [32, 32], and the block before on its way.
template <class Unit, typename Out>
HWY_INLINE void multiply_block(Unit& unit, const HalfTileProduct& product, const uint16_t* x,
                               const uint16_t* panel, Finishing<Unit, Out>& before, float* sums) {
  const int64_t steps = product.depth / kHalfTileDepth;
  const int64_t share = (kHalfTileRows + steps - 1) / steps;
  unit.clear();
  for (int64_t step = 0; step < steps; ++step) {
    unit.load(x + step * kHalfTileDepth, product.x_stride, panel + step * 2 * kTileSize);
    before.go_on(share);
    unit.multiply();
  }
  before.end();
  unit.store(sums);
}

// Panels outside, rows inside: a panel stays in the L1 cache while the rows pass by.
template <class Unit, typename Out>
void multiply(const HalfTileProduct& product) {
  Unit unit;
  alignas(64) float sums[kSquare];
  Finishing<Unit, Out> before;
  for (int64_t column = 0; column < product.out; column += kHalfPanelWidth) {
    const uint16_t* panel = product.weights + column * product.depth;
    for (int64_t row = 0; row < product.rows; row += kHalfTileRows) {
      multiply_block(unit, product, product.x + row * product.x_stride, panel, before, sums);
      before = Finishing<Unit, Out>(product, row, column, sums);
    }
  }
  before.end();
}

template <class Unit>
void multiply_to(const HalfTileProduct& product) {
  if (product.y.type == Element::F32) {
    multiply<Unit, float>(product);
  } else {
    multiply<Unit, uint16_t>(product);
  }
}

void multiply_on(const HalfTileProduct& product, [[maybe_unused]] HalfUnit unit) {
#if HWY_TARGET == HWY_AVX3
  if (unit == HalfUnit::Amx) return multiply_to<AmxUnit>(product);
  if (unit == HalfUnit::Avx512) return multiply_to<Avx512Unit>(product);
#endif
  multiply_to<PlainUnit>(product);
}

}  // namespace
}  // namespace whinchat::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace whinchat::kernels {

HWY_EXPORT(multiply_on);

HalfUnit half_unit() {
  switch (isa_in_use()) {
    case Isa::Amx:
      return HalfUnit::Amx;
    case Isa::Avx512Bf16:
      return HalfUnit::Avx512;
    default:
      return HalfUnit::Plain;
  }
}

void multiply_half_tiles(const HalfTileProduct& product, HalfUnit unit) {
  HWY_DYNAMIC_DISPATCH(multiply_on)(product, unit);
}

}  // namespace whinchat::kernels
#endif
