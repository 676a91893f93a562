#include "transcription/writers/cues.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/text.h"
#include "text/characters.h"
#include "transcription/writers/clock.h"
#include "transcription/writers/segment_line.h"
#include "transcription/writers/subtitles.h"
#include "whinchat/formats.h"
#include "whinchat/transcription.h"

namespace whinchat::transcription {
namespace {

// Without a mark.
Cue plain(const Subtitle& subtitle, int64_t start_ms, int64_t end_ms) {
  Cue cue{.start_ms = start_ms, .end_ms = end_ms, .channel = subtitle.channel};
  for (const Word& word : subtitle.words) cue.before += word.text;
  return cue;
}

// The subtitle with its word `index` underlined.
Cue marked(const Subtitle& subtitle, size_t index) {
  const Word& word = subtitle.words[index];
  Cue cue{.start_ms = milliseconds(word.start_s),
          .end_ms = milliseconds(word.end_s),
          .channel = subtitle.channel};
  for (size_t i = 0; i < index; ++i) cue.before += subtitle.words[i].text;
  const std::string_view shown = text::stripped(word.text);
  const size_t blanks =
      shown.empty() ? word.text.size() : static_cast<size_t>(shown.data() - word.text.data());
  cue.before += word.text.substr(0, blanks);
  cue.underlined = word.text.substr(blanks);
  for (size_t i = index + 1; i < subtitle.words.size(); ++i) cue.after += subtitle.words[i].text;
  return cue;
}

// One for each word, and one without a mark where nobody speaks between two.
void add_highlights(const Subtitle& subtitle, std::vector<Cue>& cues) {
  int64_t last_ms = milliseconds(subtitle.words.front().start_s);
  for (size_t i = 0; i < subtitle.words.size(); ++i) {
    Cue cue = marked(subtitle, i);
    if (last_ms < cue.start_ms) cues.push_back(plain(subtitle, last_ms, cue.start_ms));
    last_ms = cue.end_ms;
    cues.push_back(std::move(cue));
  }
}

std::vector<Cue> cues_of_words(const Transcription& transcription, const WriterOptions& options) {
  std::vector<Cue> cues;
  for (const Subtitle& subtitle : make_subtitles(transcription.segments, options)) {
    if (options.highlight_words) {
      add_highlights(subtitle, cues);
    } else {
      cues.push_back(plain(subtitle, milliseconds(subtitle.words.front().start_s),
                           milliseconds(subtitle.words.back().end_s)));
    }
  }
  return cues;
}

std::vector<Cue> cues_of_segments(const Transcription& transcription) {
  std::vector<Cue> cues;
  cues.reserve(transcription.segments.size());
  for (const Segment& segment : transcription.segments) {
    cues.push_back({.start_ms = milliseconds(segment.start_s),
                    .end_ms = milliseconds(segment.end_s),
                    .channel = segment.channel,
                    .before = plain_line(segment)});
  }
  return cues;
}

bool is_blank(const Cue& cue) {
  return text::stripped(cue.before + cue.underlined + cue.after).empty();
}

}  // namespace

std::vector<Cue> make_cues(const Transcription& transcription, const WriterOptions& options) {
  if (options.needs_words() && !transcription.has_words) {
    base::fail(ErrorKind::BadInput,
               "expected word times for these subtitles, got a transcription without them");
  }
  std::vector<Cue> cues = transcription.has_words ? cues_of_words(transcription, options)
                                                  : cues_of_segments(transcription);
  std::erase_if(cues, is_blank);
  int64_t last_ms = 0;
  for (Cue& cue : cues) {
    cue.start_ms = std::max(cue.start_ms, last_ms);
    cue.end_ms = std::max(cue.end_ms, cue.start_ms + 1);
    last_ms = cue.start_ms;
    for (std::string* part : {&cue.before, &cue.underlined, &cue.after}) {
      *part = base::replaced(std::move(*part), "-->", "->");  // what stands between two times
    }
  }
  return cues;
}

std::string with_underline(const Cue& cue) {
  if (cue.underlined.empty()) return cue.before + cue.after;
  return cue.before + "<u>" + cue.underlined + "</u>" + cue.after;
}

}  // namespace whinchat::transcription
