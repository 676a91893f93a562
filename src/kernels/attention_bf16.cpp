#if defined(__x86_64__)

#include "kernels/attention_bf16.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numbers>

#include "kernels/attention.h"
#include "kernels/attention_kernels.h"
#include "kernels/attention_weigh.h"
#include "kernels/team.h"

namespace whinchat::kernels {
namespace {

constexpr int kQueriesOfTask = 2 * kHalfBlock;
constexpr int kGroup = 2;  // chunks
constexpr float kUnseen = std::numeric_limits<float>::lowest();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

// The softmax is relative to a base that a group's weights may outgrow until their sum is this: far
// from overflow, and hardly any group has to rescale what came before.
constexpr float kMostWeight = 0x1p32F;

// Scratch of a block of queries. Groups of chunks take turns in its halves.
struct Block {
  const Attention* call;
  QueryBlock queries;
  float scale;           // log₂ e / √D
  float* base;           // [32], of the softmax, times scale
  float* sum;            // [32]
  float* out;            // [W, 32]
  uint16_t* q;           // [W / 2, 32, 2]
  float* scores[2];      // [kGroup, 32 keys, 32]
  uint16_t* weights[2];  // [kGroup, 16 pairs, 32, 2]
};

Block make_block(const Attention& call, int width, Arena& arena) {
  const size_t size = static_cast<size_t>(width) * kHalfBlock;
  Block block{};
  block.call = &call;
  block.scale = std::numbers::log2e_v<float> / std::sqrt(static_cast<float>(call.head_size));
  block.base = arena.take<float>(kHalfBlock);
  block.sum = arena.take<float>(kHalfBlock);
  block.out = arena.take<float>(size);
  block.q = arena.take<uint16_t>(size);
  for (int i = 0; i < 2; ++i) {
    block.scores[i] = arena.take<float>(size_t{kGroup} * kHalfSquare);
    block.weights[i] = arena.take<uint16_t>(size_t{kGroup} * kHalfSquare);
  }
  return block;
}

void write_scores(const Block& block, int begin, const float* scores) {
  const Attention& call = *block.call;
  const float scale = block.scale / std::numbers::log2e_v<float>;
  const int count = std::min(kHalfChunk, call.keys - begin);
  for (int lane = 0; lane < block.queries.count; ++lane) {
    const int t = block.queries.first + lane;
    float* row = call.scores + (int64_t{block.queries.head} * call.queries + t) * call.keys + begin;
    const int seen = std::clamp(keys_seen(call, t) - begin, 0, count);
    for (int s = 0; s < seen; ++s) row[s] = scores[s * kHalfRow + lane] * scale;
    std::fill(row + seen, row + count, -kInfinity);
  }
}

// Scores of keys that a query does not see, or that are not there, become kUnseen.
void hide_unseen(const Block& block, int begin, float* scores) {
  const Attention& call = *block.call;
  for (int s = 0; s < kHalfChunk; ++s, scores += kHalfRow) {
    int unseen = begin + s < call.keys ? 0 : kHalfBlock;
    if (unseen == 0 && call.first_position >= 0) {
      unseen = begin + s - call.first_position - block.queries.first;
    }
    if (unseen > 0) std::fill_n(scores, std::min(unseen, kHalfBlock), kUnseen);
  }
}

struct TwoVectors {
  __m512 of[2];
};

// The largest score of some keys, a multiple of 4, for each query.
[[gnu::target("avx512f"), gnu::always_inline]] inline TwoVectors largest(const float* scores,
                                                                         int keys) {
  // Four of each, or every maximum would wait for the one before.
  __m512 most[4][2];
  for (int i = 0; i < 4; ++i) {
    most[i][0] = _mm512_load_ps(scores + i * kHalfRow);
    most[i][1] = _mm512_load_ps(scores + i * kHalfRow + 16);
  }
  for (int s = 4; s < keys; s += 4) {
    for (int i = 0; i < 4; ++i) {
      const float* row = scores + (s + i) * kHalfRow;
      most[i][0] = _mm512_max_ps(most[i][0], _mm512_load_ps(row));
      most[i][1] = _mm512_max_ps(most[i][1], _mm512_load_ps(row + 16));
    }
  }
  TwoVectors result;
  for (int v = 0; v < 2; ++v) {
    result.of[v] =
        _mm512_max_ps(_mm512_max_ps(most[0][v], most[1][v]), _mm512_max_ps(most[2][v], most[3][v]));
  }
  return result;
}

// Moves the base up to the largest of these scores. `out` has all values weighed so far.
[[gnu::target("avx512f,avx512dq")]] void raise_base(const Block& block, int width,
                                                    const float* scores, int keys) {
  const TwoVectors most = largest(scores, keys);
  for (int v = 0; v < 2; ++v) {
    float* base = block.base + int64_t{16} * v;
    float* sum = block.sum + int64_t{16} * v;
    const __m512 old = _mm512_load_ps(base);
    const __m512 raised =
        _mm512_max_ps(old, _mm512_mul_ps(most.of[v], _mm512_set1_ps(block.scale)));
    const __m512 factor = exp2(_mm512_sub_ps(old, raised));
    _mm512_store_ps(base, raised);
    _mm512_store_ps(sum, _mm512_mul_ps(_mm512_load_ps(sum), factor));
    for (int j = 0; j < width; ++j) {
      float* out = block.out + j * kHalfRow + int64_t{16} * v;
      _mm512_store_ps(out, _mm512_mul_ps(_mm512_load_ps(out), factor));
    }
  }
}

// Adds a group's sums to the block's, unless a weight has outgrown the base.
[[gnu::target("avx512f")]] bool accept(const Block& block, const float* sum) {
  __mmask16 outgrown = 0;
  for (int v = 0; v < 2; ++v) {
    outgrown |= _mm512_cmp_ps_mask(_mm512_load_ps(sum + int64_t{16} * v),
                                   _mm512_set1_ps(kMostWeight), _CMP_GT_OQ);
  }
  if (outgrown != 0) return false;
  for (int v = 0; v < 2; ++v) {
    float* total = block.sum + int64_t{16} * v;
    _mm512_store_ps(total,
                    _mm512_add_ps(_mm512_load_ps(total), _mm512_load_ps(sum + int64_t{16} * v)));
  }
  return true;
}

// What is special about some chunks: scores that are wanted, keys that are not seen.
void show_and_hide(const Block& block, int begin, float* scores) {
  if (block.call->scores != nullptr) write_scores(block, begin, scores);
  if (begin + kHalfChunk > keys_seen(*block.call, block.queries.first)) {
    hide_unseen(block, begin, scores);
  }
}

// The keys and values of the block's head.
struct Head {
  const HalfProducts* products;
  int width;
  const uint16_t *keys, *values;
};

// Chunks [first, first + count), which use one half of the scratch.
struct Group {
  int first, count;

