// bf16, the upper half of a single, on raw 16-bit words.
#pragma once

#include <cstdint>

#include "kernels/element.h"
#include "kernels/team.h"

namespace whinchat::kernels {

inline float from_bf16(uint16_t bits) { return __builtin_bit_cast(float, uint32_t{bits} << 16U); }

// To the nearest, ties to even. NaN stays NaN.
inline uint16_t to_bf16(float value) {
  const auto bits = __builtin_bit_cast(uint32_t, value);
  if ((bits & 0x7FFFFFFFU) > 0x7F800000U) return static_cast<uint16_t>(bits >> 16U | 0x40U);
  return static_cast<uint16_t>((bits + 0x7FFFU + (bits >> 16U & 1U)) >> 16U);
}

// `count` elements of `type`, which may lie on any address. Below AVX2 halves must be finite.
void to_bf16(const void* from, Element type, uint16_t* to, int64_t count);
void to_f32(const void* from, Element type, float* to, int64_t count);

// Rows of f32 in bf16, in the scratch of the team's thread. Called on that thread.
Rows round_rows(int64_t rows, int64_t width, ConstRows x, Team& team);

}  // namespace whinchat::kernels
