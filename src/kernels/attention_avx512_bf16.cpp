// AVX-512 BF16: 8 rows, each broadcast in pairs, against two vectors of 16 queries.
#if defined(__x86_64__)

#include <cstdint>
#include <cstring>

#include "kernels/attention_bf16.h"
#include "kernels/attention_weigh.h"

namespace whinchat::kernels {
namespace {

constexpr int kRows = 8;

struct Sums {
  __m512 of[kRows][2];
};

// sums[r] += rows[r] · queries over `pairs` pairs.
[[gnu::target("avx512f,avx512bf16"), gnu::always_inline]] inline void multiply(
    const uint16_t* rows, int64_t row_step, const uint16_t* queries, int pairs, Sums& sums) {
  for (int i = 0; i < pairs; ++i) {
    const auto q0 = reinterpret_cast<__m512bh>(_mm512_loadu_si512(queries));
    const auto q1 = reinterpret_cast<__m512bh>(_mm512_loadu_si512(queries + kHalfRow));
    queries += 2 * kHalfRow;
#pragma GCC unroll 8
    for (int r = 0; r < kRows; ++r) {
      int32_t pair = 0;
      std::memcpy(&pair, rows + r * row_step + int64_t{i} * 2, sizeof pair);
      const auto value = reinterpret_cast<__m512bh>(_mm512_set1_epi32(pair));
      sums.of[r][0] = _mm512_dpbf16_ps(sums.of[r][0], value, q0);
      sums.of[r][1] = _mm512_dpbf16_ps(sums.of[r][1], value, q1);
    }
  }
}

[[gnu::target("avx512f"), gnu::always_inline]] inline void load(const float* from, Sums& sums) {
#pragma GCC unroll 8
  for (int r = 0; r < kRows; ++r) {
    sums.of[r][0] = _mm512_loadu_ps(from + r * kHalfRow);
    sums.of[r][1] = _mm512_loadu_ps(from + r * kHalfRow + 16);
  }
}

[[gnu::target("avx512f"), gnu::always_inline]] inline void store(const Sums& sums, float* to) {
#pragma GCC unroll 8
  for (int r = 0; r < kRows; ++r) {
    _mm512_storeu_ps(to + r * kHalfRow, sums.of[r][0]);
    _mm512_storeu_ps(to + r * kHalfRow + 16, sums.of[r][1]);
  }
}

void nothing() {}

[[gnu::target("avx512f,avx512bf16")]] void compute_scores(const Turn::Next& next, int width) {
  for (int i = 0; i < next.chunks * kHalfChunk; i += kRows) {
    Sums sums;
#pragma GCC unroll 8
    for (auto& row : sums.of) row[0] = row[1] = _mm512_setzero_ps();
    multiply(next.keys + int64_t{i} * width, width, next.q, width / 2, sums);
    store(sums, next.scores + i * kHalfRow);
  }
}

[[gnu::target("avx512f,avx512bf16")]] void add_values(const Turn::Before& before, int width) {
  for (int i = 0; i < width; i += kRows) {
    Sums sums;
    load(before.out + i * kHalfRow, sums);
    for (int chunk = 0; chunk < before.chunks; ++chunk) {
      multiply(before.values + (int64_t{chunk} * width + i) * kHalfChunk, kHalfChunk,
               before.weights + chunk * kHalfSquare, kHalfChunk / 2, sums);
    }
    store(sums, before.out + i * kHalfRow);
  }
}

[[gnu::target("avx512f,avx512bw,avx512dq,avx512bf16")]] void run(const Turn& turn) {
  compute_scores(turn.next, turn.width);
  Weighing weighing = begin_weighing(turn.now);
  weigh(weighing, weighing.left);
  end_weighing(weighing, turn.now);
  if (turn.before.chunks > 0) add_values(turn.before, turn.width);
}

}  // namespace

const HalfProducts kAvx512Products{.begin = nothing, .run = run, .end = nothing};

}  // namespace whinchat::kernels

#endif
