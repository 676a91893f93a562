#include "kernels/byte_tiles.h"

#include <array>  // IWYU pragma: keep
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "kernels/byte_panels.h"
#include "kernels/element.h"
#include "kernels/isa.h"  // IWYU pragma: keep
#include "kernels/tiles.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/byte_tiles.cpp"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "kernels/tiles-inl.h"

HWY_BEFORE_NAMESPACE();
// With this pass GCC 12 computes all products of a tile before it adds one, and runs out of
// registers.
#if HWY_COMPILER_GCC_ACTUAL
#pragma GCC optimize("no-tree-pre")
#endif
namespace whinchat::kernels::HWY_NAMESPACE {
namespace {

using Sums = hn::RebindToSigned<Floats>;
using SumVector = hn::Vec<Sums>;

// Vectors of pairs of 16 bits, kLanes of them: products of pairs are added up to sums, in one of
// two ways. Highway may keep those of even and of odd places apart; on x86 all are in the first
// sum.
#if HWY_TARGET == HWY_SCALAR
using Pairs = std::array<int16_t, 2>;

HWY_INLINE Pairs load_weights(const int8_t* at) { return {at[0], at[1]}; }
HWY_INLINE Pairs broadcast(const int16_t* at) { return {at[0], at[1]}; }
struct Widening {
  static SumVector multiply_add(Pairs a, Pairs b, SumVector sum, SumVector& /*odd*/) {
    return hn::Add(sum, hn::Set(Sums(), a[0] * b[0] + a[1] * b[1]));
  }
};
HWY_INLINE SumVector joined(SumVector sum, SumVector /*odd*/) { return sum; }
#else
using Shorts = hn::Repartition<int16_t, Sums>;
using Pairs = hn::Vec<Shorts>;

HWY_INLINE Pairs load_weights(const int8_t* at) {
  return hn::PromoteTo(Shorts(), hn::LoadU(hn::Rebind<int8_t, Shorts>(), at));
}
HWY_INLINE Pairs broadcast(const int16_t* at) {
  int32_t pair = 0;
  std::memcpy(&pair, at, sizeof pair);
  return hn::BitCast(Shorts(), hn::Set(Sums(), pair));
}
struct Widening {
  static HWY_INLINE SumVector multiply_add(Pairs a, Pairs b, SumVector sum, SumVector& odd) {
    return hn::ReorderWidenMulAccumulate(Sums(), a, b, sum, odd);
  }
};
HWY_INLINE SumVector joined(SumVector sum, SumVector odd) {
  return hn::RearrangeToOddPlusEven(sum, odd);
}
#endif

#if HWY_TARGET == HWY_AVX3
// In one instruction, whose intrinsic asks for another target than Highway compiles for.
struct Vnni {
  static HWY_INLINE SumVector multiply_add(Pairs a, Pairs b, SumVector sum, SumVector& /*odd*/) {
    asm("vpdpwssd %2, %1, %0" : "+v"(sum.raw) : "v"(a.raw), "v"(b.raw));
    return sum;
  }
};
#endif

// The largest |x| of a row; NaN where one is not finite.
float magnitude(const float* x, size_t in) {
  const Floats d;
  auto most = hn::Zero(d);
  auto poison = hn::Zero(d);  // 0 · x: NaN of NaN and ∞
  size_t k = 0;
  for (; k + kLanes <= in; k += kLanes) {
    const auto value = hn::LoadU(d, x + k);
    most = hn::Max(most, hn::Abs(value));
    poison = hn::MulAdd(value, hn::Zero(d), poison);
  }
  float result = hn::GetLane(hn::MaxOfLanes(d, most));
  float rest = hn::GetLane(hn::SumOfLanes(d, poison));
  for (; k < in; ++k) {
    result = std::fmax(result, std::fabs(x[k]));
    rest += 0 * x[k];
  }
  return result + rest;
}

void round_row(const float* x, size_t in, float inverse, int16_t* to) {
  const Floats d;
  const hn::Rebind<int16_t, Floats> d16;
  const auto scale = hn::Set(d, inverse);
  size_t k = 0;
  for (; k + kLanes <= in; k += kLanes) {
    const auto whole = hn::NearestInt(hn::Mul(hn::LoadU(d, x + k), scale));
    hn::StoreU(hn::DemoteTo(d16, whole), d16, to + k);
  }
  for (; k < in; ++k) to[k] = static_cast<int16_t>(std::lrintf(x[k] * inverse));
  if (in % 2 != 0) to[in] = 0;
}

void round_rows(ConstRows x, int64_t rows, int in, int largest, const IntegerRows& to) {
  // Below, the quotient could be infinite.
  constexpr float kLeast = 0x1p-100F;
  const auto width = static_cast<size_t>(in);
  for (int64_t row = 0; row < rows; ++row) {
    const float* from = static_cast<const float*>(x.data) + row * x.stride;
    int16_t* values = to.values + row * to.stride;
    const float most = magnitude(from, width);
    const auto steps = static_cast<float>(largest);
    if (most >= kLeast) {
      round_row(from, width, steps / most, values);
    } else {
      std::memset(values, 0, (width + width % 2) * sizeof(int16_t));
    }
    to.scales[row] = most / steps;
  }
}

template <class Way>
struct ByteTile {
  const ByteTileProduct& product;
  const BytePanels& panels;

