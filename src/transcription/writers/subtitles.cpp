#include "transcription/writers/subtitles.h"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "text/characters.h"
#include "transcription/writers/segment_line.h"
#include "transcription/writers/split_points.h"
#include "whinchat/formats.h"
#include "whinchat/transcription.h"

namespace whinchat::transcription {
namespace {

constexpr int kAny = 1000;  // what the oracle takes for no limit
constexpr double kLongPauseSeconds = 3;

class Shaper {
 public:
  explicit Shaper(const WriterOptions& options)
      : options_(options),
        max_width_(static_cast<size_t>(options.max_line_width.value_or(kAny))),
        keeps_segments_(!options.max_line_width || !options.max_line_count) {}

  void add(const Segment& segment);
  std::vector<Subtitle> finish() &&;

 private:
  void place(Word word);
  void end_subtitle();

  const WriterOptions& options_;
  const size_t max_width_;
  const bool keeps_segments_;
  std::vector<Subtitle> subtitles_;
  Subtitle subtitle_;  // in the making
  size_t line_length_ = 0;
  int lines_ = 1;
  std::optional<double> last_start_s_;
  bool is_split_ = false;  // behind the last word
};

void Shaper::add(const Segment& segment) {
  if (segment.channel != subtitle_.channel) end_subtitle();
  subtitle_.channel = segment.channel;
  const auto max_words = static_cast<size_t>(options_.max_words_per_line.value_or(kAny));
  size_t index = 0;  // in what is not split
  for (size_t i = 0; i < segment.words.size(); ++i) {
    Word word = segment.words[i];
    word.text = without_breaks(word.text);
    if (is_split_) index = 0;
    if (is_split_ || (keeps_segments_ && index % max_words == 0)) end_subtitle();
    ++index;
    const Word* following = i + 1 < segment.words.size() ? &segment.words[i + 1] : nullptr;
    is_split_ = is_split_point(word, following, options_.split_at);
    place(std::move(word));
  }
}

void Shaper::place(Word word) {
  const size_t length = text::code_points(word.text).size();
  const bool pauses =
      !keeps_segments_ && word.start_s - last_start_s_.value_or(word.start_s) > kLongPauseSeconds;
  last_start_s_ = word.start_s;
  if (line_length_ > 0 && line_length_ + length <= max_width_ && !pauses) {
    line_length_ += length;
    subtitle_.words.push_back(std::move(word));
    return;
  }
  word.text = std::string(text::stripped(word.text));
  if (word.text.empty()) return;  // no line begins with it, or is it
  const bool is_full = options_.max_line_count && (pauses || lines_ >= *options_.max_line_count);
  if (is_full && !subtitle_.words.empty()) end_subtitle();
  const bool begins_line = line_length_ > 0;
  line_length_ = text::code_points(word.text).size();
  if (begins_line) {
    ++lines_;
    word.text.insert(word.text.begin(), '\n');
  }
  subtitle_.words.push_back(std::move(word));
}

void Shaper::end_subtitle() {
  if (!subtitle_.words.empty()) subtitles_.push_back(subtitle_);
  subtitle_.words.clear();
  line_length_ = 0;
  lines_ = 1;
}

std::vector<Subtitle> Shaper::finish() && {
  end_subtitle();
  return std::move(subtitles_);
}

}  // namespace

std::vector<Subtitle> make_subtitles(std::span<const Segment> segments,
                                     const WriterOptions& options) {
  Shaper shaper(options);
  for (const Segment& segment : segments) shaper.add(segment);
  return std::move(shaper).finish();
}

}  // namespace whinchat::transcription
