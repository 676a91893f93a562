// Attention of few queries, bound by reading keys and values: rows are read in order, all heads of
// a row together, each once. Keys come in short blocks, so that their scores and rows stay in L1.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/attention_few.cpp"
#include <hwy/base.h>
#include <hwy/detect_targets.h>
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

constexpr int kKeyBlock = 32;  // a multiple of 8
constexpr float kInfinity = std::numeric_limits<float>::infinity();

// to[i] = the sum of the lanes of the i-th vector.
template <class D, class V = hn::Vec<D>>
HWY_INLINE void store_sums(D d, V s0, V s1, V s2, V s3, float* to) {
#if HWY_TARGET == HWY_SCALAR  // which has no InterleaveUpper
  hn::Store(s0, d, to);
  hn::Store(s1, d, to + 1);
  hn::Store(s2, d, to + 2);
  hn::Store(s3, d, to + 3);
#else
  const V s02 = hn::Add(hn::InterleaveLower(d, s0, s2), hn::InterleaveUpper(d, s0, s2));
  const V s13 = hn::Add(hn::InterleaveLower(d, s1, s3), hn::InterleaveUpper(d, s1, s3));
  // Every 128 bits hold the four sums of their own.
  const V all = hn::Add(hn::InterleaveLower(d, s02, s13), hn::InterleaveUpper(d, s02, s13));
  if constexpr (hn::MaxLanes(D()) == 8) {
    const hn::Half<D> half;
    hn::Store(hn::Add(hn::LowerHalf(half, all), hn::UpperHalf(half, all)), half, to);
  } else {
    hn::Store(all, d, to);
  }
#endif
}

template <typename T>
struct FourKeys {
  const T *first, *second, *third, *fourth;
};

// Queries or their scores, `step` apart.
template <typename T>
struct Stepped {
  T* first;
  int64_t step;
};

// Scores of kQueries queries against four keys in the head that begins at `column`.
template <int kQueries, typename T>
HWY_INLINE void score_keys(const FourKeys<T>& keys, int64_t column, int size,
                           Stepped<const float> q, Stepped<float> scores) {
  const RowTag d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  RowVector a0 = hn::Zero(d), a1 = a0, a2 = a0, a3 = a0, b0 = a0, b1 = a0, b2 = a0, b3 = a0;
  for (int64_t i = column; i < column + size; i += lanes) {
    const RowVector k0 = load_row(d, keys.first + i);
    const RowVector k1 = load_row(d, keys.second + i);
    const RowVector k2 = load_row(d, keys.third + i);
    const RowVector k3 = load_row(d, keys.fourth + i);
    const RowVector qa = hn::LoadU(d, q.first + i);
    a0 = hn::MulAdd(qa, k0, a0);
    a1 = hn::MulAdd(qa, k1, a1);
    a2 = hn::MulAdd(qa, k2, a2);
    a3 = hn::MulAdd(qa, k3, a3);
    if constexpr (kQueries == 2) {
      const RowVector qb = hn::LoadU(d, q.first + q.step + i);
      b0 = hn::MulAdd(qb, k0, b0);
      b1 = hn::MulAdd(qb, k1, b1);
      b2 = hn::MulAdd(qb, k2, b2);
      b3 = hn::MulAdd(qb, k3, b3);
    }
  }
  store_sums(d, a0, a1, a2, a3, scores.first);
  if constexpr (kQueries == 2) store_sums(d, b0, b1, b2, b3, scores.first + scores.step);
}

// Scores of keys [begin, begin + count), to [T, H, kKeyBlock]; anything up to a multiple of 4 keys.
template <typename T>
void score_block(const Attention& call, const float* q, int begin, int count, float* scores) {
  const int64_t width = int64_t{call.heads} * call.head_size;
  const int64_t step = int64_t{call.heads} * kKeyBlock;
  const int last = begin + count - 1;
  for (int i = 0; i < count; i += 4) {
    const int at = begin + i;
    const FourKeys<T> keys{row_of<T>(call.k, at, 0), row_of<T>(call.k, std::min(at + 1, last), 0),
                           row_of<T>(call.k, std::min(at + 2, last), 0),
                           row_of<T>(call.k, std::min(at + 3, last), 0)};
    for (int j = at; j < std::min(at + 4, last + 1); ++j) {
      prefetch_row(call.v, j, 0, static_cast<int>(width));
    }
    for (int head = 0; head < call.heads; ++head) {
      const int64_t column = int64_t{head} * call.head_size;
      float* to = scores + int64_t{head} * kKeyBlock + i;
      int t = 0;
      for (; t + 2 <= call.queries; t += 2) {
        score_keys<2>(keys, column, call.head_size, {q + t * width, width}, {to + t * step, step});
      }
      if (t < call.queries) {
        score_keys<1>(keys, column, call.head_size, {q + t * width, width}, {to + t * step, step});
      }
    }
  }
}