  template <int kRows, int kPanels>
  HWY_INLINE void run(int64_t row, int64_t panel) const {
    const int64_t pairs = panels.pairs();
    const int64_t panel_bytes = panels.panel_bytes();
    const int8_t* weights = panels.weights(panel);
    const int16_t* x = product.x.values + row * product.x.stride;

    SumVector sums[kPanels][kRows][kVectors];
    SumVector odd[kPanels][kRows][kVectors];
    for (int p = 0; p < kPanels; ++p) {
      for (int r = 0; r < kRows; ++r) {
        for (int v = 0; v < kVectors; ++v) sums[p][r][v] = odd[p][r][v] = hn::Zero(Sums());
      }
    }
    for (int64_t k = 0; k < pairs; ++k) {
      for (int p = 0; p < kPanels; ++p) {
        const int8_t* at = weights + p * panel_bytes + k * 2 * kPanelWidth;
        // What the next panels begin with: hardware stops at the ends of pages. More rows come by
        // again.
        if constexpr (kRows < kMostRows) hwy::Prefetch(at + kPanels * panel_bytes);
        add_pair<kRows>(at, x + k * 2, sums[p], odd[p]);
      }
    }
    for (int p = 0; p < kPanels; ++p) {
      store<kRows>(sums[p], odd[p], row, panel + p);
    }
  }

 private:
  template <int kRows>
  HWY_INLINE void add_pair(const int8_t* weights, const int16_t* x,
                           SumVector (&sums)[kRows][kVectors],
                           SumVector (&odd)[kRows][kVectors]) const {
    Pairs w[kVectors];
    for (int v = 0; v < kVectors; ++v) {
      w[v] = load_weights(weights + static_cast<size_t>(v) * 2 * kLanes);
    }
    for (int r = 0; r < kRows; ++r) {
      const Pairs value = broadcast(x + r * product.x.stride);
      for (int v = 0; v < kVectors; ++v) {
        sums[r][v] = Way::multiply_add(value, w[v], sums[r][v], odd[r][v]);
      }
    }
  }

  template <int kRows>
  HWY_INLINE void store(const SumVector (&sums)[kRows][kVectors],
                        const SumVector (&odd)[kRows][kVectors], int64_t row, int64_t panel) const {
    const Floats d;
    float scales[kPanelWidth];
    std::memcpy(scales, panels.weights(panel) + panels.weight_bytes(), sizeof scales);
    Vector scaled[kRows][kVectors];
    for (int r = 0; r < kRows; ++r) {
      const Vector of_row = hn::Set(d, product.x.scales[row + r]);
      for (int v = 0; v < kVectors; ++v) {
        const Vector scale =
            hn::Mul(of_row, hn::LoadU(d, scales + static_cast<size_t>(v) * kLanes));
        const auto sum = joined(sums[r][v], odd[r][v]);
        scaled[r][v] = hn::Mul(hn::ConvertTo(d, sum), scale);
      }
    }
    store_columns<kRows>(scaled, product.results, row, panel * kPanelWidth);
  }
};

void multiply(const ByteTileProduct& product, const BytePanels& panels, PanelRange range) {
#if HWY_TARGET == HWY_AVX3
  if (isa_in_use() >= Isa::Avx512Vnni) {
    return walk_tiles(ByteTile<Vnni>{product, panels}, product.rows, range);
  }
#endif
  walk_tiles(ByteTile<Widening>{product, panels}, product.rows, range);
}

}  // namespace
}  // namespace whinchat::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace whinchat::kernels {

HWY_EXPORT(round_rows);
HWY_EXPORT(multiply);

void round_to_integers(ConstRows x, int64_t rows, int in, int largest, const IntegerRows& to) {
  HWY_DYNAMIC_DISPATCH(round_rows)(x, rows, in, largest, to);
}

void multiply_byte_tiles(const ByteTileProduct& product, const BytePanels& panels,
                         PanelRange range) {
  HWY_DYNAMIC_DISPATCH(multiply)(product, panels, range);
}

}  // namespace whinchat::kernels
#endif
