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

KnownClip clip_of(const SpeechSpan& span, bool is_closed) {
  return {.clip = {span.begin / kHopLength, span.end / kHopLength},
          .is_closed = is_closed,
          .voice = {span.voice_begin / kHopLength, span.voice_end / kHopLength}};
}

}  // namespace

void tell_speech(SpeechFinder& finder, ClipQueue& clips) {
  for (const SpeechSpan& span : finder.take()) clips.hear(clip_of(span, true));
  if (const auto open = finder.open()) clips.hear(clip_of(*open, false));
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
  tell_speech(listener.finder(), clips);
  std::vector<Clip> heard;
  for (const KnownClip& known : clips.known()) heard.push_back(known.clip);
  return heard;
}

}  // namespace whinchat::transcription
