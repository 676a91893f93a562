#include "transcription/speech/speech_clips.h"

#include <cstdint>
#include <iterator>
#include <memory>
#include <span>
#include <vector>

#include "models/vad/silero_vad.h"
#include "models/whisper/dimensions.h"
#include "transcription/speech/speech_finder.h"
#include "transcription/speech/speech_listener.h"
#include "transcription/windows/clip_queue.h"
#include "transcription/windows/clips.h"
#include "whinchat/transcription.h"

namespace whinchat::transcription {
namespace {

using models::whisper::kHopLength;
using models::whisper::kSampleRate;

Clip frames_of(const SpeechSpan& span) { return {span.begin / kHopLength, span.end / kHopLength}; }

// Without its padding: where the recording begins and ends there is less of it, or none.
SpeechSpan voice_of(const SpeechSpan& span, int64_t samples, int64_t pad) {
  return {span.begin > 0 ? span.begin + pad : 0, span.end < samples ? span.end - pad : span.end};
}

}  // namespace

void tell_speech(SpeechFinder& finder, int64_t samples, int speech_pad_ms, ClipQueue& clips) {
  const auto tell = [&](const SpeechSpan& span, bool is_closed) {
    const int64_t pad = int64_t{speech_pad_ms} * kSampleRate / 1000;
    clips.hear({frames_of(span), is_closed, frames_of(voice_of(span, samples, pad))});
  };
  for (const SpeechSpan& span : finder.take()) tell(span, true);
  if (const auto open = finder.open()) tell(*open, false);
}

int64_t settled_frame(const SpeechFinder& finder) {
  const auto open = finder.open();
  return (open ? open->begin : finder.settled()) / kHopLength;
}

std::vector<Clip> heard_clips(const std::shared_ptr<const models::vad::SileroVad>& vad,
                              const TranscribeOptions& options, std::span<const float> samples) {
  if (!vad) return make_clips(options.clip_timestamps, std::ssize(samples) / kHopLength);
  ClipQueue clips(options.clip_timestamps);
  SpeechListener listener(options.vad_parameters, vad);
  listener.hear(samples);
  listener.finish();
  tell_speech(listener.finder(), std::ssize(samples), options.vad_parameters.speech_pad_ms, clips);
  std::vector<Clip> heard;
  for (const KnownClip& known : clips.known()) heard.push_back(known.clip);
  return heard;
}

}  // namespace whinchat::transcription
