#include "transcription/options.h"

#include <cmath>
#include <optional>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "transcription/speech/vad_options.h"
#include "transcription/windows/clips.h"
#include "whinchat/transcription.h"

namespace whinchat::transcription {
namespace {

// Beams and samples are rows of every cache: more than this is a mistake.
constexpr int kMostRows = 64;
constexpr int kWindowS = 30;
constexpr int kContext = 448;  // tokens of every Whisper's decoder

void require_rows(std::string_view name, int rows) {
  if (rows >= 1 && rows <= kMostRows) return;
  base::fail(ErrorKind::BadInput, "{}: expected 1 to {}, got {}", name, kMostRows, rows);
}

// Detection is set up where it takes place alone.
void check_detection(const TranscribeOptions& options) {
  const TranscribeOptions defaults;
  const int windows = options.language_detection_segments;
  const double threshold = options.language_detection_threshold;
  if (windows < 1) {
    base::fail(ErrorKind::BadInput, "language-detection-segments: expected 1 or more, got {}",
               windows);
  }
  if (!(threshold >= 0 && threshold <= 1)) {
    base::fail(ErrorKind::BadInput, "language-detection-threshold: expected 0 to 1, got {}",
               threshold);
  }
  if (threshold != defaults.language_detection_threshold && windows == 1) {
    base::fail(
        ErrorKind::BadInput,
        "language-detection-threshold: expected language-detection-segments above 1 with it");
  }
  const bool is_language_given = !options.language.empty();
  for (const auto& [name, is_given] : {std::pair{"languages", !options.languages.empty()},
                                       std::pair{"multilingual", options.multilingual},
                                       std::pair{"language-detection-segments", windows > 1}}) {
    if (is_language_given && is_given) {
      base::fail(ErrorKind::BadInput, "{}: expected no language with it, got {}", name,
                 options.language);
    }
  }
  if (options.multilingual && windows > 1) {
    base::fail(ErrorKind::BadInput,
               "language-detection-segments: expected not to be given with multilingual");
  }
}

void check_word_options(const TranscribeOptions& options) {
  if (options.hallucination_silence_threshold && !(*options.hallucination_silence_threshold >= 0)) {
    base::fail(ErrorKind::BadInput, "hallucination-silence-threshold: expected 0 or more, got {}",
               *options.hallucination_silence_threshold);
  }
  if (options.word_timestamps) return;
  const TranscribeOptions defaults;
  const auto require_words = [](std::string_view name, bool is_default) {
    if (!is_default) base::fail(ErrorKind::BadInput, "{} needs word-timestamps", name);
  };
  require_words("hallucination-silence-threshold", !options.hallucination_silence_threshold);
  require_words("prepend-punctuations",
                options.prepend_punctuations == defaults.prepend_punctuations);
  require_words("append-punctuations", options.append_punctuations == defaults.append_punctuations);
}

void require_constraints(const TranscribeOptions& options) {
  const std::optional<double> initial = options.max_initial_timestamp;
  if (initial && !(*initial >= 0 && *initial <= kWindowS)) {
    base::fail(ErrorKind::BadInput, "max-initial-timestamp: expected 0 to {} s, got {}", kWindowS,
               *initial);
  }
  const int tokens = options.max_new_tokens.value_or(1);
  if (tokens < 1 || tokens > kContext) {
    base::fail(ErrorKind::BadInput, "max-new-tokens: expected 1 to {}, got {}", kContext, tokens);
  }
  if (!(options.repetition_penalty > 0) || !std::isfinite(options.repetition_penalty)) {
    base::fail(ErrorKind::BadInput, "repetition-penalty: expected more than 0, got {}",
               options.repetition_penalty);
  }
  if (options.no_repeat_ngram_size < 0) {
    base::fail(ErrorKind::BadInput, "no-repeat-ngram-size: expected 0 or more, got {}",
               options.no_repeat_ngram_size);
  }
}

}  // namespace

void check_options(const TranscribeOptions& options) {
  if (options.temperatures.empty()) {
    base::fail(ErrorKind::BadInput, "temperature: expected at least one, got none");
  }
  for (const double temperature : options.temperatures) {
    if (!(temperature >= 0) || !std::isfinite(temperature)) {
      base::fail(ErrorKind::BadInput, "temperature: expected 0 or more, got {}", temperature);
    }
  }
  require_constraints(options);
  if (options.carry_initial_prompt && options.initial_prompt.empty()) {
    base::fail(ErrorKind::BadInput, "carry-initial-prompt: expected an initial prompt with it");
  }
  require_rows("best-of", options.best_of);
  if (options.beam_size) require_rows("beam-size", *options.beam_size);
  const double finished = std::nearbyint(options.beam_size.value_or(1) * options.patience);
  if (options.beam_size && !(finished >= 1 && std::isfinite(finished))) {
    base::fail(ErrorKind::BadInput, "patience: expected enough for one finished beam of {}, got {}",
               *options.beam_size, options.patience);
  }
  if (options.length_penalty && !(*options.length_penalty >= 0 && *options.length_penalty <= 1)) {
    base::fail(ErrorKind::BadInput, "length-penalty: expected 0 to 1, got {}",
               *options.length_penalty);
  }
  if (options.audio_ctx != 0 && (options.audio_ctx < 50 || options.audio_ctx > 1500)) {
    base::fail(ErrorKind::BadInput, "audio-ctx: expected 0, or 50 to 1500, got {}",
               options.audio_ctx);
  }
  if (options.prompt_reset_on_repetition == true && !options.condition_on_previous_text) {
    base::fail(ErrorKind::BadInput,
               "prompt-reset-on-repetition: expected condition-on-previous-text with it");
  }
  if (options.channel && options.split_channels) {
    base::fail(ErrorKind::BadInput, "channel: expected a number or split, got both");
  }
  check_detection(options);
  check_clip_timestamps(options.clip_timestamps);
  check_word_options(options);
  check_vad_options(options.vad_parameters);
  if (options.vad_filter == false && options.vad_parameters != VadOptions()) {
    base::fail(ErrorKind::BadInput, "vad-filter: expected it on with its parameters, got false");
  }
}

}  // namespace whinchat::transcription