  int half() const { return first / kGroup % 2; }
};

Group group_at(int first, int chunks) { return {first, std::clamp(chunks - first, 0, kGroup)}; }

// A turn of nothing, yet.
Turn make_turn(const Block& block, const Head& head) {
  return {.width = head.width, .now = {.base = block.base, .sum = block.sum}};
}

Turn::Next next_of(const Block& block, const Head& head, Group group) {
  return {.chunks = group.count,
          .q = block.q,
          .keys = head.keys + int64_t{group.first} * kHalfChunk * head.width,
          .scores = block.scores[group.half()]};
}

Turn::Now now_of(const Block& block, Group group, float* sum) {
  return {.chunks = group.count,
          .scale = block.scale,
          .base = block.base,
          .scores = block.scores[group.half()],
          .weights = block.weights[group.half()],
          .sum = sum};
}

Turn::Before before_of(const Block& block, const Head& head, Group group) {
  return {.chunks = group.count,
          .values = head.values + int64_t{group.first} * kHalfChunk * head.width,
          .weights = block.weights[group.half()],
          .out = block.out};
}

// Weighs a group relative to a base that suits it.
void weigh_group(const Block& block, const Head& head, Group group, int chunks) {
  alignas(64) float sum[kHalfBlock] = {};
  Turn turn = make_turn(block, head);
  turn.now = now_of(block, group, sum);
  turn.next = next_of(block, head, group_at(group.first + kGroup, chunks));
  if (group.first > 0) turn.before = before_of(block, head, {group.first - kGroup, kGroup});
  head.products->run(turn);
  if (accept(block, sum)) return;
  raise_base(block, head.width, turn.now.scores, group.count * kHalfChunk);
  std::fill_n(sum, kHalfBlock, 0.0F);
  Turn again = make_turn(block, head);
  again.now = turn.now;
  head.products->run(again);
  accept(block, sum);
}

void attend_block(const Block& block, const Head& head) {
  const Attention& call = *block.call;
  std::fill_n(block.base, kHalfBlock, -kInfinity);
  std::fill_n(block.sum, kHalfBlock, 0.0F);
  std::fill_n(block.out, head.width * kHalfRow, 0.0F);
  pack_queries(call, block.queries, head.width, block.q);
  const int last = block.queries.first + block.queries.count - 1;
  const int keys = call.scores == nullptr ? keys_seen(call, last) : call.keys;
  const int chunks = (keys + kHalfChunk - 1) / kHalfChunk;
  Group group = group_at(0, chunks);
  Turn first_turn = make_turn(block, head);
  first_turn.next = next_of(block, head, group);
  head.products->run(first_turn);
  for (int first = 0; first < chunks; first += kGroup) {
    group = group_at(first, chunks);
    float* scores = block.scores[group.half()];
    for (int i = 0; i < group.count; ++i) {
      show_and_hide(block, (first + i) * kHalfChunk, scores + i * kHalfSquare);
    }
    if (first == 0) raise_base(block, head.width, scores, kHalfChunk);
    weigh_group(block, head, group, chunks);
  }
  Turn last_turn = make_turn(block, head);
  last_turn.before = before_of(block, head, group);
  head.products->run(last_turn);
  write_block(call, block.queries, block.out, block.sum);
}

}  // namespace

void attend_halves(const Attention& call, const HalfProducts& products, Team& team) {
  const Arena::Scope scope(team.arena());
  PackedKeys packed{.width = (call.head_size + 31) / 32 * 32,
                    .chunks = (call.keys + kHalfChunk - 1) / kHalfChunk};
  const size_t size = packed.head_size() * static_cast<size_t>(call.heads);
  packed.keys = team.arena().take<uint16_t>(size);
  packed.values = team.arena().take<uint16_t>(size);
  team.split(int64_t{call.heads} * packed.chunks, 1, [&](int64_t begin, int64_t end, int) {
    for (int64_t i = begin; i < end; ++i) {
      pack_keys(call, static_cast<int>(i / packed.chunks), static_cast<int>(i % packed.chunks),
                packed);
    }
  });
  const int tasks = (call.queries + kQueriesOfTask - 1) / kQueriesOfTask;
  team.each(int64_t{call.heads} * tasks, [&](int64_t index, int thread) {
    const Arena::Scope task_scope(team.arena(thread));
    Block block = make_block(call, packed.width, team.arena(thread));
    const int head = static_cast<int>(index / tasks);
    const size_t at = packed.head_size() * static_cast<size_t>(head);
    const Head operands{&products, packed.width, packed.keys + at, packed.values + at};
    products.begin();
    const int first = static_cast<int>(index % tasks) * kQueriesOfTask;
    const int end = std::min(call.queries, first + kQueriesOfTask);
    for (int t = first; t < end; t += kHalfBlock) {
      block.queries = {head, t, std::min(kHalfBlock, end - t)};
      attend_block(block, operands);
    }
    products.end();
  });
}

}  // namespace whinchat::kernels

#endif