// The block's scores of query t, to the caller's [H, T, S].
void write_scores(const Attention& call, int t, int begin, int count, const float* scores) {
  const int seen = std::clamp(keys_seen(call, t) - begin, 0, count);
  for (int head = 0; head < call.heads; ++head) {
    const float* from = scores + (int64_t{t} * call.heads + head) * kKeyBlock;
    float* to = call.scores + (int64_t{head} * call.queries + t) * call.keys + begin;
    std::copy_n(from, seen, to);
    std::fill(to + seen, to + count, -kInfinity);
  }
}

// scores [count] → e^(score − max), max and sum brought forward. Returns what scales older sums.
HWY_INLINE float softmax_block(float* HWY_RESTRICT scores, int count, float& max, float& sum) {
  const RowTag d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  std::fill(scores + count, scores + kKeyBlock, -kInfinity);
  RowVector most = hn::Set(d, max);
  for (int i = 0; i < kKeyBlock; i += lanes) most = hn::Max(most, hn::Load(d, scores + i));
  most = hn::MaxOfLanes(d, most);
  RowVector total = hn::Zero(d);
  for (int i = 0; i < kKeyBlock; i += lanes) {
    const RowVector p = exp(d, hn::Sub(hn::Load(d, scores + i), most));
    hn::Store(p, d, scores + i);
    total = hn::Add(total, p);
  }
  const float rescale = hn::GetLane(exp(d, hn::Sub(hn::Set(d, max), most)));
  max = hn::GetLane(most);
  sum = sum * rescale + hn::GetLane(hn::SumOfLanes(d, total));
  return rescale;
}

// out = out · rescale + Σ p · value over kVectors vectors of a head. Every sum has a name.
template <int kVectors, typename T>
HWY_INLINE void add_values(const T* HWY_RESTRICT value, int64_t stride, int count, const float* p,
                           float rescale, float* HWY_RESTRICT out) {
  const RowTag d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const RowVector scale = hn::Set(d, rescale);
  const auto old = [=](int i) HWY_ATTR {
    return i < kVectors ? hn::Mul(hn::Load(d, out + i * lanes), scale) : hn::Zero(d);
  };
  RowVector s0 = old(0), s1 = old(1), s2 = old(2), s3 = old(3);
  RowVector s4 = old(4), s5 = old(5), s6 = old(6), s7 = old(7);
  for (int k = 0; k < count; ++k, value += stride) {
    const RowVector weight = hn::Set(d, p[k]);
    const auto add = [=](int i, RowVector& sum) HWY_ATTR {
      sum = hn::MulAdd(weight, load_row(d, value + i * lanes), sum);
    };
    add(0, s0);
    if constexpr (kVectors > 1) add(1, s1);
    if constexpr (kVectors > 2) add(2, s2), add(3, s3);
    if constexpr (kVectors > 4) add(4, s4), add(5, s5), add(6, s6), add(7, s7);
  }
  const auto put = [=](int i, RowVector sum) HWY_ATTR {
    if (i < kVectors) hn::Store(sum, d, out + i * lanes);
  };
  put(0, s0), put(1, s1), put(2, s2), put(3, s3);
  put(4, s4), put(5, s5), put(6, s6), put(7, s7);
}

