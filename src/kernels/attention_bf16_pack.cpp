// Packing is transposition of 16 × 16 words of 32 bits: pairs of bf16, or f32.
#if defined(__x86_64__)

// False alarms of g++ 12 in the intrinsics' own code.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#include <immintrin.h>
#pragma GCC diagnostic pop

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "kernels/attention.h"
#include "kernels/attention_bf16.h"
#include "kernels/attention_kernels.h"
#include "kernels/element.h"

namespace whinchat::kernels {
namespace {

constexpr int kSide = 16;

struct Square {
  __m512i row[kSide];
};

[[gnu::target("avx512f"), gnu::always_inline]] inline Square transposed(const Square& from) {
  Square pairs;
#pragma GCC unroll 16
  for (int i = 0; i < kSide; i += 2) {
    pairs.row[i] = _mm512_unpacklo_epi32(from.row[i], from.row[i + 1]);
    pairs.row[i + 1] = _mm512_unpackhi_epi32(from.row[i], from.row[i + 1]);
  }
  // Row 4 i + j now becomes column 4 l + j of rows 4 i to 4 i + 3 in its l-th 128 bits.
  Square fours;
#pragma GCC unroll 16
  for (int i = 0; i < kSide; i += 4) {
    fours.row[i] = _mm512_unpacklo_epi64(pairs.row[i], pairs.row[i + 2]);
    fours.row[i + 1] = _mm512_unpackhi_epi64(pairs.row[i], pairs.row[i + 2]);
    fours.row[i + 2] = _mm512_unpacklo_epi64(pairs.row[i + 1], pairs.row[i + 3]);
    fours.row[i + 3] = _mm512_unpackhi_epi64(pairs.row[i + 1], pairs.row[i + 3]);
  }
  constexpr int kEven = 0x88;
  constexpr int kOdd = 0xDD;
  Square to;
#pragma GCC unroll 16
  for (int j = 0; j < 4; ++j) {
    const __m512i even01 = _mm512_shuffle_i32x4(fours.row[j], fours.row[4 + j], kEven);
    const __m512i odd01 = _mm512_shuffle_i32x4(fours.row[j], fours.row[4 + j], kOdd);
    const __m512i even23 = _mm512_shuffle_i32x4(fours.row[8 + j], fours.row[12 + j], kEven);
    const __m512i odd23 = _mm512_shuffle_i32x4(fours.row[8 + j], fours.row[12 + j], kOdd);
    to.row[j] = _mm512_shuffle_i32x4(even01, even23, kEven);
    to.row[4 + j] = _mm512_shuffle_i32x4(odd01, odd23, kEven);
    to.row[8 + j] = _mm512_shuffle_i32x4(even01, even23, kOdd);
    to.row[12 + j] = _mm512_shuffle_i32x4(odd01, odd23, kOdd);
  }
  return to;
}

const uint16_t* head_row(ConstRows rows, int64_t row, const Attention& call, int head) {
  return static_cast<const uint16_t*>(rows.data) + row * rows.stride +
         int64_t{head} * call.head_size;
}

// The lowest `count` of 32 bits.
uint32_t first_bits(int count) {
  return count >= 32 ? ~0U : (1U << static_cast<unsigned>(std::max(count, 0))) - 1;
}

// Pairs of two rows' elements, the first row's in the lower halves.
[[gnu::target("avx512f,avx512bw,avx512vl"), gnu::always_inline]] inline __m512i pair_up(
    __mmask16 first_real, const uint16_t* first, __mmask16 second_real, const uint16_t* second) {
  const __m512i lower = _mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(first_real, first));
  const __m512i upper = _mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(second_real, second));
  return _mm512_or_si512(lower, _mm512_slli_epi32(upper, 16));
}

// `rows` of the 32 keys of a chunk are real.
[[gnu::target("avx512f,avx512bw")]] void pack_chunk_keys(const uint16_t* from, int64_t stride,
                                                         int rows, int size, int width,
                                                         uint16_t* to) {
  for (int s = 0; s < rows; ++s, from += stride, to += width) {
    for (int j = 0; j < width; j += 32) {
      _mm512_storeu_si512(to + j, _mm512_maskz_loadu_epi16(first_bits(size - j), from + j));
    }
  }
  std::fill_n(to, int64_t{kHalfChunk - rows} * width, uint16_t{0});
}

