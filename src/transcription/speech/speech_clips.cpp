#include "transcription/speech/speech_clips.h"

#include <cstdint>

#include "models/whisper/dimensions.h"
#include "transcription/speech/speech_finder.h"
#include "transcription/windows/clip_queue.h"

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

}  // namespace whinchat::transcription
