#include "kernels/choose.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "base/error.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/choose.cpp"
#include <hwy/base.h>
#include <hwy/foreach_target.h>
// Behind foreach_target.h, as Highway has it.
#include <hwy/highway.h>

#include "kernels/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace whinchat::kernels::HWY_NAMESPACE {

using One = hn::CappedTag<float, 1>;  // for the end of the row

// −∞ for none. Comparisons leave out NaN, which Max would take on some processors.
float greatest(const float* x, size_t count) {
  const hn::ScalableTag<float> d;
  const size_t lanes = hn::Lanes(d);
  float last = -std::numeric_limits<float>::infinity();
  auto max0 = hn::Set(d, last);
  auto max1 = max0;
  auto max2 = max0;
  auto max3 = max0;
  const auto raise = [](auto value, auto& max)
                         HWY_ATTR { max = hn::IfThenElse(hn::Gt(value, max), value, max); };
  size_t i = 0;
  for (; i + 4 * lanes <= count; i += 4 * lanes) {
    raise(hn::LoadU(d, x + i), max0);
    raise(hn::LoadU(d, x + i + lanes), max1);
    raise(hn::LoadU(d, x + i + 2 * lanes), max2);
    raise(hn::LoadU(d, x + i + 3 * lanes), max3);
  }
  for (; i + lanes <= count; i += lanes) raise(hn::LoadU(d, x + i), max0);
  for (; i < count; ++i) last = x[i] > last ? x[i] : last;
  const auto all = hn::Max(hn::Max(max0, max1), hn::Max(max2, max3));
  return std::max(last, hn::GetLane(hn::MaxOfLanes(d, all)));
}

// The lowest index of that value, or count.
size_t first_of(float value, const float* x, size_t count) {
  const hn::ScalableTag<float> d;
  const auto wanted = hn::Set(d, value);
  size_t i = 0;
  for (; i + hn::Lanes(d) <= count; i += hn::Lanes(d)) {
    const intptr_t found = hn::FindFirstTrue(d, hn::Eq(hn::LoadU(d, x + i), wanted));
    if (found >= 0) return i + static_cast<size_t>(found);
  }
  while (i < count && x[i] != value) ++i;
  return i;
}

// Σ exp(x − shift). Short sums in f32, their total in f64: 50 000 small terms are not lost.
double sum_of_exp(float shift, const float* x, size_t count) {
  const hn::ScalableTag<float> d;
  const size_t lanes = hn::Lanes(d);
  const auto shifts = hn::Set(d, shift);
  const auto term = [&](size_t i) HWY_ATTR { return exp(d, hn::Sub(hn::LoadU(d, x + i), shifts)); };
  double total = 0;
  size_t i = 0;
  while (i + 4 * lanes <= count) {
    const size_t end = std::min(count, i + 64 * lanes);
    auto sum0 = hn::Zero(d);
    auto sum1 = sum0;
    auto sum2 = sum0;
    auto sum3 = sum0;
    for (; i + 4 * lanes <= end; i += 4 * lanes) {
      sum0 = hn::Add(sum0, term(i));
      sum1 = hn::Add(sum1, term(i + lanes));
      sum2 = hn::Add(sum2, term(i + 2 * lanes));
      sum3 = hn::Add(sum3, term(i + 3 * lanes));
    }
    const auto all = hn::Add(hn::Add(sum0, sum1), hn::Add(sum2, sum3));
    total += static_cast<double>(hn::GetLane(hn::SumOfLanes(d, all)));
  }
  for (; i < count; ++i) {
    const auto last = exp(One(), hn::Sub(hn::LoadU(One(), x + i), hn::Set(One(), shift)));
    total += static_cast<double>(hn::GetLane(last));
  }
  return total;
}

// Puts a logit where it belongs among the best, behind its equals; the last one falls out.
HWY_INLINE void insert(size_t index, float logit, Chosen* best, size_t size) {
  size_t at = size - 1;
  for (; at > 0 && logit > best[at - 1].logprob; --at) best[at] = best[at - 1];
  best[at] = {static_cast<int32_t>(index), logit};
}

