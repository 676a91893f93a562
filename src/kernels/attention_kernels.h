// The two forms of attention behind attend(), each compiled for every Highway target, and the bf16
// one of AVX-512 and AMX. attention.cpp chooses and shares the work out; these run on one thread.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/attention.h"
#include "kernels/team.h"

namespace whinchat::kernels {

// Keys [0, keys_seen) are seen by query t.
inline int keys_seen(const Attention& call, int t) {
  if (call.first_position < 0 || call.first_position >= call.keys - t) return call.keys;
  return call.first_position + t + 1;
}

// Queries [first, first + count) of a head.
struct QueryBlock {
  int head, first, count;
};

// What some of the keys contribute: softmax relative to the largest of their scores.
struct PartialAttention {
  float* max;  // [T, H]; −∞ where the query sees none of them
  float* sum;  // [T, H]
  float* out;  // [T, H · D], not yet divided by sum
};

// Many queries: tiles of queries and keys in registers.
void attend_tiles(const Attention& call, QueryBlock block, Arena& arena);

// Few queries: every row of keys and values is read once, all heads of it together. `q` is
// [T, H · D], scaled by 1/√D.
void scale_queries(const Attention& call, float* q);
void attend_keys(const Attention& call, const float* q, int begin, int end, PartialAttention part,
                 Arena& arena);
void combine_parts(const Attention& call, const PartialAttention* parts, int count, Arena& arena);

}  // namespace whinchat::kernels
