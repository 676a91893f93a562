// Which of the clips that share a window says what: by the times of words, for those of segments
// drift where a window holds many short pieces. Without a model.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "transcription/windows/clip_queue.h"
#include "transcription/windows/window_segments.h"
#include "transcription/words/word_times.h"

namespace whinchat::transcription {

// The segments of each clip, on the recording's clock, with words, from the first of them to the
// last; one that speaks in two clips is divided. Of the first clips alone, and perhaps of none,
// where one is not heard from its beginning to its end. `words` are those of `segments`, timed in
// the clips put together; text tokens lie below `eot`.
std::vector<WindowSegments> told_apart(std::span<const TokenSegment> segments,
                                       std::span<const TimedWord> words,
                                       std::span<const KnownClip> clips, int32_t eot);

}  // namespace whinchat::transcription
