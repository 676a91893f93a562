#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include "kernels/choose.h"

namespace whinchat::kernels {
namespace {

constexpr float kNever = -std::numeric_limits<float>::infinity();

float rank_of(float logit) { return std::isnan(logit) ? kNever : logit; }

float greatest(std::span<const float> logits) {
  float greatest = kNever;
  for (const float logit : logits) greatest = std::max(greatest, rank_of(logit));
  return greatest;
}

}  // namespace

void apply_filters_reference(const LogitFilters& filters, std::span<float> logits) {
  const auto size = static_cast<int32_t>(logits.size());
  for (const int32_t id : filters.repetition.ids) {
    float& logit = logits[static_cast<size_t>(id)];
    logit = logit < 0 ? logit * filters.repetition.penalty : logit / filters.repetition.penalty;
  }
  for (const int32_t id : filters.suppressed) logits[static_cast<size_t>(id)] = kNever;
  for (const IdRange& range : filters.forbidden) {
    for (int32_t id = range.begin; id < std::min(range.end, size); ++id) {
      logits[static_cast<size_t>(id)] = kNever;
    }
  }
  if (filters.timestamp_begin < 0 || filters.timestamp_begin > size) return;
  const auto text = logits.first(static_cast<size_t>(filters.timestamp_begin));
  const auto timestamps = logits.subspan(text.size());
  if (log_sum_exp_reference(timestamps) > greatest(text)) std::ranges::fill(text, kNever);
}

Chosen choose_likeliest_reference(std::span<const float> logits) {
  Chosen chosen{};
  choose_top_k_reference(logits, {&chosen, 1});
  return chosen;
}

void choose_top_k_reference(std::span<const float> logits, std::span<Chosen> best) {
  std::vector<int32_t> ids(logits.size());
  std::iota(ids.begin(), ids.end(), 0);
  const auto logit_of = [&](int32_t id) { return logits[static_cast<size_t>(id)]; };
  std::ranges::sort(ids, [&](int32_t a, int32_t b) {
    const float first = rank_of(logit_of(a));
    const float second = rank_of(logit_of(b));
    return first > second || (first == second && a < b);
  });
  const double total = log_sum_exp_reference(logits);
  for (size_t i = 0; i < best.size(); ++i) {
    best[i] = {ids[i], static_cast<float>(rank_of(logit_of(ids[i])) - total)};
  }
}

double log_sum_exp_reference(std::span<const float> logits) {
  const double shift = greatest(logits) == kNever ? 0 : greatest(logits);
  double sum = 0;
  for (const float logit : logits) sum += std::exp(logit - shift);
  return shift + std::log(sum);
}

}  // namespace whinchat::kernels
