// Where a text goes round in circles: a decoder that is told its own text may say it for ever.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "text/whisper_tokenizer.h"
#include "transcription/windows/window_decoder.h"
#include "transcription/windows/window_segments.h"
#include "whinchat/transcription.h"

namespace whinchat::transcription {

// `before` holds the texts of the segments that a window was told of, `window` those of its own.
// Gives the index of the window's first segment that says again what stands before it, where
// - the same one to four segments come three times in a row, the last time in this window; or
// - the whole window says what the end of `before` says.
// Unset where nothing is repeated. Empty texts count for nothing.
std::optional<size_t> first_repeated(std::span<const std::string> before,
                                     std::span<const std::string> window);

// A window that was told of earlier text, and what it said.
struct ToldWindow {
  std::span<const Segment> before;
  const DecodedWindow& decoded;
  Window place;
};

class RepetitionJudge {
 public:
  // All arguments outlive this.
  RepetitionJudge(const text::WhisperTokenizer& tokenizer, const TranscribeOptions& options)
      : tokenizer_(tokenizer), options_(options) {}

  // Whether the text goes round in circles, so that the window should be decoded without earlier
  // text too. Never where the options do not want to know.
  bool suspects(const ToldWindow& told) const;

  // Whether what the decoder said without earlier text is to be taken. People repeat themselves
  // too: if it says the repeated text as well, that is in the sound.
  bool prefers(const DecodedWindow& untold, const ToldWindow& told) const;

 private:
  std::optional<std::string> repeated_text(const ToldWindow& told) const;

  const text::WhisperTokenizer& tokenizer_;
  const TranscribeOptions& options_;
};

}  // namespace whinchat::transcription
