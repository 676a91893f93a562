// Attention of many queries where q, k and v are bf16, on AVX-512 BF16 or AMX, which differ in the
// products alone. As in attention_tiles.cpp lanes are queries: a block is 32 of them, a chunk 32
// keys. Operands are packed once a call, in pairs of 16 bits as the instructions take them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/attention.h"
#include "kernels/attention_kernels.h"
#include "kernels/team.h"

namespace whinchat::kernels {

constexpr int kHalfBlock = 32;                          // queries
constexpr int kHalfChunk = 32;                          // keys
constexpr int64_t kHalfRow = kHalfBlock;                // in memory, of anything per query
constexpr int64_t kHalfSquare = kHalfRow * kHalfChunk;  // scores or weights of a chunk

// All heads' keys and values; W is D rounded up to 32, with zeros beyond D and beyond S.
struct PackedKeys {
  int width;         // W
  int chunks;        // ⌈S / 32⌉
  uint16_t* keys;    // [H, chunks, 32 keys, W]
  uint16_t* values;  // [H, chunks, W, 32 keys]

  size_t chunk_size() const { return static_cast<size_t>(width) * kHalfChunk; }
  size_t head_size() const { return chunk_size() * static_cast<size_t>(chunks); }
};

void pack_keys(const Attention& call, int head, int chunk, const PackedKeys& packed);

// Up to 32 queries to [W / 2 pairs, 32 queries, 2]; zeros for those beyond `count`.
void pack_queries(const Attention& call, QueryBlock block, int width, uint16_t* q);

// out [W, 32 queries] over sum [32] to the call's rows.
void write_block(const Attention& call, QueryBlock block, const float* out, const float* sum);

// One turn of a block's queries: a group of chunks becomes weights, while the next group's scores
// are computed and the values of the group before are added. Each part may have no chunks.
struct Turn {
  int width;  // W

  struct Next {
    int chunks = 0;
    const uint16_t *q, *keys;
    float* scores;  // [chunks, 32 keys, 32 queries]
  } next;

  struct Now {
    int chunks = 0;
    float scale = 0;
    const float* base;    // [32], even for no chunks
    const float* scores;  // [chunks, 32 keys, 32]
    uint16_t* weights;    // [chunks, 16 pairs, 32, 2]: 2^(score · scale − base)
    float* sum;           // [32], to which the weights are added; even for no chunks
  } now;

  struct Before {
    int chunks = 0;
    const uint16_t *values, *weights;
    float* out;  // [W, 32], to which values times weights are added
  } before;
};

// The products of an instruction set. Turns between begin() and end() stay on a thread.
struct HalfProducts {
  void (*begin)();
  void (*run)(const Turn& turn);
  void (*end)();
};

extern const HalfProducts kAvx512Products;
extern const HalfProducts kAmxProducts;

// The whole call with bf16 operands.
void attend_halves(const Attention& call, const HalfProducts& products, Team& team);

}  // namespace whinchat::kernels
