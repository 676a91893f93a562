// Which pieces of speech share a window, one behind the other: an encoder takes as long for three
// seconds as for thirty.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "transcription/windows/clip_queue.h"

namespace whinchat::transcription {

// How many of the first clips make the next window: one, or as many as fit into it and end within
// five minutes of where the first begins, for what lies between is held meanwhile. Unset: what is
// told later may change that. `known` are clips in order, at least one; those that are told later
// begin at frame `settled` or behind it.
std::optional<size_t> clips_of_window(std::span<const KnownClip> known, int64_t window_frames,
                                      int64_t settled);

}  // namespace whinchat::transcription
