// Attention of many queries. Lanes are queries: softmax needs no sum across lanes, and both
// products have the same shape, rows of one operand broadcast against a panel of queries in two
// vectors. Keys come in blocks, whose scores stay in L1; the softmax is rescaled from block to
// block.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/attention_tiles.cpp"
#include <hwy/base.h>
#include <hwy/foreach_target.h>
// Behind foreach_target.h, as Highway has it.
#include <hwy/highway.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "kernels/attention.h"
#include "kernels/attention_kernels.h"
#include "kernels/attention_rows-inl.h"
#include "kernels/element.h"
#include "kernels/math-inl.h"
#include "kernels/team.h"

HWY_BEFORE_NAMESPACE();
namespace whinchat::kernels::HWY_NAMESPACE {
namespace {

constexpr int kTileRows = 6;    // 6 × 2 sums, 2 vectors of the panel, 1 broadcast: 15 registers
constexpr int kKeyBlock = 192;  // a multiple of kTileRows; keys, values, scores: 110 KB for D = 64
constexpr int kRowsAhead = 12;  // fetched while a row is copied
constexpr float kUnseen = std::numeric_limits<float>::lowest();

using Lanes = hn::ScalableTag<float>;
using Vector = hn::Vec<Lanes>;

HWY_INLINE int panel_width() { return 2 * static_cast<int>(hn::Lanes(Lanes())); }

// So many keys or columns, filled up to whole tiles.
constexpr int in_tiles(int count) { return (count + kTileRows - 1) / kTileRows * kTileRows; }

// A matrix whose element (row, k) is data[row * row_step + k * k_step].
struct Steps {
  ptrdiff_t row, k;
};

// Factors of a panel's two vectors of lanes.
struct Rescale {
  Vector first, second;
};

// to[r] = to[r] · scale + Σ_k a(r, k) · panel[k] for kTileRows rows, in each of the panel's lanes;
// no `to[r] · scale` where not kAdd. Every sum has a name: GCC spills an array of them.
template <bool kAdd>
HWY_INLINE void multiply_tile(const float* HWY_RESTRICT a, Steps step, int depth,
                              const float* HWY_RESTRICT panel, const Rescale& scale,
                              float* HWY_RESTRICT to) {
  const Lanes d;
  const size_t lanes = hn::Lanes(d);
  const float* HWY_RESTRICT a1 = a + step.row;
  const float* HWY_RESTRICT a2 = a1 + step.row;
  const float* HWY_RESTRICT a3 = a2 + step.row;
  const float* HWY_RESTRICT a4 = a3 + step.row;
  const float* HWY_RESTRICT a5 = a4 + step.row;
  Vector c00 = hn::Zero(d), c01 = c00, c10 = c00, c11 = c00, c20 = c00, c21 = c00;
  Vector c30 = c00, c31 = c00, c40 = c00, c41 = c00, c50 = c00, c51 = c00;
  const auto add = [](const float* at, Vector p0, Vector p1, Vector& s0, Vector& s1) HWY_ATTR {
    const Vector value = hn::Set(Lanes(), *at);
    s0 = hn::MulAdd(value, p0, s0);
    s1 = hn::MulAdd(value, p1, s1);
  };
  for (ptrdiff_t k = 0, at = 0; k < depth; ++k, at += step.k, panel += 2 * lanes) {
    const Vector p0 = hn::Load(d, panel);
    const Vector p1 = hn::Load(d, panel + lanes);
    add(a + at, p0, p1, c00, c01);
    add(a1 + at, p0, p1, c10, c11);
    add(a2 + at, p0, p1, c20, c21);
    add(a3 + at, p0, p1, c30, c31);
    add(a4 + at, p0, p1, c40, c41);
    add(a5 + at, p0, p1, c50, c51);
  }
  const auto put = [&](Vector s0, Vector s1, float* row) HWY_ATTR {
    if constexpr (kAdd) {
      s0 = hn::MulAdd(hn::Load(Lanes(), row), scale.first, s0);
      s1 = hn::MulAdd(hn::Load(Lanes(), row + lanes), scale.second, s1);
    }
    hn::Store(s0, Lanes(), row);
    hn::Store(s1, Lanes(), row + lanes);
  };
  put(c00, c01, to);
  put(c10, c11, to + 2 * lanes);
  put(c20, c21, to + 4 * lanes);
  put(c30, c31, to + 6 * lanes);
  put(c40, c41, to + 8 * lanes);
  put(c50, c51, to + 10 * lanes);
}

// Scratch of a block of queries; W is panel_width(). A panel's part of each comes after another's.
struct Scratch {
  float* q;       // [panels, D, W], scaled
  float* out;     // [panels, in_tiles(D), W], not yet divided by sum
  float* max;     // [panels, W]
  float* sum;     // [panels, W]
  float* keys;    // [kKeyBlock, D]
  float* values;  // [tiles of D, kKeyBlock, kTileRows]: rows of D share few sets of L1
  float* scores;  // [kKeyBlock, W] of one panel
  float* row;     // [D]
};

Scratch make_scratch(int panels, int size, Arena& arena) {
  const size_t lanes = static_cast<size_t>(panels) * static_cast<size_t>(panel_width());
  const auto head_size = static_cast<size_t>(size);
  const auto columns = static_cast<size_t>(in_tiles(size));
  Scratch scratch{};
  scratch.q = arena.take<float>(lanes * head_size);
  scratch.out = arena.take<float>(lanes * columns);
  scratch.max = arena.take<float>(lanes);
  scratch.sum = arena.take<float>(lanes);
  scratch.keys = arena.take<float>(kKeyBlock * head_size);
  scratch.values = arena.take<float>(kKeyBlock * columns);
  scratch.scores = arena.take<float>(kKeyBlock * static_cast<size_t>(panel_width()));
  scratch.row = arena.take<float>(head_size);
  std::fill_n(scratch.q, lanes * head_size, 0.0F);
  std::fill_n(scratch.out, lanes * columns, 0.0F);
  // The columns behind D.
  std::fill_n(scratch.values + kKeyBlock * (columns - kTileRows), kKeyBlock * kTileRows, 0.0F);
  std::fill_n(scratch.max, lanes, kUnseen);
  std::fill_n(scratch.sum, lanes, 0.0F);
  return scratch;
}

void pack_queries(const Attention& call, QueryBlock block, const Scratch& scratch) {
  const int width = panel_width();
  const float scale = 1 / std::sqrt(static_cast<float>(call.head_size));
  for (int i = 0; i < block.count; ++i) {
    read_row(call.q, block.first + i, int64_t{block.head} * call.head_size, call.head_size, scale,
             scratch.row);
    float* panel = scratch.q + int64_t{i / width} * width * call.head_size + i % width;
    for (int j = 0; j < call.head_size; ++j) panel[int64_t{j} * width] = scratch.row[j];
  }
}

void write_results(const Attention& call, QueryBlock block, const Scratch& scratch) {
  const int width = panel_width();
  for (int i = 0; i < block.count; ++i) {
    const float* panel =
        scratch.out + int64_t{i / width} * width * in_tiles(call.head_size) + i % width;
    for (int j = 0; j < call.head_size; ++j) scratch.row[j] = panel[int64_t{j} * width];
    write_row(scratch.row, call.head_size, 1 / scratch.sum[i], call.out, block.first + i,
              int64_t{block.head} * call.head_size);
  }
}

// A row of values → its place in every tile of columns.
HWY_INLINE void scatter_values(const float* row, int size, float* to) {
  for (int j = 0; j < size; j += kTileRows) {
    const int columns = std::min(kTileRows, size - j);
    std::copy_n(row + j, columns, to + int64_t{j} * kKeyBlock);
  }
}

// Keys and values [begin, begin + count) of a head; zeros up to a multiple of kTileRows keys.
void copy_keys(const Attention& call, int head, int begin, int count, const Scratch& scratch) {
  const int64_t column = int64_t{head} * call.head_size;
  for (int i = 0; i < count; ++i) {
    const int64_t at = int64_t{i} * call.head_size;
    // A head's rows lie too far apart for the processor to fetch them ahead by itself.
    if (i + kRowsAhead < count) {
      prefetch_row(call.k, begin + i + kRowsAhead, column, call.head_size);
      prefetch_row(call.v, begin + i + kRowsAhead, column, call.head_size);
    }
    read_row(call.k, begin + i, column, call.head_size, 1, scratch.keys + at);
    read_row(call.v, begin + i, column, call.head_size, 1, scratch.row);
    scatter_values(scratch.row, call.head_size, scratch.values + int64_t{i} * kTileRows);
  }
  std::fill(scratch.keys + int64_t{count} * call.head_size,
            scratch.keys + int64_t{in_tiles(count)} * call.head_size, 0.0F);
}

// One panel of queries [first, first + W) against the block of keys [begin, begin + count).
struct PanelTask {
  int head, first, queries;  // `queries` of the W are real
  int begin, count;
  const float* q;
  float *out, *max, *sum;
};

void write_scores(const Attention& call, const PanelTask& task, const float* scores) {
  const int width = panel_width();
  for (int lane = 0; lane < task.queries; ++lane) {
    const int t = task.first + lane;
    float* row = call.scores + (int64_t{task.head} * call.queries + t) * call.keys + task.begin;
    const int seen = std::clamp(keys_seen(call, t) - task.begin, 0, task.count);
    for (int i = 0; i < seen; ++i) row[i] = scores[int64_t{i} * width + lane];
    std::fill(row + seen, row + task.count, -std::numeric_limits<float>::infinity());
  }
}

// Scores of keys that a query does not see become kUnseen.
void hide_unseen(const Attention& call, const PanelTask& task, float* scores) {
  const int width = panel_width();
  for (int i = 0; i < task.count; ++i) {
    const int unseen = task.begin + i - call.first_position - task.first;
    if (unseen > 0) std::fill_n(scores + int64_t{i} * width, std::min(unseen, width), kUnseen);
  }
}

// Scores [count, W] → e^(score − max), with max and sum brought forward to this block.
HWY_INLINE Rescale softmax_block(float* HWY_RESTRICT scores, int count, float* max, float* sum) {
  const Lanes d;
  const size_t lanes = hn::Lanes(d);
  const Vector old0 = hn::Load(d, max);
  const Vector old1 = hn::Load(d, max + lanes);
  Vector max0 = old0;
  Vector max1 = old1;
  const float* end = scores + static_cast<size_t>(count) * 2 * lanes;
  for (const float* at = scores; at < end; at += 2 * lanes) {
    max0 = hn::Max(max0, hn::Load(d, at));
    max1 = hn::Max(max1, hn::Load(d, at + lanes));
  }
  Vector sum0 = hn::Zero(d);
  Vector sum1 = sum0;
  for (float* at = scores; at < end; at += 2 * lanes) {
    const Vector p0 = exp(d, hn::Sub(hn::Load(d, at), max0));
    const Vector p1 = exp(d, hn::Sub(hn::Load(d, at + lanes), max1));
    hn::Store(p0, d, at);
    hn::Store(p1, d, at + lanes);
    sum0 = hn::Add(sum0, p0);
    sum1 = hn::Add(sum1, p1);
  }
  const Rescale rescale{exp(d, hn::Sub(old0, max0)), exp(d, hn::Sub(old1, max1))};
  hn::Store(max0, d, max);
  hn::Store(max1, d, max + lanes);
  hn::Store(hn::MulAdd(hn::Load(d, sum), rescale.first, sum0), d, sum);
  hn::Store(hn::MulAdd(hn::Load(d, sum + lanes), rescale.second, sum1), d, sum + lanes);
  return rescale;
}

HWY_NOINLINE void attend_panel(const Attention& call, const PanelTask& task,
                               const Scratch& scratch) {
  const int width = panel_width();
  const int size = call.head_size;
  const Vector zero = hn::Zero(Lanes());
  for (int i = 0; i < task.count; i += kTileRows) {
    multiply_tile<false>(scratch.keys + int64_t{i} * size, {size, 1}, size, task.q, {zero, zero},
                         scratch.scores + int64_t{i} * width);
  }
  if (call.scores != nullptr) write_scores(call, task, scratch.scores);
  if (task.begin + task.count > keys_seen(call, task.first)) {
    hide_unseen(call, task, scratch.scores);
  }
  const Rescale by = softmax_block(scratch.scores, task.count, task.max, task.sum);
  for (int j = 0; j < in_tiles(size); j += kTileRows) {
    multiply_tile<true>(scratch.values + int64_t{j} * kKeyBlock, {1, kTileRows}, task.count,
                        scratch.scores, by, task.out + int64_t{j} * width);
  }
}

}  // namespace

void attend_tiles(const Attention& call, QueryBlock block, Arena& arena) {
  const int width = panel_width();
  const int panels = (block.count + width - 1) / width;
  const Arena::Scope scope(arena);
  const Scratch scratch = make_scratch(panels, call.head_size, arena);
  pack_queries(call, block, scratch);
  const int keys =
      call.scores == nullptr ? keys_seen(call, block.first + block.count - 1) : call.keys;
  for (int begin = 0; begin < keys; begin += kKeyBlock) {
    const int count = std::min(kKeyBlock, keys - begin);
    copy_keys(call, block.head, begin, count, scratch);
    for (int panel = 0; panel < panels; ++panel) {
      const int64_t lane = int64_t{panel} * width;
      const int first = block.first + panel * width;
      const int queries = std::min(width, block.count - panel * width);
      const bool seen = begin < keys_seen(call, first + queries - 1);
      if (!seen && call.scores == nullptr) continue;
      const PanelTask task{.head = block.head,
                           .first = first,
                           .queries = queries,
                           .begin = begin,
                           .count = count,
                           .q = scratch.q + lane * call.head_size,
                           .out = scratch.out + lane * in_tiles(call.head_size),
                           .max = scratch.max + lane,
                           .sum = scratch.sum + lane};
      attend_panel(call, task, scratch);
    }
  }
  write_results(call, block, scratch);
}

}  // namespace whinchat::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace whinchat::kernels {
namespace {
HWY_EXPORT(attend_tiles);
}

void attend_tiles(const Attention& call, QueryBlock block, Arena& arena) {
  HWY_DYNAMIC_DISPATCH(attend_tiles)(call, block, arena);
}

}  // namespace whinchat::kernels

#endif  // HWY_ONCE
