// Sizes of a Whisper checkpoint under mlx-whisper's names.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/json.h"

namespace whinchat::models::whisper {

constexpr int kSampleRate = 16000;
constexpr int kHopLength = 160;                             // samples a mel frame
constexpr int kFramesPerSecond = kSampleRate / kHopLength;  // 100
constexpr int kWindowSamples = 30 * kSampleRate;            // 480000
constexpr int kWindowFrames = kWindowSamples / kHopLength;  // 3000

struct ModelDimensions {
  int n_mels;
  int n_audio_ctx, n_audio_state, n_audio_head, n_audio_layer;
  int n_vocab;
  int n_text_ctx, n_text_state, n_text_head, n_text_layer;

  bool is_multilingual() const { return n_vocab >= 51865; }
};

// Reads the fields of config.json. Throws Error{Corrupt} that names `source` and a field that is
// missing, not a whole number, out of range, or at odds with another.
ModelDimensions read_dimensions(const base::Json& config,
                                const std::string& source = "the model's config.json");

// (decoder layer, head) pairs whose cross-attention follows the words' times: the checkpoint's
// "alignment_heads", else every head of the last half of the decoder layers.
std::vector<std::pair<int, int>> read_alignment_heads(const base::Json& config,
                                                      const ModelDimensions& dims);

}  // namespace whinchat::models::whisper
