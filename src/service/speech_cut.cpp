#include "service/speech_cut.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <span>
#include <utility>

#include "transcription/speech/speech_finder.h"

namespace whinchat::service {

using transcription::SpeechFinder;
using transcription::SpeechSpan;

SpeechCut::SpeechCut(Sink sink) : sink_(std::move(sink)) {}

void SpeechCut::hear(std::span<const float> samples) {
  if (sink_) kept_.insert(kept_.end(), samples.begin(), samples.end());
}

void SpeechCut::give(std::span<const SpeechSpan> spans, const SpeechFinder& finder) {
  if (!sink_) return;
  for (const SpeechSpan& span : spans) give(span);
  if (const std::optional<SpeechSpan> open = finder.open()) give(*open);
  forget_before(std::max(given_to_, finder.settled()));
}

void SpeechCut::give(const SpeechSpan& span) {
  const int64_t begin = std::max(span.begin, given_to_);
  if (begin >= span.end) return;
  sink_(std::span(kept_).subspan(static_cast<size_t>(begin - kept_from_),
                                 static_cast<size_t>(span.end - begin)));
  given_to_ = span.end;
}

void SpeechCut::forget_before(int64_t sample) {
  const int64_t count = std::clamp<int64_t>(sample - kept_from_, 0, std::ssize(kept_));
  kept_.erase(kept_.begin(), kept_.begin() + count);
  kept_from_ += count;
}

}  // namespace whinchat::service
