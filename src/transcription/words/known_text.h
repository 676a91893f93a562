// A text that is known to be said, before it is timed: its words, where they are about, and how
// they are spread over windows. Without a model.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "text/whisper_tokenizer.h"
#include "whinchat/transcription.h"

namespace whinchat::transcription {

struct KnownWord {
  size_t line;  // of the text, without empty ones
  std::string text;
  std::vector<int32_t> tokens;
  double start_s = 0, end_s = 0;  // about
};

// The words of each line that has any.
std::vector<KnownWord> split_text(const text::WhisperTokenizer& tokenizer, std::string_view text,
                                  std::string_view language_code);

// Gives words the times of what was heard for them; those between that were not heard share the
// time between.
void place_words(std::span<KnownWord> words, std::span<const Word> heard, double duration_s);

// Words that are timed together, and the part of the recording that they are in.
struct KnownWindow {
  size_t begin, end;  // of the words
  int64_t seek;
  int frames;
};

// At most 30 s and `max_tokens` each, cut where the words pause longest.
std::vector<KnownWindow> make_windows(std::span<const KnownWord> words, size_t max_tokens,
                                      int64_t content_frames);

}  // namespace whinchat::transcription
