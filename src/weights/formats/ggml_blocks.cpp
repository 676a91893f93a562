#include "weights/formats/ggml_blocks.h"

#include <mlx/types/half_types.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>

#include "base/bytes.h"

// Built with -ffp-contract=off: a fused multiplication and addition has other bits.
namespace whinchat::weights {
namespace {

constexpr int kSmall = 32;   // elements of a block of q4_0 … q8_0
constexpr int kLarge = 256;  // of one of q2_K … q6_K

float half(const std::byte* source) {
  return static_cast<float>(
      std::bit_cast<mlx::core::float16_t>(base::load_unaligned<uint16_t>(source)));
}

int byte_at(const std::byte* source, int index) { return static_cast<int>(source[index]); }
int signed_at(const std::byte* source, int index) { return static_cast<int8_t>(source[index]); }
const std::byte* block_at(const std::byte* block, int position) { return block + position; }
int low(int byte) { return byte & 15; }
int high(int byte) { return byte >> 4; }

// d, q of 4 bits: the low ones are the first half's.
void decode_q4_0(const std::byte* block, float* out) {
  const float d = half(block);
  for (int i = 0; i < kSmall / 2; ++i) {
    const int byte = byte_at(block + 2, i);
    out[i] = static_cast<float>(low(byte) - 8) * d;
    out[i + kSmall / 2] = static_cast<float>(high(byte) - 8) * d;
  }
}

void decode_q4_1(const std::byte* block, float* out) {
  const float d = half(block);
  const float m = half(block + 2);
  for (int i = 0; i < kSmall / 2; ++i) {
    const int byte = byte_at(block + 4, i);
    out[i] = static_cast<float>(low(byte)) * d + m;
    out[i + kSmall / 2] = static_cast<float>(high(byte)) * d + m;
  }
}

// The fifth bit of element i, in its place.
int fifth_bit(uint32_t bits, int i) { return static_cast<int>((bits >> i) & 1U) << 4; }

void decode_q5_0(const std::byte* block, float* out) {
  const float d = half(block);
  const auto bits = base::load_unaligned<uint32_t>(block + 2);
  for (int i = 0; i < kSmall / 2; ++i) {
    const int byte = byte_at(block + 6, i);
    out[i] = static_cast<float>((low(byte) | fifth_bit(bits, i)) - 16) * d;
    out[i + 16] = static_cast<float>((high(byte) | fifth_bit(bits, i + 16)) - 16) * d;
  }
}

void decode_q5_1(const std::byte* block, float* out) {
  const float d = half(block);
  const float m = half(block + 2);
  const auto bits = base::load_unaligned<uint32_t>(block + 4);
  for (int i = 0; i < kSmall / 2; ++i) {
    const int byte = byte_at(block + 8, i);
    out[i] = static_cast<float>(low(byte) | fifth_bit(bits, i)) * d + m;
    out[i + 16] = static_cast<float>(high(byte) | fifth_bit(bits, i + 16)) * d + m;
  }
}

void decode_q8_0(const std::byte* block, float* out) {
  const float d = half(block);
  for (int i = 0; i < kSmall; ++i) out[i] = static_cast<float>(signed_at(block + 2, i)) * d;
}

// In the K-quants a scale covers 16 or 32 elements: `run` of them, here with a minimum.
struct Scale {
  float factor;
  float minimum;
};

// q of 2 bits: [16] scales and minima of 4 bits, [64] q, d, the minima's d.
void decode_q2_k(const std::byte* block, float* out) {
  const float d = half(block + 80);
  const float d_minimum = half(block + 82);
  for (int run = 0; run < kLarge / 16; ++run) {
    const int scale = byte_at(block, run);
    const Scale s{d * static_cast<float>(low(scale)), d_minimum * static_cast<float>(high(scale))};
    const std::byte* q = block_at(block, 16 + run / 8 * 32 + run % 2 * 16);
    const int shift = run % 8 / 2 * 2;
    for (int i = 0; i < 16; ++i) {
      *out++ = s.factor * static_cast<float>((byte_at(q, i) >> shift) & 3) - s.minimum;
    }
  }
}

// Sixteen scales of 6 bits in 12 bytes: the low four bits in the first 8, the high two behind.
std::array<int, 16> unpack_q3_scales(const std::byte* packed) {
  std::array<int, 16> scales{};
  for (int i = 0; i < 16; ++i) {
    const int byte = byte_at(packed, i % 8);
    const int top = (byte_at(packed, 8 + i % 4) >> (i / 4 * 2)) & 3;
    scales[i] = ((i < 8 ? low(byte) : high(byte)) | top << 4) - 32;
  }
  return scales;
}

// q of 3 bits: [32] of the third bits, [64] of the lower two, scales, d.
void decode_q3_k(const std::byte* block, float* out) {
  const float d = half(block + 108);
  const std::array<int, 16> scales = unpack_q3_scales(block + 96);
  for (int run = 0; run < kLarge / 16; ++run) {
    const float factor = d * static_cast<float>(scales[run]);
    const std::byte* third = block_at(block, run % 2 * 16);
    const std::byte* q = block_at(block, 32 + run / 8 * 32 + run % 2 * 16);
    const int shift = run % 8 / 2 * 2;
    for (int i = 0; i < 16; ++i) {
      const int top = (byte_at(third, i) >> (run / 2)) & 1;
      *out++ = factor * static_cast<float>(((byte_at(q, i) >> shift) & 3) - (top == 1 ? 0 : 4));
    }
  }
}

// Eight scales and minima of 6 bits in 12 bytes.
Scale unpack_scale(const std::byte* block, int run) {
  const float d = half(block);
  const float d_minimum = half(block + 2);
  const std::byte* packed = block + 4;
  int scale = byte_at(packed, run) & 63;
  int minimum = byte_at(packed, run + 4) & 63;
  if (run >= 4) {
    const int byte = byte_at(packed, run + 4);
    scale = low(byte) | byte_at(packed, run - 4) >> 6 << 4;
    minimum = high(byte) | byte_at(packed, run) >> 6 << 4;
  }
  return {d * static_cast<float>(scale), d_minimum * static_cast<float>(minimum)};
}

// d, the minima's d, [12] scales, [128] q of 4 bits.
void decode_q4_k(const std::byte* block, float* out) {
  for (int run = 0; run < kLarge / 32; ++run) {
    const Scale s = unpack_scale(block, run);
    const std::byte* q = block_at(block, 16 + run / 2 * 32);
    for (int i = 0; i < 32; ++i) {
      const int byte = byte_at(q, i);
      *out++ = s.factor * static_cast<float>(run % 2 == 0 ? low(byte) : high(byte)) - s.minimum;
    }
  }
}

// As q4_K, with [32] of the fifth bits before q.
void decode_q5_k(const std::byte* block, float* out) {
  for (int run = 0; run < kLarge / 32; ++run) {
    const Scale s = unpack_scale(block, run);
    const std::byte* fifth = block_at(block, 16);
    const std::byte* q = block_at(block, 48 + run / 2 * 32);
    for (int i = 0; i < 32; ++i) {
      const int byte = byte_at(q, i);
      const int top = (byte_at(fifth, i) >> run & 1) << 4;
      const int value = (run % 2 == 0 ? low(byte) : high(byte)) + top;
      *out++ = s.factor * static_cast<float>(value) - s.minimum;
    }
  }
}

// [128] of the lower four bits, [64] of the upper two, [16] scales of 8 bits, d.
void decode_q6_k(const std::byte* block, float* out) {
  const float d = half(block + 208);
  for (int run = 0; run < kLarge / 16; ++run) {
    const int part = run / 8;         // of 128 elements
    const int quarter = run % 8 / 2;  // of 32 of them
    const int first = run % 2 * 16;
    const std::byte* lower = block_at(block, part * 64 + quarter % 2 * 32 + first);
    const std::byte* upper = block_at(block, 128 + part * 32 + first);
    const float factor = d * static_cast<float>(signed_at(block + 192, run));
    for (int i = 0; i < 16; ++i) {
      const int byte = byte_at(lower, i);
      const int top = (byte_at(upper, i) >> (2 * quarter)) & 3;
      *out++ =
          factor * static_cast<float>(((quarter < 2 ? low(byte) : high(byte)) | top << 4) - 32);
    }
  }
}

constexpr BlockFormat kFormats[] = {
    {2, "q4_0", kSmall, 18, decode_q4_0},   {3, "q4_1", kSmall, 20, decode_q4_1},
    {6, "q5_0", kSmall, 22, decode_q5_0},   {7, "q5_1", kSmall, 24, decode_q5_1},
    {8, "q8_0", kSmall, 34, decode_q8_0},   {10, "q2_K", kLarge, 84, decode_q2_k},
    {11, "q3_K", kLarge, 110, decode_q3_k}, {12, "q4_K", kLarge, 144, decode_q4_k},
    {13, "q5_K", kLarge, 176, decode_q5_k}, {14, "q6_K", kLarge, 210, decode_q6_k},
};

}  // namespace

const BlockFormat* find_block_format(uint32_t code) {
  const auto* format = std::ranges::find(kFormats, code, &BlockFormat::code);
  return format == std::end(kFormats) ? nullptr : format;
}

std::string_view block_format_names() {
  return "q4_0, q4_1, q5_0, q5_1, q8_0, q2_K, q3_K, q4_K, q5_K or q6_K";
}

}  // namespace whinchat::weights
