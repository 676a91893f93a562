#include "transcription/words/known_text.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/text.h"
#include "models/whisper/dimensions.h"
#include "text/characters.h"
#include "text/whisper_tokenizer.h"
#include "text/word_tokens.h"
#include "transcription/words/edit_path.h"
#include "whinchat/transcription.h"

namespace whinchat::transcription {
namespace {

using models::whisper::kFramesPerSecond;
using models::whisper::kWindowFrames;

// What was not heard at the beginning or end takes at most this, a word.
constexpr double kUnheardWordSeconds = 1;
// Between windows: silence, or speech that is not in the text.
constexpr double kPauseSeconds = 2;
// Heard before the first word and after the last.
constexpr double kMarginSeconds = 0.5;
constexpr int kFewestFrames = 2;

// A word without what a transcript may write in another way: ASCII punctuation and case.
std::string spoken_form(std::string_view word) {
  std::string spoken;
  for (const char letter : text::stripped(word)) {
    if (base::is_word_byte(letter)) spoken += base::ascii_lower(letter);
  }
  return spoken;
}

template <typename Words>
std::vector<std::string> spoken_forms(const Words& words) {
  std::vector<std::string> forms;
  forms.reserve(words.size());
  for (const auto& word : words) forms.push_back(spoken_form(word.text));
  return forms;
}

void share(std::span<KnownWord> words, double begin_s, double end_s) {
  const double each_s = std::max(0.0, end_s - begin_s) / static_cast<double>(words.size());
  for (size_t i = 0; i < words.size(); ++i) {
    words[i].start_s = begin_s + static_cast<double>(i) * each_s;
    words[i].end_s = words[i].start_s + each_s;
  }
}

double pause_before(std::span<const KnownWord> words, size_t index) {
  return words[index].start_s - words[index - 1].end_s;
}

// Where the window that begins with words[begin] has to end.
size_t end_of_window(std::span<const KnownWord> words, size_t begin, size_t max_tokens) {
  constexpr double kLongest = static_cast<double>(kWindowFrames) / kFramesPerSecond;
  const double latest_s = words[begin].start_s + kLongest - 2 * kMarginSeconds;
  size_t tokens = words[begin].tokens.size();
  size_t end = begin + 1;
  for (; end < words.size(); ++end) {
    if (pause_before(words, end) > kPauseSeconds) return end;
    tokens += words[end].tokens.size();
    if (tokens > max_tokens || words[end].end_s > latest_s) break;
  }
  if (end == words.size()) return end;
  // More has to follow: in the second half, where the pause is longest, late rather than early.
  size_t cut = end;
  for (size_t i = end; i > begin + (end - begin) / 2 && i > begin + 1; --i) {
    if (pause_before(words, i) > pause_before(words, cut)) cut = i;
  }
  return cut;
}

}  // namespace

std::vector<KnownWord> split_text(const text::WhisperTokenizer& tokenizer, std::string_view text,
                                  std::string_view language_code) {
  std::vector<KnownWord> words;
  size_t line = 0;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view content = text::stripped(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (content.empty()) continue;
    // As a transcript would begin.
    const char* space = text::has_spaces(language_code) ? " " : "";
    const std::vector<int32_t> tokens = tokenizer.encode(fmt::format("{}{}", space, content));
    for (auto& word : text::split_to_word_tokens(tokenizer, tokens, language_code)) {
      words.push_back({line, std::move(word.word), std::move(word.tokens)});
    }
    ++line;
  }
  return words;
}

void place_words(std::span<KnownWord> words, std::span<const Word> heard, double duration_s) {
  const std::vector<std::string> forms = spoken_forms(words);
  std::vector<std::string> said;  // those that are more than punctuation
  std::vector<size_t> indices;
  for (size_t i = 0; i < words.size(); ++i) {
    if (forms[i].empty()) continue;
    said.push_back(forms[i]);
    indices.push_back(i);
  }
  const auto path = edit_path(said, spoken_forms(heard));
  size_t unheard = 0;  // the first word that has no time yet
  double until_s = 0;
  for (size_t i = 0; i < path.size(); ++i) {
    const auto& pair = path[i];
    if (!pair) continue;
    const Word& word = heard[*pair];
    const std::span<KnownWord> between = words.subspan(unheard, indices[i] - unheard);
    const double most_s = static_cast<double>(between.size()) * kUnheardWordSeconds;
    if (!between.empty()) {
      share(between, unheard == 0 ? std::max(0.0, word.start_s - most_s) : until_s, word.start_s);
    }
    words[indices[i]].start_s = word.start_s;
    words[indices[i]].end_s = until_s = word.end_s;
    unheard = indices[i] + 1;
  }
  const std::span<KnownWord> rest = words.subspan(unheard);
  if (rest.empty()) return;
  const double most_s = static_cast<double>(rest.size()) * kUnheardWordSeconds;
  share(rest, until_s, unheard == 0 ? duration_s : std::min(duration_s, until_s + most_s));
}

std::vector<KnownWindow> make_windows(std::span<const KnownWord> words, size_t max_tokens,
                                      int64_t content_frames) {
  std::vector<KnownWindow> windows;
  for (size_t begin = 0; begin < words.size();) {
    const size_t end = end_of_window(words, begin, max_tokens);
    const double before_s = begin == 0 ? kMarginSeconds * 2 : pause_before(words, begin);
    const double behind_s = end == words.size() ? kMarginSeconds * 2 : pause_before(words, end);
    const auto margin = [](double pause_s) { return std::clamp(pause_s / 2, 0.0, kMarginSeconds); };
    const double from_s = words[begin].start_s - margin(before_s);
    const double to_s = words[end - 1].end_s + margin(behind_s);
    const auto frame = [&](double time_s) {
      const auto nearest = static_cast<int64_t>(std::nearbyint(time_s * kFramesPerSecond));
      return std::clamp<int64_t>(nearest, 0, content_frames);
    };
    const int64_t seek =
        std::max<int64_t>(0, std::min(frame(from_s), content_frames - kFewestFrames));
    const int64_t room = std::min<int64_t>(kWindowFrames, content_frames - seek);
    const int64_t frames = std::min(std::max<int64_t>(frame(to_s) - seek, kFewestFrames), room);
    windows.push_back({begin, end, seek, static_cast<int>(frames)});
    begin = end;
  }
  return windows;
}

}  // namespace whinchat::transcription
