#include "transcription/speech/vad_options.h"

#include <string_view>
#include <utility>

#include "base/error.h"
#include "whinchat/vad.h"

namespace whinchat::transcription {
namespace {

constexpr int kMostMs = 3'600'000;

void require_probability(std::string_view name, double value) {
  if (value >= 0 && value <= 1) return;
  base::fail(ErrorKind::BadInput, "{}: expected 0 to 1, got {}", name, value);
}

}  // namespace

void check_vad_options(const VadOptions& options) {
  require_probability("threshold", options.threshold);
  if (options.neg_threshold) require_probability("neg-threshold", *options.neg_threshold);
  for (const auto& [name, value] :
       {std::pair{"min-speech-duration-ms", options.min_speech_duration_ms},
        std::pair{"min-silence-duration-ms", options.min_silence_duration_ms},
        std::pair{"speech-pad-ms", options.speech_pad_ms},
        std::pair{"min-silence-at-max-speech", options.min_silence_at_max_speech}}) {
    if (value >= 0 && value <= kMostMs) continue;
    base::fail(ErrorKind::BadInput, "{}: expected 0 to {} ms, got {}", name, kMostMs, value);
  }
  if (!(options.max_speech_duration_s > 0)) {
    base::fail(ErrorKind::BadInput, "max-speech-duration-s: expected more than 0 s, got {}",
               options.max_speech_duration_s);
  }
}

}  // namespace whinchat::transcription
