// What multiplies bf16 tiles of 32 rows and 32 outputs, 32 inputs a step: include it after
// highway.h in a file that foreach_target.h compiles.

#if defined(WHINCHAT_KERNELS_HALF_UNITS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef WHINCHAT_KERNELS_HALF_UNITS_INL_H_
#undef WHINCHAT_KERNELS_HALF_UNITS_INL_H_
#else
#define WHINCHAT_KERNELS_HALF_UNITS_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "kernels/amx_tiles.h"
#include "kernels/bf16-inl.h"
#include "kernels/bf16.h"
#include "kernels/half_tiles.h"

HWY_BEFORE_NAMESPACE();
namespace whinchat::kernels::HWY_NAMESPACE {

// A unit clears its 32 × 32 sums, takes steps (load, multiply), and stores the sums [32, 32].
// Operands of a step: x [32 rows, 32] in rows of `stride`, weights [2, 16, 16, 2] as HalfPanels has
// them. They are read in load() or in multiply().

// It also rounds two neighbouring vectors of results to bf16.

class PlainUnit {
 public:
  template <class D>
  static void store_bf16_pair(D d, hn::Vec<D> first, hn::Vec<D> second, uint16_t* to) {
    store_bf16(d, first, to);
    store_bf16(d, second, to + hn::Lanes(d));
  }

  void clear() { std::fill_n(&sums_[0][0], 32 * 32, 0.0F); }

  void load(const uint16_t* x, int64_t stride, const uint16_t* weights) {
    x_ = x, stride_ = stride, weights_ = weights;
  }

  void multiply() {
    for (int64_t row = 0; row < 32; ++row) {
      for (int64_t output = 0; output < 32; ++output) {
        const uint16_t* tile = weights_ + output / 16 * 512;
        for (int64_t k = 0; k < 32; ++k) {
          sums_[row][output] += from_bf16(x_[row * stride_ + k]) *
                                from_bf16(tile[(k / 2 * 16 + output % 16) * 2 + k % 2]);
        }
      }
    }
  }

  void store(float* sums) const { std::copy_n(&sums_[0][0], 32 * 32, sums); }

 private:
  float sums_[32][32];
  const uint16_t* x_;
  const uint16_t* weights_;
  int64_t stride_;
};

#if HWY_TARGET == HWY_AVX3

// Instructions that Highway's target leaves out stand as text: the compiler would not inline a
// function of more instruction sets than its caller's.
class Bf16Rounding {
 public:
  template <class D>
  HWY_INLINE static void store_bf16_pair(D /*d*/, hn::Vec<D> first, hn::Vec<D> second,
                                         uint16_t* to) {
    __m512i both;
    asm("vcvtne2ps2bf16 %1, %2, %0" : "=v"(both) : "v"(first.raw), "v"(second.raw));
    _mm512_storeu_si512(to, both);
  }
};

class AmxUnit : public Bf16Rounding {
 public:
  AmxUnit() {
    const TileConfig config;
    asm volatile("ldtilecfg %0" ::"m"(config) : "memory");
  }
  ~AmxUnit() { asm volatile("tilerelease" ::: "memory"); }
  AmxUnit(const AmxUnit&) = delete;
  AmxUnit& operator=(const AmxUnit&) = delete;

  HWY_INLINE void clear() {
    asm volatile(
        "tilezero %%tmm0\n\ttilezero %%tmm1\n\t"
        "tilezero %%tmm2\n\ttilezero %%tmm3" ::);
  }

  HWY_INLINE void load(const uint16_t* x, int64_t stride, const uint16_t* weights) {
    const int64_t x_bytes = stride * 2;
    const int64_t row_bytes = 64;
    asm volatile(
        "tileloadd (%0,%2,1), %%tmm4\n\t"
        "tileloadd (%3,%5,1), %%tmm6\n\t"
        "tileloadd (%4,%5,1), %%tmm7\n\t"
        "tileloadd (%1,%2,1), %%tmm5" ::"r"(x),
        "r"(x + 16 * stride), "r"(x_bytes), "r"(weights), "r"(weights + 512), "r"(row_bytes)
        : "memory");
  }

  HWY_INLINE void multiply() {
    asm volatile(
        "tdpbf16ps %%tmm6, %%tmm4, %%tmm0\n\t"
        "tdpbf16ps %%tmm7, %%tmm4, %%tmm1\n\t"
        "tdpbf16ps %%tmm6, %%tmm5, %%tmm2\n\t"
        "tdpbf16ps %%tmm7, %%tmm5, %%tmm3" ::);
  }

  HWY_INLINE void store(float* sums) const {
    const int64_t row_bytes = 128;
    asm volatile(
        "tilestored %%tmm0, (%0,%4,1)\n\t"
        "tilestored %%tmm1, (%1,%4,1)\n\t"
        "tilestored %%tmm2, (%2,%4,1)\n\t"
        "tilestored %%tmm3, (%3,%4,1)" ::"r"(sums),
        "r"(sums + 16), "r"(sums + 16 * 32), "r"(sums + 16 * 32 + 16), "r"(row_bytes)
        : "memory");
  }
};

// Quarters of the sums pass through registers, 8 rows of 32 outputs at a time.
class Avx512Unit : public Bf16Rounding {
 public:
  void clear() { std::fill_n(&sums_[0][0], 32 * 32, 0.0F); }

  void load(const uint16_t* x, int64_t stride, const uint16_t* weights) {
    x_ = x, stride_ = stride, weights_ = weights;
  }

  HWY_INLINE void multiply() {
    for (int64_t row = 0; row < 32; row += kRows) multiply_rows(row);
  }

  void store(float* sums) const { std::copy_n(&sums_[0][0], 32 * 32, sums); }

 private:
  static constexpr int kRows = 8;

  HWY_INLINE void multiply_rows(int64_t row) {
    __m512 left[kRows];
    __m512 right[kRows];
    for (int r = 0; r < kRows; ++r) {
      left[r] = _mm512_load_ps(&sums_[row + r][0]);
      right[r] = _mm512_load_ps(&sums_[row + r][16]);
    }
    for (int64_t pair = 0; pair < 16; ++pair) {
      const __m512i w0 = _mm512_load_si512(weights_ + pair * 32);
      const __m512i w1 = _mm512_load_si512(weights_ + 512 + pair * 32);
#pragma GCC unroll 8
      for (int r = 0; r < kRows; ++r) {
        const auto* x =
            reinterpret_cast<const uint16_t (*)[2]>(x_ + (row + r) * stride_ + pair * 2);
        asm("vdpbf16ps %2%{1to16%}, %1, %0" : "+v"(left[r]) : "v"(w0), "m"(*x));
        asm("vdpbf16ps %2%{1to16%}, %1, %0" : "+v"(right[r]) : "v"(w1), "m"(*x));
      }
    }
    for (int r = 0; r < kRows; ++r) {
      _mm512_store_ps(&sums_[row + r][0], left[r]);
      _mm512_store_ps(&sums_[row + r][16], right[r]);
    }
  }

  alignas(64) float sums_[32][32];
  const uint16_t* x_;
  const uint16_t* weights_;
  int64_t stride_;
};

#endif  // HWY_AVX3

}  // namespace whinchat::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
