#include "transcription/windows/window_decoder.h"

#include <mlx/array.h>
#include <mlx/device.h>

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
#include "transcription/prompt_history.h"
#include "transcription/rule_options.h"
#include "whinchat/transcription.h"

namespace whinchat::transcription {
namespace {

namespace mx = mlx::core;

bool may_be_silent(const DecodedWindow& decoded, const TranscribeOptions& options) {
  return options.no_speech_threshold && decoded.no_speech_prob > *options.no_speech_threshold;
}

decoding::Rules without_timestamps(decoding::RuleOptions options) {
  options.timestamps = false;
  return decoding::Rules(std::move(options));
}

}  // namespace

WindowDecoder::WindowDecoder(const models::whisper::Whisper& model,
                             const text::WhisperTokenizer& tokenizer, const std::string& language,
                             const TranscribeOptions& options)
    : model_(model),
      tokenizer_(tokenizer),
      options_(options),
      sot_sequence_(tokenizer.sot_sequence(language, options.task == Task::Translate
                                                         ? text::Task::Translate
                                                         : text::Task::Transcribe)),
      rules_(rule_options(tokenizer, options, /*timestamps=*/true)),
      rules_without_timestamps_(without_timestamps(rules_.options())) {}

std::vector<int32_t> WindowDecoder::prompt(const WindowStart& start) const {
  std::vector<int32_t> prompt;
  if (!start.previous.empty()) {
    prompt.push_back(tokenizer_.tokens().sot_prev);
    prompt.insert(prompt.end(), start.previous.begin(), start.previous.end());
  }
  prompt.insert(prompt.end(), sot_sequence_.begin(), sot_sequence_.end());
  if (!start.timestamps) prompt.push_back(tokenizer_.tokens().no_timestamps);
  prompt.insert(prompt.end(), start.prefix.begin(), start.prefix.end());
  return prompt;
}

std::optional<DecodedWindow> WindowDecoder::decode(const std::vector<ops::KeyValue>& cross,
                                                   const WindowStart& start, int64_t seek,
                                                   const std::stop_token& stop) const {
  const std::vector<double>& temperatures = options_.temperatures;
  DecodedWindow decoded = decode_first(cross, start, seek);
  for (size_t attempt = 1; attempt < temperatures.size(); ++attempt) {
    if (!needs_fallback(decoded, options_)) break;
    if (stop.stop_requested()) return std::nullopt;
    decoded =
        decode_at(temperatures[attempt], seed_of(seek, attempt), cross, start, /*beams=*/true);
  }
  return decoded;
}

std::optional<DecodedWindow> WindowDecoder::decode_once(const std::vector<ops::KeyValue>& cross,
                                                        const WindowStart& start,
                                                        int64_t seek) const {
  DecodedWindow decoded = decode_first(cross, start, seek);
  if (needs_fallback(decoded, options_)) return std::nullopt;
  return decoded;
}

DecodedWindow WindowDecoder::decode_first(const std::vector<ops::KeyValue>& cross,
                                          const WindowStart& start, int64_t seek) const {
  const double temperature = options_.temperatures.front();
  const uint64_t seed = seed_of(seek, 0);
  DecodedWindow decoded = decode_at(temperature, seed, cross, start, /*beams=*/true);
  if (!start.unhinted || !may_be_silent(decoded, options_)) return decoded;
  // Told of names, a model may print them where nobody speaks, and finds that likely because it
  // was told. openai-whisper keeps such a text; here it must be likely without hints too.
  // Greedy: beams find a likely text in silence as well.
  DecodedWindow unhinted =
      decode_at(temperature, seed, cross,
                {.previous = *start.unhinted, .timestamps = start.timestamps}, /*beams=*/false);
  return is_silent(unhinted, options_) ? unhinted : decoded;
}

uint64_t WindowDecoder::seed_of(int64_t seek, size_t attempt) const {
  return options_.seed + static_cast<uint64_t>(seek) * options_.temperatures.size() + attempt;
}

DecodedWindow WindowDecoder::decode_at(double temperature, uint64_t seed,
                                       const std::vector<ops::KeyValue>& cross,
                                       const WindowStart& start, bool beams) const {
  const std::vector<int32_t> prompt = this->prompt(start);
  const decoding::Rules& rules = start.timestamps ? rules_ : rules_without_timestamps_;
  const int context = model_.dims().n_text_ctx;
  const decoding::Limits limits{.max_tokens = options_.max_new_tokens.value_or(context / 2),
                                .context = context};
  const decoding::SpecialTokens special{
      .eot = tokenizer_.tokens().eot,
      .sot_index = start.previous.empty() ? 0 : static_cast<int>(start.previous.size()) + 1,
      .no_speech = tokenizer_.tokens().no_speech};
  models::whisper::KvCache cache(cross);
  const decoding::LogitSource source{
      .logits_of =
          [&](const mx::array& tokens) { return model_.decoder().step(tokens, cache).logits; },
      .take_rows = [&](std::span<const int> rows) { cache.rearrange(rows); }};
  const decoding::Decoded decoded = [&] {
    if (temperature > 0) {
      return decoding::decode_samples(source, prompt, rules,
                                      {.limits = limits,
                                       .special = special,
                                       .temperature = temperature,
                                       .best_of = options_.best_of,
                                       .seed = seed});
    }
    if (beams && (options_.beam_size.value_or(1) > 1 || options_.patience != 1)) {
      return decoding::decode_beams(source, prompt, rules,
                                    {.limits = limits,
                                     .special = special,
                                     .beam_size = options_.beam_size.value_or(1),
                                     .patience = options_.patience});
    }
    return decoding::decode_greedy(source.logits_of, prompt, rules,
                                   {.limits = limits,
                                    .special = special,
                                    .one_step_late = model_.device() == mx::Device::gpu});
  }();

  const decoding::Sequence& sequence =
      decoding::likeliest(decoded.sequences, options_.length_penalty);
  std::string text(base::trimmed(tokenizer_.decode(sequence.tokens)));
  const double length = static_cast<double>(sequence.tokens.size()) + 1;
  const double compression_ratio = base::compression_ratio(text);
  return {.tokens = sequence.tokens,
          .text = std::move(text),
          .avg_logprob = sequence.sum_logprob / length,
          .no_speech_prob = decoded.no_speech_prob,
          .compression_ratio = compression_ratio,
          .temperature = temperature,
          .is_cut = !sequence.has_ended,
          .logprobs = sequence.logprobs};
}

bool is_silent(const DecodedWindow& decoded, const TranscribeOptions& options) {
  return may_be_silent(decoded, options) &&
         !(options.logprob_threshold && decoded.avg_logprob > *options.logprob_threshold);
}

bool is_repetitive(const DecodedWindow& decoded, const TranscribeOptions& options) {
  return options.compression_ratio_threshold &&
         decoded.compression_ratio > *options.compression_ratio_threshold;
}

bool needs_fallback(const DecodedWindow& decoded, const TranscribeOptions& options) {
  const bool is_unlikely =
      options.logprob_threshold && decoded.avg_logprob < *options.logprob_threshold;
  return (is_repetitive(decoded, options) || is_unlikely) &&
         !(may_be_silent(decoded, options) && is_unlikely);
}

}  // namespace whinchat::transcription
