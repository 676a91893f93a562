// The exponentials of bf16 attention, inlined where products run beside them.
#pragma once

// False alarms of g++ 12 in the intrinsics' own code.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#include <immintrin.h>
#pragma GCC diagnostic pop

#include <cstdint>

#include "kernels/attention_bf16.h"

namespace whinchat::kernels {

// 2^x within 2^-13 of itself; 0 for −∞.
[[gnu::target("avx512f,avx512dq"), gnu::always_inline]] inline __m512 exp2(__m512 x) {
  constexpr int kDown = 1;
  const __m512 r = _mm512_reduce_ps(x, kDown);  // x − ⌊x⌋
  // The minimax polynomial for 2^r, off by at most 7.5e-5 of itself.
  __m512 power = _mm512_fmadd_ps(_mm512_set1_ps(0.0780245226F), r, _mm512_set1_ps(0.226067155F));
  power = _mm512_fmadd_ps(power, r, _mm512_set1_ps(0.695833540F));
  power = _mm512_fmadd_ps(power, r, _mm512_set1_ps(0.999925219F));
  return _mm512_scalef_ps(power, x);
}

// A group's scores on their way to weights. Weights are cut to bf16, not rounded: the sum is of the
// same cut ones, so the bias divides out.
struct Weighing {
  const float* scores;
  uint16_t* weights;
  int left;  // keys
  __m512 scale, base0, base1, sum0, sum1;
};

[[gnu::target("avx512f"), gnu::always_inline]] inline Weighing begin_weighing(
    const Turn::Now& now) {
  return {now.scores,
          now.weights,
          now.chunks * kHalfChunk,
          _mm512_set1_ps(now.scale),
          _mm512_load_ps(now.base),
          _mm512_load_ps(now.base + 16),
          _mm512_load_ps(now.sum),
          _mm512_load_ps(now.sum + 16)};
}

[[gnu::target("avx512f"), gnu::always_inline]] inline void end_weighing(const Weighing& weighing,
                                                                        const Turn::Now& now) {
  _mm512_store_ps(now.sum, weighing.sum0);
  _mm512_store_ps(now.sum + 16, weighing.sum1);
}

// Two keys' scores [2, 16 queries], 32 apart, to weights [16, 2].
[[gnu::target("avx512f,avx512bw,avx512dq,avx512bf16"), gnu::always_inline]] inline void weigh_pair(
    const float* scores, __m512 scale, __m512 base, uint16_t* weights, __m512& sum) {
  constexpr __mmask32 kUpper = 0xAAAAAAAA;
  const auto ones = reinterpret_cast<__m512bh>(_mm512_set1_epi32(0x3F803F80));
  const __m512 first = exp2(_mm512_fmsub_ps(_mm512_load_ps(scores), scale, base));
  const __m512 second = exp2(_mm512_fmsub_ps(_mm512_load_ps(scores + kHalfRow), scale, base));
  const __m512i pair = _mm512_mask_mov_epi16(_mm512_srli_epi32(_mm512_castps_si512(first), 16),
                                             kUpper, _mm512_castps_si512(second));
  sum = _mm512_dpbf16_ps(sum, reinterpret_cast<__m512bh>(pair), ones);
  _mm512_store_si512(weights, pair);
}

// Up to so many keys, a multiple of 4.
[[gnu::target("avx512f,avx512bw,avx512dq,avx512bf16"), gnu::always_inline]] inline void weigh(
    Weighing& weighing, int keys) {
  if (keys > weighing.left) keys = weighing.left;
  weighing.left -= keys;
  constexpr int64_t kPair = 2 * kHalfRow;
  for (; keys > 0; keys -= 4) {
#pragma GCC unroll 2
    for (int s = 0; s < 2; ++s) {
      const float* scores = weighing.scores + s * kPair;
      uint16_t* weights = weighing.weights + s * kPair;
      weigh_pair(scores, weighing.scale, weighing.base0, weights, weighing.sum0);
      weigh_pair(scores + 16, weighing.scale, weighing.base1, weights + 32, weighing.sum1);
    }
    weighing.scores += 2 * kPair;
    weighing.weights += 2 * kPair;
  }
}

}  // namespace whinchat::kernels
