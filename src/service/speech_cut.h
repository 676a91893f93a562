// The samples of speech, cut out of a recording that passes by: no more of it is kept than may yet
// be speech.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "transcription/speech/speech_finder.h"

namespace whinchat::service {

class SpeechCut {
 public:
  using Sink = std::function<void(std::span<const float> samples)>;

  // Without a sink nothing is kept.
  explicit SpeechCut(Sink sink);

  void hear(std::span<const float> samples);  // the next ones
  // What a finder that has heard as many says now: the spans that are final, and itself.
  void give(std::span<const transcription::SpeechSpan> spans,
            const transcription::SpeechFinder& finder);

 private:
  void give(const transcription::SpeechSpan& span);
  void forget_before(int64_t sample);

  Sink sink_;
  std::vector<float> kept_;
  int64_t kept_from_ = 0;
  int64_t given_to_ = 0;
};

}  // namespace whinchat::service
