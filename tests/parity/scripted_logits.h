// The logits that oracles/decoding.py gives a prefix of tokens, to the bit.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace whinchat::parity {

struct Script {
  uint64_t seed = 0;
  size_t n_vocab = 0;
  int32_t eot = 0;
  int32_t timestamp_begin = 0;
  size_t n_initial = 0;

  std::vector<float> logits(std::span<const int32_t> tokens) const;
};

// splitmix64's finaliser.
inline uint64_t mixed(uint64_t value) {
  value += 0x9E3779B97F4A7C15U;
  value = (value ^ (value >> 30U)) * 0xBF58476D1CE4E5B9U;
  value = (value ^ (value >> 27U)) * 0x94D049BB133111EBU;
  return value ^ (value >> 31U);
}

// Its upper 24 bits, in [0, 1).
inline float fraction(uint64_t value) {
  return static_cast<float>(value >> 40U) * (1.0F / (1U << 24U));
}

inline std::vector<float> Script::logits(std::span<const int32_t> tokens) const {
  uint64_t state = mixed(seed);
  int32_t last = timestamp_begin;
  for (size_t i = 0; i < tokens.size(); ++i) {
    state = mixed(state ^ static_cast<uint64_t>(tokens[i]));
    if (i >= n_initial && tokens[i] >= timestamp_begin) last = tokens[i];
  }
  std::vector<float> logits(n_vocab);
  for (size_t id = 0; id < n_vocab; ++id) logits[id] = fraction(mixed(id ^ state)) - 5.0F;
  constexpr uint64_t kFavourites = 12;
  for (uint64_t i = 0; i < kFavourites; ++i) {
    const uint64_t draw = mixed(state ^ ((i + 1) << 32U));
    const float height = 7.0F * fraction(mixed(draw));
    const uint64_t favourite =
        i % 3 == 0 ? std::min<uint64_t>(static_cast<uint64_t>(last) + draw % 60, n_vocab - 1)
                   : draw % static_cast<uint64_t>(eot);
    logits[favourite] = 3.0F + height;
  }
  const auto length = static_cast<float>(tokens.size()) - static_cast<float>(n_initial);
  const float end = 2.0F * fraction(mixed(state ^ 7U));
  logits[static_cast<size_t>(eot)] = 0.5F * length + end;
  return logits;
}

}  // namespace whinchat::parity
