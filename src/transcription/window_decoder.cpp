#include "transcription/window_decoder.h"

#include <mlx/array.h>
#include <mlx/device.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "base/compression.h"
#include "base/text.h"
#include "decoding/beam.h"
#include "decoding/greedy.h"
#include "decoding/rules.h"
#include "decoding/sample.h"
#include "decoding/sequence.h"
#include "models/whisper/dimensions.h"
#include "models/whisper/kv_cache.h"
#include "models/whisper/whisper.h"
#include "ops/key_value.h"
#include "text/whisper_tokenizer.h"
#include "text/whisper_tokens.h"
#include "whinchat/transcription.h"

namespace whinchat::transcription {
namespace {

namespace mx = mlx::core;

constexpr int kMaxInitialTimestamp = 50;  // 1 s in steps of 20 ms

decoding::RuleOptions rule_options(const text::WhisperTokenizer& tokenizer) {
  const text::WhisperTokens& tokens = tokenizer.tokens();
  decoding::RuleOptions options{
      .suppress_tokens = tokenizer.non_speech_tokens(),
      .blank_tokens = tokenizer.blank_tokens(),
      .eot = tokens.eot,
      .no_timestamps = tokens.no_timestamps,
      .timestamp_begin = tokens.timestamp_begin,
      .max_initial_timestamp = kMaxInitialTimestamp,
  };
  for (const int32_t token : {tokens.transcribe, tokens.translate, tokens.sot, tokens.sot_prev,
                              tokens.sot_lm, tokens.no_speech}) {
    options.suppress_tokens.push_back(token);
  }
  options.blank_tokens.push_back(tokens.eot);
  return options;
}

}  // namespace

size_t prompt_budget(const models::whisper::ModelDimensions& dims) {
  return static_cast<size_t>(dims.n_text_ctx) / 2 - 1;
}

WindowDecoder::WindowDecoder(const models::whisper::Whisper& model,
                             const text::WhisperTokenizer& tokenizer, const std::string& language,
                             const TranscribeOptions& options)
    : model_(model),
      tokenizer_(tokenizer),
      options_(options),
      sot_sequence_(tokenizer.sot_sequence(language, options.task == Task::Translate
                                                         ? text::Task::Translate
                                                         : text::Task::Transcribe)),
      rules_(rule_options(tokenizer)) {}

std::vector<int32_t> WindowDecoder::prompt(std::span<const int32_t> previous) const {
  std::vector<int32_t> prompt;
  if (!previous.empty()) {
    prompt.push_back(tokenizer_.tokens().sot_prev);
    const auto tail = previous.last(std::min(previous.size(), prompt_budget(model_.dims())));
    prompt.insert(prompt.end(), tail.begin(), tail.end());
  }
  prompt.insert(prompt.end(), sot_sequence_.begin(), sot_sequence_.end());
  return prompt;
}

std::optional<DecodedWindow> WindowDecoder::decode(const std::vector<ops::KeyValue>& cross,
                                                   std::span<const int32_t> previous, int64_t seek,
                                                   const std::stop_token& stop) const {
  const std::vector<int32_t> given = prompt(previous);
  const std::vector<double>& temperatures = options_.temperatures;
  size_t attempt = 0;
  while (true) {
    const uint64_t seed =
        options_.seed + static_cast<uint64_t>(seek) * temperatures.size() + attempt;
    DecodedWindow decoded = decode_at(temperatures.at(attempt), seed, cross, given);
    ++attempt;
    if (attempt == temperatures.size() || !needs_fallback(decoded, options_)) return decoded;
    if (stop.stop_requested()) return std::nullopt;
  }
}

DecodedWindow WindowDecoder::decode_at(double temperature, uint64_t seed,
                                       const std::vector<ops::KeyValue>& cross,
                                       std::span<const int32_t> prompt) const {
  const int context = model_.dims().n_text_ctx;
  const decoding::Limits limits{.max_tokens = context / 2, .context = context};
  const decoding::SpecialTokens special{
      .eot = tokenizer_.tokens().eot,
      .sot_index = static_cast<int>(prompt.size() - sot_sequence_.size()),
      .no_speech = tokenizer_.tokens().no_speech};
  models::whisper::KvCache cache(cross);
  const decoding::LogitSource source{
      .logits_of =
          [&](const mx::array& tokens) { return model_.decoder().step(tokens, cache).logits; },
      .take_rows = [&](std::span<const int> rows) { cache.rearrange(rows); }};
  const decoding::Decoded decoded = [&] {
    if (temperature > 0) {
      return decoding::decode_samples(source, prompt, rules_,
                                      {.limits = limits,
                                       .special = special,
                                       .temperature = temperature,
                                       .best_of = options_.best_of,
                                       .seed = seed});
    }
    if (options_.beam_size.value_or(1) > 1 || options_.patience != 1) {
      return decoding::decode_beams(source, prompt, rules_,
                                    {.limits = limits,
                                     .special = special,
                                     .beam_size = options_.beam_size.value_or(1),
                                     .patience = options_.patience});
    }
    return decoding::decode_greedy(source.logits_of, prompt, rules_,
                                   {.limits = limits,
                                    .special = special,
                                    .one_step_late = model_.device() == mx::Device::gpu});
  }();

  const decoding::Sequence& sequence =
      decoding::likeliest(decoded.sequences, options_.length_penalty);
  std::string text(base::trimmed(tokenizer_.decode(sequence.tokens)));
  const double length = static_cast<double>(sequence.tokens.size()) + 1;
  const double compression_ratio = base::compression_ratio(text);
  return {sequence.tokens,        std::move(text),   sequence.sum_logprob / length,
          decoded.no_speech_prob, compression_ratio, temperature};
}

bool is_silent(const DecodedWindow& decoded, const TranscribeOptions& options) {
  return options.no_speech_threshold && decoded.no_speech_prob > *options.no_speech_threshold &&
         !(options.logprob_threshold && decoded.avg_logprob > *options.logprob_threshold);
}

bool needs_fallback(const DecodedWindow& decoded, const TranscribeOptions& options) {
  const bool is_repetitive = options.compression_ratio_threshold &&
                             decoded.compression_ratio > *options.compression_ratio_threshold;
  const bool is_unlikely =
      options.logprob_threshold && decoded.avg_logprob < *options.logprob_threshold;
  const bool may_be_silent =
      options.no_speech_threshold && decoded.no_speech_prob > *options.no_speech_threshold;
  return (is_repetitive || is_unlikely) && !(may_be_silent && is_unlikely);
}

}  // namespace whinchat::transcription