[[gnu::target("avx512f,avx512bw,avx512vl")]] void pack_chunk_values(const uint16_t* from,
                                                                    int64_t stride, int rows,
                                                                    int size, int width,
                                                                    uint16_t* to) {
  for (int j = 0; j < width; j += kSide, from += kSide) {
    const auto real = static_cast<__mmask16>(first_bits(size - j));
    Square square;
    if (rows == kHalfChunk) {
#pragma GCC unroll 16
      for (int i = 0; i < kSide; ++i) {
        square.row[i] = pair_up(real, from + int64_t{2} * i * stride, real,
                                from + (int64_t{2} * i + 1) * stride);
      }
    } else {
      for (int i = 0; i < kSide; ++i) {
        square.row[i] = pair_up(2 * i < rows ? real : 0, from + int64_t{2} * i * stride,
                                2 * i + 1 < rows ? real : 0, from + (int64_t{2} * i + 1) * stride);
      }
    }
    square = transposed(square);
#pragma GCC unroll 16
    for (int i = 0; i < kSide; ++i, to += kHalfChunk) _mm512_storeu_si512(to, square.row[i]);
  }
}

}  // namespace

void pack_keys(const Attention& call, int head, int chunk, const PackedKeys& packed) {
  const int begin = chunk * kHalfChunk;
  for (int s = begin + kHalfChunk; s < std::min(begin + 2 * kHalfChunk, call.keys); ++s) {
    for (int j = 0; j < call.head_size; j += 32) {
      _mm_prefetch(reinterpret_cast<const char*>(head_row(call.k, s, call, head) + j), _MM_HINT_T0);
      _mm_prefetch(reinterpret_cast<const char*>(head_row(call.v, s, call, head) + j), _MM_HINT_T0);
    }
  }
  const int rows = std::min(kHalfChunk, call.keys - begin);
  const size_t at = packed.head_size() * static_cast<size_t>(head) +
                    packed.chunk_size() * static_cast<size_t>(chunk);
  pack_chunk_keys(head_row(call.k, begin, call, head), call.k.stride, rows, call.head_size,
                  packed.width, packed.keys + at);
  pack_chunk_values(head_row(call.v, begin, call, head), call.v.stride, rows, call.head_size,
                    packed.width, packed.values + at);
}

[[gnu::target("avx512f,avx512bw")]] void pack_queries(const Attention& call, QueryBlock block,
                                                      int width, uint16_t* q) {
  for (int first = 0; first < kHalfBlock; first += kSide) {
    for (int j = 0; j < width; j += 2 * kSide) {
      Square square;
      for (int t = 0; t < kSide; ++t) {
        const __mmask32 real = first + t < block.count ? first_bits(call.head_size - j) : 0;
        const uint16_t* from =
            real != 0 ? head_row(call.q, block.first + first + t, call, block.head) + j : nullptr;
        square.row[t] = _mm512_maskz_loadu_epi16(real, from);
      }
      square = transposed(square);
      uint16_t* to = q + j * kHalfRow + int64_t{first} * 2;
      for (const __m512i& row : square.row) {
        _mm512_storeu_si512(to, row);
        to += 2 * kHalfRow;
      }
    }
  }
}

[[gnu::target("avx512f,avx512bw,avx512vl,avx512bf16")]] void write_block(const Attention& call,
                                                                         QueryBlock block,
                                                                         const float* out,
                                                                         const float* sum) {
  auto* rows = static_cast<uint16_t*>(call.out.data) + int64_t{block.head} * call.head_size;
  for (int first = 0; first < block.count; first += kSide) {
    const __m512 factor = _mm512_div_ps(_mm512_set1_ps(1), _mm512_loadu_ps(sum + first));
    for (int j = 0; j < call.head_size; j += kSide) {
      Square square;
      for (int i = 0; i < kSide; ++i) {
        const __m512 row = _mm512_loadu_ps(out + (j + i) * kHalfRow + first);
        square.row[i] = _mm512_castps_si512(_mm512_mul_ps(row, factor));
      }
      square = transposed(square);
      const auto real = static_cast<__mmask16>(first_bits(call.head_size - j));
      for (int t = 0; t < std::min(kSide, block.count - first); ++t) {
        const __m256bh row = _mm512_cvtneps_pbh(_mm512_castsi512_ps(square.row[t]));
        _mm256_mask_storeu_epi16(rows + (block.first + first + t) * call.out.stride + j, real,
                                 reinterpret_cast<__m256i>(row));
      }
    }
  }
}

}  // namespace whinchat::kernels

#endif
