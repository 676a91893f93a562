// Decodes one window: features in, tokens and their likelihood out. Engine thread.
#pragma once

#include <mlx/array.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "decoding/rules.h"
#include "models/whisper/whisper.h"
#include "ops/key_value.h"
#include "text/whisper_tokenizer.h"
#include "whinchat/transcription.h"

namespace whinchat::transcription {

// `frames` frames of mel [frames, n_mels] from `seek` on, filled up to a window, encoded: keys and
// values of every decoder layer.
std::vector<ops::KeyValue> encode_window(const models::whisper::Whisper& model,
                                         const mlx::core::array& mel, int64_t seek, int frames);

struct DecodedWindow {
  std::vector<int32_t> tokens;
  std::string text;
  double avg_logprob;
  double no_speech_prob;
  double compression_ratio;
};

class WindowDecoder {
 public:
  // `language` is a code that the model knows; ignored by English-only models.
  WindowDecoder(const models::whisper::Whisper& model, const text::WhisperTokenizer& tokenizer,
                const std::string& language, Task task);

  // What the decoder is given before it chooses: `previous` holds the tokens of earlier windows, of
  // which the last 223 are the prompt.
  std::vector<int32_t> prompt(std::span<const int32_t> previous) const;

  // What it chooses then.
  DecodedWindow decode(const std::vector<ops::KeyValue>& cross,
                       std::span<const int32_t> previous) const;

  const decoding::Rules& rules() const { return rules_; }

 private:
  const models::whisper::Whisper& model_;
  const text::WhisperTokenizer& tokenizer_;
  std::vector<int32_t> sot_sequence_;
  decoding::Rules rules_;
};

}  // namespace whinchat::transcription
