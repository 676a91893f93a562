// AMX: tiles of 16 × 16 results, operands 32 deep. Its unit works beside the vectors', but only as
// far as instructions fit into the processor's window: steps of products and exponentials
// alternate.
#if defined(__x86_64__)

#include <cstddef>
#include <cstdint>

#include "kernels/amx_tiles.h"
#include "kernels/attention_bf16.h"
#include "kernels/attention_weigh.h"

namespace whinchat::kernels {
namespace {

constexpr int64_t kTileRows = 16;
constexpr int64_t kTileDepth = 32;  // bf16 in a tile's row
constexpr int kRowOfQueries = 128;  // bytes of 32 queries: f32, or pairs of bf16
constexpr int kHalfRowOfQueries = 64;

// The intrinsics do not tell the compiler that they read memory.
[[gnu::always_inline]] inline void finish_stores() { asm volatile("" ::: "memory"); }

[[gnu::target("amx-tile")]] void begin() {
  const TileConfig config;
  finish_stores();
  asm volatile("ldtilecfg %0" ::"m"(config));
}

[[gnu::target("amx-tile")]] void end() { _tile_release(); }

// Operands of 32 rows · 32 queries, one tile deep.
[[gnu::target("amx-tile"), gnu::always_inline]] inline void load_operands(const uint16_t* rows,
                                                                          int64_t row_bytes,
                                                                          const uint16_t* queries) {
  const auto* upper = reinterpret_cast<const std::byte*>(rows);
  const auto* pairs = reinterpret_cast<const std::byte*>(queries);
  _tile_loadd(4, upper, row_bytes);
  _tile_loadd(6, pairs, kRowOfQueries);
  _tile_loadd(7, pairs + kHalfRowOfQueries, kRowOfQueries);
  _tile_loadd(5, upper + kTileRows * row_bytes, row_bytes);
}

[[gnu::target("amx-tile,amx-bf16"), gnu::always_inline]] inline void multiply() {
  _tile_dpbf16ps(0, 4, 6);
  _tile_dpbf16ps(1, 4, 7);
  _tile_dpbf16ps(2, 5, 6);
  _tile_dpbf16ps(3, 5, 7);
}

[[gnu::target("amx-tile"), gnu::always_inline]] inline void load_results(const float* from) {
  _tile_loadd(0, from, kRowOfQueries);
  _tile_loadd(1, from + kTileRows, kRowOfQueries);
  _tile_loadd(2, from + kTileRows * kHalfRow, kRowOfQueries);
  _tile_loadd(3, from + kTileRows * kHalfRow + kTileRows, kRowOfQueries);
}

[[gnu::target("amx-tile"), gnu::always_inline]] inline void store_results(float* to) {
  _tile_stored(0, to, kRowOfQueries);
  _tile_stored(1, to + kTileRows, kRowOfQueries);
  _tile_stored(2, to + kTileRows * kHalfRow, kRowOfQueries);
  _tile_stored(3, to + kTileRows * kHalfRow + kTileRows, kRowOfQueries);
}

[[gnu::target("amx-tile"), gnu::always_inline]] inline void clear_results() {
  _tile_zero(0);
  _tile_zero(1);
  _tile_zero(2);
  _tile_zero(3);
}

[[gnu::target("amx-tile,amx-bf16,avx512f,avx512bw,avx512dq,avx512bf16")]] void run(
    const Turn& turn) {
  const auto& [width, next, now, before] = turn;
  const auto parts = static_cast<int>(width / kTileDepth);
  // Half a step is loads or products; all get the same share of the keys to weigh.
  const int halves = 2 * parts * (next.chunks + before.chunks);
  const int share = halves == 0 ? 0 : (now.chunks * kHalfChunk / halves + 3) / 4 * 4;
  Weighing weighing = begin_weighing(now);
  finish_stores();
  for (int chunk = 0; chunk < next.chunks; ++chunk) {
    clear_results();
    for (int part = 0; part < parts; ++part) {
      load_operands(next.keys + (int64_t{chunk} * kHalfChunk * width + part * kTileDepth),
                    int64_t{width} * 2, next.q + part * kTileDepth * kHalfRow);
      weigh(weighing, share);
      multiply();
      weigh(weighing, share);
    }
    store_results(next.scores + chunk * kHalfSquare);
  }
  for (int part = 0; part < parts && before.chunks > 0; ++part) {
    float* out = before.out + part * kTileDepth * kHalfRow;
    load_results(out);
    for (int chunk = 0; chunk < before.chunks; ++chunk) {
      load_operands(before.values + (int64_t{chunk} * width + part * kTileDepth) * kHalfChunk,
                    int64_t{kHalfChunk} * 2, before.weights + chunk * kHalfSquare);
      weigh(weighing, share);
      multiply();
      weigh(weighing, share);
    }
    store_results(out);
  }
  weigh(weighing, weighing.left);
  end_weighing(weighing, now);
}

}  // namespace

const HalfProducts kAmxProducts{.begin = begin, .run = run, .end = end};

}  // namespace whinchat::kernels

#endif