// Leaves logits where log-probabilities go. `best` holds the first `size` of them on entry, sorted.
// Few logits of the rest are above the worst of the best: whole vectors are skipped.
void raise_best(const float* x, size_t count, Chosen* best, size_t size) {
  const hn::ScalableTag<float> d;
  const size_t lanes = hn::Lanes(d);
  size_t i = size;
  for (; i + lanes <= count; i += lanes) {
    const auto worst = hn::Set(d, best[size - 1].logprob);
    if (hn::AllFalse(d, hn::Gt(hn::LoadU(d, x + i), worst))) continue;
    for (size_t j = i; j < i + lanes; ++j) {
      if (x[j] > best[size - 1].logprob) insert(j, x[j], best, size);
    }
  }
  for (; i < count; ++i) {
    if (x[i] > best[size - 1].logprob) insert(i, x[i], best, size);
  }
}

}  // namespace whinchat::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace whinchat::kernels {
namespace {

HWY_EXPORT(greatest);
HWY_EXPORT(first_of);
HWY_EXPORT(sum_of_exp);
HWY_EXPORT(raise_best);

constexpr float kNever = -std::numeric_limits<float>::infinity();

// log Σ exp(logits) = shift + log(sum); the shift is 0 where no logit is allowed.
struct ExpSum {
  float shift;
  double sum;
};

float greatest_of(std::span<const float> logits) {
  return HWY_DYNAMIC_DISPATCH(greatest)(logits.data(), logits.size());
}

ExpSum exp_sum_of(std::span<const float> logits, float greatest) {
  const float shift = greatest == kNever ? 0.0F : greatest;
  return {shift, HWY_DYNAMIC_DISPATCH(sum_of_exp)(shift, logits.data(), logits.size())};
}

double log_of(const ExpSum& sum) { return double{sum.shift} + std::log(sum.sum); }

float logprob_of(float logit, const ExpSum& among) {
  return static_cast<float>(double{logit} - among.shift - std::log(among.sum));
}

float& at(std::span<float> logits, int32_t id) {
  if (id < 0 || static_cast<size_t>(id) >= logits.size()) {
    base::fail(ErrorKind::Internal, "[kernels.apply_filters] expected ids of a row of {}, got {}",
               logits.size(), id);
  }
  return logits[static_cast<size_t>(id)];
}

}  // namespace

void apply_filters(const LogitFilters& filters, std::span<float> logits) {
  const auto size = static_cast<int32_t>(logits.size());
  const float penalty = filters.repetition.penalty;
  for (const int32_t id : filters.repetition.ids) {
    float& logit = at(logits, id);
    logit = logit < 0 ? logit * penalty : logit / penalty;
  }
  for (const int32_t id : filters.suppressed) at(logits, id) = kNever;
  for (const IdRange& range : filters.forbidden) {
    if (range.begin < 0) {
      base::fail(ErrorKind::Internal,
                 "[kernels.apply_filters] expected ranges from 0 on, got one from {}", range.begin);
    }
    const int32_t end = std::min(range.end, size);
    for (int32_t id = range.begin; id < end; ++id) logits[static_cast<size_t>(id)] = kNever;
  }
  if (filters.timestamp_begin < 0 || filters.timestamp_begin > size) return;
  const std::span<float> text = logits.first(static_cast<size_t>(filters.timestamp_begin));
  const std::span<float> timestamps = logits.subspan(text.size());
  const double together = log_of(exp_sum_of(timestamps, greatest_of(timestamps)));
  if (together > greatest_of(text)) std::ranges::fill(text, kNever);
}

Chosen choose_likeliest(std::span<const float> logits) {
  const float greatest = greatest_of(logits);
  const size_t first = HWY_DYNAMIC_DISPATCH(first_of)(greatest, logits.data(), logits.size());
  const size_t token = greatest == kNever ? 0 : first;
  return {static_cast<int32_t>(token), logprob_of(greatest, exp_sum_of(logits, greatest))};
}

void choose_top_k(std::span<const float> logits, std::span<Chosen> best) {
  if (best.size() > logits.size()) {
    base::fail(ErrorKind::Internal, "[kernels.choose_top_k] expected at least {} logits, got {}",
               best.size(), logits.size());
  }
  if (best.empty()) return;
  for (size_t i = 0; i < best.size(); ++i) {
    best[i] = {static_cast<int32_t>(i), std::isnan(logits[i]) ? kNever : logits[i]};
  }
  std::ranges::sort(best, [](const Chosen& a, const Chosen& b) {
    return a.logprob > b.logprob || (a.logprob == b.logprob && a.token < b.token);
  });
  HWY_DYNAMIC_DISPATCH(raise_best)(logits.data(), logits.size(), best.data(), best.size());
  const ExpSum sum = exp_sum_of(logits, best.front().logprob);
  for (Chosen& each : best) each.logprob = logprob_of(each.logprob, sum);
}

float log_sum_exp(std::span<const float> logits) {
  return static_cast<float>(log_of(exp_sum_of(logits, greatest_of(logits))));
}

}  // namespace whinchat::kernels

#endif  // HWY_ONCE