template <typename T>
void add_block(const Attention& call, int t, int begin, int count, float* scores,
               PartialAttention part) {
  const int lanes = static_cast<int>(hn::Lanes(RowTag()));
  for (int head = 0; head < call.heads; ++head) {
    const int64_t at = int64_t{t} * call.heads + head;
    float* p = scores + at * kKeyBlock;
    const float rescale = softmax_block(p, count, part.max[at], part.sum[at]);
    const T* value = row_of<T>(call.v, begin, int64_t{head} * call.head_size);
    float* out = part.out + at * call.head_size;
    int i = 0;
    for (; i + 8 * lanes <= call.head_size; i += 8 * lanes) {
      add_values<8>(value + i, call.v.stride, count, p, rescale, out + i);
    }
    for (; i + 4 * lanes <= call.head_size; i += 4 * lanes) {
      add_values<4>(value + i, call.v.stride, count, p, rescale, out + i);
    }
    for (; i < call.head_size; i += lanes) {
      add_values<1>(value + i, call.v.stride, count, p, rescale, out + i);
    }
  }
}

template <typename T>
void attend_rows(const Attention& call, const float* q, int begin, int end, PartialAttention part,
                 float* scores) {
  for (int at = begin; at < end; at += kKeyBlock) {
    const int count = std::min(kKeyBlock, end - at);
    score_block<T>(call, q, at, count, scores);
    for (int t = 0; t < call.queries; ++t) {
      if (call.scores != nullptr) write_scores(call, t, at, count, scores);
      const int seen = std::min(count, keys_seen(call, t) - at);
      if (seen > 0) add_block<T>(call, t, at, seen, scores, part);
    }
  }
}

}  // namespace

void scale_queries(const Attention& call, float* q) {
  const int width = call.heads * call.head_size;
  const float scale = 1 / std::sqrt(static_cast<float>(call.head_size));
  for (int t = 0; t < call.queries; ++t) {
    read_row(call.q, t, 0, width, scale, q + int64_t{t} * width);
  }
}

void attend_keys(const Attention& call, const float* q, int begin, int end, PartialAttention part,
                 Arena& arena) {
  const Arena::Scope scope(arena);
  const size_t rows = static_cast<size_t>(call.queries) * static_cast<size_t>(call.heads);
  float* scores = arena.take<float>(rows * kKeyBlock);
  std::fill_n(part.max, rows, -kInfinity);
  std::fill_n(part.sum, rows, 0.0F);
  std::fill_n(part.out, rows * static_cast<size_t>(call.head_size), 0.0F);
  switch (call.k.type) {
    case Element::F32:
      return attend_rows<float>(call, q, begin, end, part, scores);
    case Element::F16:
      return attend_rows<hwy::float16_t>(call, q, begin, end, part, scores);
    case Element::BF16:
      return attend_rows<hwy::bfloat16_t>(call, q, begin, end, part, scores);
  }
}

void combine_parts(const Attention& call, const PartialAttention* parts, int count, Arena& arena) {
  const Arena::Scope scope(arena);
  const int size = call.head_size;
  float* row = arena.take<float>(static_cast<size_t>(size));
  for (int64_t at = 0; at < int64_t{call.queries} * call.heads; ++at) {
    float max = -kInfinity;
    for (int i = 0; i < count; ++i) max = std::max(max, parts[i].max[at]);
    float sum = 0;
    std::fill_n(row, size, 0.0F);
    for (int i = 0; i < count; ++i) {
      const float weight = std::exp(parts[i].max[at] - max);
      sum += parts[i].sum[at] * weight;
      const float* out = parts[i].out + at * size;
      for (int j = 0; j < size; ++j) row[j] += out[j] * weight;
    }
    write_row(row, size, 1 / sum, call.out, at / call.heads, at % call.heads * size);
  }
}

}  // namespace whinchat::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace whinchat::kernels {
namespace {
HWY_EXPORT(scale_queries);
HWY_EXPORT(attend_keys);
HWY_EXPORT(combine_parts);
}  // namespace

void scale_queries(const Attention& call, float* q) {
  HWY_DYNAMIC_DISPATCH(scale_queries)(call, q);
}

void attend_keys(const Attention& call, const float* q, int begin, int end, PartialAttention part,
                 Arena& arena) {
  HWY_DYNAMIC_DISPATCH(attend_keys)(call, q, begin, end, part, arena);
}

void combine_parts(const Attention& call, const PartialAttention* parts, int count, Arena& arena) {
  HWY_DYNAMIC_DISPATCH(combine_parts)(call, parts, count, arena);
}

}  // namespace whinchat::kernels

#endif  // HWY_ONCE
