// Decodes one window: features in, tokens and their likelihood out. Engine thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "decoding/rules.h"
#include "models/whisper/dimensions.h"
#include "models/whisper/whisper.h"
#include "ops/key_value.h"
#include "text/whisper_tokenizer.h"
#include "transcription/prompt_history.h"
#include "whinchat/transcription.h"

namespace whinchat::transcription {

struct DecodedWindow {
  std::vector<int32_t> tokens;
  std::string text;
  double avg_logprob;
  double no_speech_prob;
  double compression_ratio;
  double temperature;
  bool is_cut = false;            // the most tokens that it may have were not enough
  std::vector<float> logprobs{};  // of the tokens
};

// openai-whisper 20250625, transcribe.py: a window is silent, or its text needs another attempt.
bool is_silent(const DecodedWindow& decoded, const TranscribeOptions& options);
bool is_repetitive(const DecodedWindow& decoded, const TranscribeOptions& options);
bool needs_fallback(const DecodedWindow& decoded, const TranscribeOptions& options);

class WindowDecoder {
 public:
  // `language` is a code that the model knows; ignored by English-only models. All arguments but
  // that outlive this.
  WindowDecoder(const models::whisper::Whisper& model, const text::WhisperTokenizer& tokenizer,
                const std::string& language, const TranscribeOptions& options);

  // What the decoder is given before it chooses.
  std::vector<int32_t> prompt(const WindowStart& start) const;

  // What it chooses then (where that may be silence, without hints too), at the first temperature
  // that gives a text to keep, else at the last. Draws depend on the seed and on `seek` alone.
  // Unset where `stop` was requested before there was a text to keep.
  std::optional<DecodedWindow> decode(const std::vector<ops::KeyValue>& cross,
                                      const WindowStart& start, int64_t seek,
                                      const std::stop_token& stop = {}) const;

  // At the first temperature alone; unset where that gives no text to keep.
  std::optional<DecodedWindow> decode_once(const std::vector<ops::KeyValue>& cross,
                                           const WindowStart& start, int64_t seek) const;

  const decoding::Rules& rules() const { return rules_; }
  const std::vector<int32_t>& sot_sequence() const { return sot_sequence_; }

 private:
  DecodedWindow decode_first(const std::vector<ops::KeyValue>& cross, const WindowStart& start,
                             int64_t seek) const;
  uint64_t seed_of(int64_t seek, size_t attempt) const;
  DecodedWindow decode_at(double temperature, uint64_t seed,
                          const std::vector<ops::KeyValue>& cross, const WindowStart& start,
                          bool beams) const;

  const models::whisper::Whisper& model_;
  const text::WhisperTokenizer& tokenizer_;
  const TranscribeOptions& options_;
  std::vector<int32_t> sot_sequence_;
  decoding::Rules rules_, rules_without_timestamps_;
};

}  // namespace whinchat::transcription
