// When a window's tokens are said: by which frames the alignment heads of the decoder look at while
// it reads them (mlx-whisper 0.4.3, timing.py). Engine thread.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "models/whisper/whisper.h"
#include "ops/key_value.h"
#include "text/whisper_tokens.h"

namespace whinchat::transcription {

constexpr double kAlignedFramesPerSecond = 50;

struct TokenTimes {
  std::vector<int> starts;           // one more than tokens: frames of 20 ms; the last is the end
  std::vector<float> probabilities;  // of each token, among text
};

// Reads sot_sequence, text_tokens and their end once, without a cache of before. `cross` is the
// window's Decoder::cross, `frames` how many frames of 10 ms of it are content: under 2 every token
// starts at 0. Throws Error{Internal} for more tokens than the decoder can read.
TokenTimes align_tokens(const models::whisper::Whisper& model,
                        const std::vector<ops::KeyValue>& cross, const text::WhisperTokens& special,
                        std::span<const int32_t> sot_sequence, std::span<const int32_t> text_tokens,
                        int frames);

}  // namespace whinchat::transcription
