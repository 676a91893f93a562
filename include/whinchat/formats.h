// A transcription as a document: text, subtitles, tables, JSON. docs/formats.md has each format.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "whinchat/api.h"
#include "whinchat/transcription.h"

namespace whinchat {

// Json: openai-whisper's fields. JsonFull: these and all else that is known.
enum class Format { Txt, Srt, Vtt, Tsv, Json, JsonFull, Lrc, Csv };

// Where a subtitle ends besides: behind marks such as commas and those that end sentences, or
// behind these alone.
enum class SplitAt { Nothing, Punctuation, Sentence };

// All but the last two is of srt and vtt, and needs a transcription with word times.
struct WriterOptions {
  // Characters (code points) of a line: only a longer word is longer. Unset: 1000.
  std::optional<int> max_line_width;
  // Lines of a subtitle, which goes on over segments then, to a pause of 3 s at the most. Needs a
  // width. Unset: any, and each segment has subtitles of its own.
  std::optional<int> max_line_count;
  std::optional<int> max_words_per_line;  // a subtitle has so many words; unset: any
  bool highlight_words = false;           // a subtitle for each word, which is underlined: <u>
  SplitAt split_at = SplitAt::Nothing;
  std::string file;  // what was transcribed, in both kinds of JSON; empty: left out
  // Names and values to tell of in JsonFull: what it was made with.
  std::vector<std::pair<std::string, std::string>> used;

  bool needs_words() const {
    return max_line_width || max_line_count || max_words_per_line || highlight_words ||
           split_at != SplitAt::Nothing;
  }
};

// Throws Error{BadInput} for numbers below 1 and for what has no meaning without another option.
WHINCHAT_API void check_writer_options(const WriterOptions& options);

// UTF-8 in lines. Throws Error{BadInput} as check_writer_options, and for subtitles whose options
// need words that are not there.
WHINCHAT_API std::string format_transcription(const Transcription& transcription, Format format,
                                              const WriterOptions& options = {});

// A segment's line in txt; empty for a segment without words.
WHINCHAT_API std::string format_segment(const Segment& segment);

// The same for a terminal of 256 colours: words, else tokens, from red (unlikely) to green.
WHINCHAT_API std::string format_colored_segment(const Segment& segment);

}  // namespace whinchat
