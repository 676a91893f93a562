#include "ops/logits.h"

#include <mlx/array.h>
#include <mlx/dtype.h>
#include <mlx/ops.h>
#include <mlx/transforms.h>

#include <cstdint>
#include <span>
#include <variant>

#include "ops/choose.h"
#include "ops/fast/logits.h"
#include "ops/layers.h"
#include "ops/parameter.h"
#include "ops/runtime.h"

namespace whinchat::ops {
namespace {

// Position t of logits [B, T, V] → [B, V] f32.
mx::array at_position(const mx::array& logits, int t) {
  const mx::Shape& shape = logits.shape();
  const mx::array row = mx::slice(logits, {0, t, 0}, {shape[0], t + 1, shape[2]});
  return mx::astype(mx::reshape(row, {shape[0], shape[2]}), mx::float32);
}

}  // namespace

Vocabulary make_vocabulary(const Runtime& runtime, const VocabularyParameters& layer) {
  if (runtime.cpu) return fast::make_vocabulary(runtime.cpu, layer);
  return PlainVocabulary{to_array(layer.embedding, runtime.dtype),
                         to_array(layer.positions, runtime.dtype),
                         make_norm(layer.norm, runtime.dtype)};
}

mx::array embed(const mx::array& tokens, const Vocabulary& layer, int offset) {
  if (const auto form = packed(layer)) return fast::embed(tokens, form, offset);
  const auto& plain = std::get<PlainVocabulary>(layer);
  const int end = offset + tokens.shape(1);
  const mx::array rows = mx::slice(plain.positions, {offset, 0}, {end, plain.positions.shape(1)});
  return mx::add(mx::take(plain.embedding, tokens, 0), rows);
}

Logits norm_logits(const mx::array& x, const Vocabulary& layer) {
  if (const auto form = packed(layer)) return Logits(fast::PendingLogits{x, form});
  const auto& plain = std::get<PlainVocabulary>(layer);
  return Logits(mx::matmul(apply(plain.norm, x), mx::transpose(plain.embedding)));
}

mx::array Logits::values() const {
  if (const auto* pending = std::get_if<fast::PendingLogits>(&form_)) return values_of(*pending);
  return std::get<mx::array>(form_);
}

int Logits::length() const {
  if (const auto* pending = std::get_if<fast::PendingLogits>(&form_)) return pending->x.shape(1);
  return std::get<mx::array>(form_).shape(1);
}

void Logits::start() const {
  const auto* pending = std::get_if<fast::PendingLogits>(&form_);
  mx::async_eval(pending != nullptr ? pending->x : std::get<mx::array>(form_));
}

Choice Logits::choose_greedy(int position, LogitMasks masks) const {
  if (const auto* pending = std::get_if<fast::PendingLogits>(&form_)) {
    return fast::choose_greedy(*pending, position, masks);
  }
  return ops::choose_greedy(at_position(std::get<mx::array>(form_), position), masks);
}

Choice Logits::choose_top_k(int position, LogitMasks masks, int k) const {
  if (const auto* pending = std::get_if<fast::PendingLogits>(&form_)) {
    return fast::choose_top_k(*pending, position, masks, k);
  }
  return ops::choose_top_k(at_position(std::get<mx::array>(form_), position), masks, k);
}

mx::array Logits::filtered_logprobs(int position, LogitMasks masks) const {
  if (const auto* pending = std::get_if<fast::PendingLogits>(&form_)) {
    return fast::filtered_logprobs(*pending, position, masks);
  }
  return ops::filtered_logprobs(at_position(std::get<mx::array>(form_), position), masks);
}

mx::array Logits::probability_of(int position, int32_t token) const {
  if (const auto* pending = std::get_if<fast::PendingLogits>(&form_)) {
    return fast::probability_of(*pending, position, token);
  }
  return ops::probability_of(at_position(std::get<mx::array>(form_), position), token);
}

mx::array Logits::probabilities_of(int first, std::span<const int32_t> tokens, int32_t end) const {
  if (const auto* pending = std::get_if<fast::PendingLogits>(&form_)) {
    return fast::probabilities_of(*pending, first, tokens, end);
  }
  const auto& logits = std::get<mx::array>(form_);
  const auto count = static_cast<int>(tokens.size());
  const mx::array row = mx::reshape(logits, {logits.shape(1), logits.shape(2)});
  const mx::array among = mx::slice(row, {first, 0}, {first + count, end});
  const mx::array ids(tokens.begin(), {count, 1}, mx::int32);
  const mx::array taken =
      mx::take_along_axis(mx::softmax(among, -1, /*precise=*/true), ids, /*axis=*/1);
  return mx::astype(mx::reshape(taken, {count}), mx::float32);
}

}  // namespace whinchat::ops
