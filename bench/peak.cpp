#include "peak.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <vector>

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

#include "kernels/amx_tiles.h"
#include "kernels/isa.h"
#include "kernels/team.h"
#include "machine.h"

namespace whinchat::bench {
namespace {

constexpr int kSums = 12;            // as many as hide the latency of two units
constexpr size_t kTileBytes = 1024;  // 16 rows of 64

// Some rounds of one instruction. `memory`: 4 · kTileBytes of random values, and room for sums.
struct Multiply {
  const char* instruction;
  double operations;  // of a round
  int64_t rounds;     // some milliseconds
  void (*run)(int64_t rounds, std::byte* memory);
};

#if defined(__x86_64__)

[[gnu::target("avx2,fma")]] void fma_256(int64_t rounds, std::byte* memory) {
  auto* vectors = reinterpret_cast<__m256*>(memory);
  __m256 sums[kSums];
  for (int i = 0; i < kSums; ++i) sums[i] = vectors[i];
  const auto a = vectors[kSums];
  const auto b = vectors[kSums + 1];
  for (int64_t round = 0; round < rounds; ++round) {
#pragma GCC unroll 12
    for (auto& sum : sums) sum = _mm256_fmadd_ps(a, b, sum);
  }
  for (int i = 0; i < kSums; ++i) vectors[i] = sums[i];
}

[[gnu::target("avx512f")]] void fma_512(int64_t rounds, std::byte* memory) {
  auto* vectors = reinterpret_cast<__m512*>(memory);
  __m512 sums[kSums];
  for (int i = 0; i < kSums; ++i) sums[i] = vectors[i];
  const auto a = vectors[kSums];
  const auto b = vectors[kSums + 1];
  for (int64_t round = 0; round < rounds; ++round) {
#pragma GCC unroll 12
    for (auto& sum : sums) sum = _mm512_fmadd_ps(a, b, sum);
  }
  for (int i = 0; i < kSums; ++i) vectors[i] = sums[i];
}

[[gnu::target("avx512f,avx512bf16")]] void dot_bf16_512(int64_t rounds, std::byte* memory) {
  auto* vectors = reinterpret_cast<__m512*>(memory);
  __m512 sums[kSums];
  for (int i = 0; i < kSums; ++i) sums[i] = vectors[i];
  const auto a = reinterpret_cast<__m512bh>(vectors[kSums]);
  const auto b = reinterpret_cast<__m512bh>(vectors[kSums + 1]);
  for (int64_t round = 0; round < rounds; ++round) {
#pragma GCC unroll 12
    for (auto& sum : sums) sum = _mm512_dpbf16_ps(sum, a, b);
  }
  for (int i = 0; i < kSums; ++i) vectors[i] = sums[i];
}

[[gnu::target("avx512f,avx512vnni")]] void dot_int8_512(int64_t rounds, std::byte* memory) {
  auto* vectors = reinterpret_cast<__m512i*>(memory);
  __m512i sums[kSums];
  for (int i = 0; i < kSums; ++i) sums[i] = vectors[i];
  const auto a = vectors[kSums];
  const auto b = vectors[kSums + 1];
  for (int64_t round = 0; round < rounds; ++round) {
#pragma GCC unroll 12
    for (auto& sum : sums) sum = _mm512_dpbusd_epi32(sum, a, b);
  }
  for (int i = 0; i < kSums; ++i) vectors[i] = sums[i];
}

[[gnu::target("amx-tile"), gnu::always_inline]] inline void begin_tiles() {
  const kernels::TileConfig config;
  // The intrinsics do not tell the compiler that they read memory.
  asm volatile("ldtilecfg %0" ::"m"(config) : "memory");
  _tile_zero(0);
  _tile_zero(1);
  _tile_zero(2);
  _tile_zero(3);
}

// Operands of 2 × 2 results.
[[gnu::target("amx-tile"), gnu::always_inline]] inline void load_tiles(const std::byte* memory) {
  _tile_loadd(4, memory, 64);
  _tile_loadd(5, memory + kTileBytes, 64);
  _tile_loadd(6, memory + 2 * kTileBytes, 64);
  _tile_loadd(7, memory + 3 * kTileBytes, 64);
}

[[gnu::target("amx-tile,amx-bf16")]] void tiles_bf16(int64_t rounds, std::byte* memory) {
  begin_tiles();
  for (int64_t round = 0; round < rounds; ++round) {
    load_tiles(memory);
    _tile_dpbf16ps(0, 4, 6);
    _tile_dpbf16ps(1, 4, 7);
    _tile_dpbf16ps(2, 5, 6);
    _tile_dpbf16ps(3, 5, 7);
  }
  _tile_release();
}

[[gnu::target("amx-tile,amx-int8")]] void tiles_int8(int64_t rounds, std::byte* memory) {
  begin_tiles();
  for (int64_t round = 0; round < rounds; ++round) {
    load_tiles(memory);
    _tile_dpbssd(0, 4, 6);
    _tile_dpbssd(1, 4, 7);
    _tile_dpbssd(2, 5, 6);
    _tile_dpbssd(3, 5, 7);
  }
  _tile_release();
}

bool has_amx_int8() {
  constexpr unsigned kInt8 = 1U << 25U;
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (d & kInt8) != 0;
}

constexpr int64_t kRounds = int64_t{1} << 21U;
constexpr int64_t kTileRounds = int64_t{1} << 17U;
constexpr double kTileOperations = 4.0 * 2 * 16 * 16;  // times the depth

std::optional<Multiply> best_multiply(Factors factors) {
  using kernels::Isa;
  const Isa isa = kernels::isa_in_use();
  switch (factors) {
    case Factors::F32:
      if (isa >= Isa::Avx512)
        return Multiply{"vfmadd, 512 bits", 2.0 * 16 * kSums, kRounds, fma_512};
      if (isa >= Isa::Avx2) return Multiply{"vfmadd, 256 bits", 2.0 * 8 * kSums, kRounds, fma_256};
      break;
    case Factors::BF16:
      if (isa >= Isa::Amx)
        return Multiply{"tdpbf16ps, tiles from L1", kTileOperations * 32, kTileRounds, tiles_bf16};
      if (isa >= Isa::Avx512Bf16)
        return Multiply{"vdpbf16ps, 512 bits", 2.0 * 32 * kSums, kRounds, dot_bf16_512};
      break;
    case Factors::Int8:
      if (isa >= Isa::Amx && has_amx_int8())
        return Multiply{"tdpbssd, tiles from L1", kTileOperations * 64, kTileRounds, tiles_int8};
      if (isa >= Isa::Avx512Vnni)
        return Multiply{"vpdpbusd, 512 bits", 2.0 * 64 * kSums, kRounds, dot_int8_512};
      break;
  }
  return std::nullopt;
}

#else

std::optional<Multiply> best_multiply(Factors /*factors*/) { return std::nullopt; }

#endif

// f32 whose two halves are each a bf16 of the same size.
std::vector<uint32_t> random_halves() {
  std::vector<uint32_t> halves;
  for (const float value : random_values(4 * kTileBytes / sizeof(float))) {
    const auto half = __builtin_bit_cast(uint32_t, value) >> 16U;
    halves.push_back(half << 16U | half);
  }
  return halves;
}

}  // namespace

std::optional<Peak> multiply_peak(Factors factors, kernels::Team& team) {
  const std::optional<Multiply> multiply = best_multiply(factors);
  if (!multiply) return std::nullopt;
  const std::vector<uint32_t> values = random_halves();
  const double amount = multiply->operations * static_cast<double>(multiply->rounds) * team.size();
  const Rate rate = rate_of(amount, [&] {
    team.each(team.size(), [&](int64_t /*task*/, int /*thread*/) {
      alignas(64) std::byte memory[4 * kTileBytes];
      std::memcpy(memory, values.data(), sizeof memory);
      multiply->run(multiply->rounds, memory);
    });
  });
  return Peak{rate, multiply->instruction};
}

}  // namespace whinchat::bench
