// Where a text goes round in circles: a decoder that is told its own text may say it for ever.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "text/whisper_tokenizer.h"
#include "transcription/window_decoder.h"
#include "transcription/window_segments.h"
#include "whinchat/transcription.h"

namespace whinchat::transcription {

// `before` holds the texts of the segments that a window was told of, `window` those of its own.
// Gives the index of the window's first segment that says again what stands before it, where
// - the same one to four segments come three times in a row, the last time in this window; or
// - the whole window says what the end of `before` says.
// Unset where nothing is repeated. Empty texts count for nothing; people repeat themselves too, so
// that whoever asks goes back to the sound and takes what is heard there without earlier text.
std::optional<size_t> first_repeated(std::span<const std::string> before,
                                     std::span<const std::string> window);

// Where a window that was told of earlier text repeats that or itself: keeps what stands before the
// repetition, seeks to its beginning, and says so. `before` holds the segments before the window.
bool cut_repetition(WindowSegments& segments, std::span<const Segment> before,
                    const DecodedWindow& decoded, const Window& window,
                    const text::WhisperTokenizer& tokenizer, const TranscribeOptions& options);

}  // namespace whinchat::transcription
