#include "transcription/words/word_times.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "text/characters.h"
#include "text/word_tokens.h"
#include "transcription/windows/window_segments.h"
#include "transcription/words/alignment.h"
#include "whinchat/transcription.h"

namespace whinchat::transcription {
namespace {

constexpr std::string_view kSentenceEnds = ".。!！?？";
constexpr double kLongestMedianSeconds = 0.7;

// A word that is any part of `marks` counts, as in the oracle: also one of several marks, or none.
bool is_among(std::string_view word, std::string_view marks) {
  return marks.find(word) != std::string_view::npos;
}

void join(TimedWord& word, const TimedWord& before, const TimedWord& after) {
  std::vector<int32_t> tokens = before.tokens;
  tokens.insert(tokens.end(), after.tokens.begin(), after.tokens.end());
  word.word = before.word + after.word;
  word.tokens = std::move(tokens);
}

void clear(TimedWord& word) {
  word.word.clear();
  word.tokens.clear();
}

// To hundredths, as NumPy rounds.
double rounded(double seconds) { return std::nearbyint(seconds * 100) / 100; }

// The first word after a pause, and the second, take at most max_s.
void shorten_after_pause(std::vector<Word>& words, const WordDurations& durations,
                         double last_speech_s) {
  const double max_s = durations.max_s;
  Word& first = words.front();
  if (first.end_s - last_speech_s <= durations.median_s * 4) return;
  const bool has_second = words.size() > 1;
  if (first.end_s - first.start_s <= max_s &&
      !(has_second && words[1].end_s - first.start_s > max_s * 2)) {
    return;
  }
  if (has_second && words[1].end_s - words[1].start_s > max_s) {
    const double boundary_s = std::max(words[1].end_s / 2, words[1].end_s - max_s);
    first.end_s = words[1].start_s = boundary_s;
  }
  first.start_s = std::max(0.0, first.end_s - max_s);
}

// Where segment and word disagree by half a second, the word is too long; else the word is right.
void settle_borders(TokenSegment& segment, double median_s) {
  constexpr double kDisagreementSeconds = 0.5;
  Word& first = segment.words.front();
  if (segment.start_s < first.end_s && segment.start_s - kDisagreementSeconds > first.start_s) {
    first.start_s = std::max(0.0, std::min(first.end_s - median_s, segment.start_s));
  } else {
    segment.start_s = first.start_s;
  }
  Word& last = segment.words.back();
  if (segment.end_s > last.start_s && segment.end_s + kDisagreementSeconds < last.end_s) {
    last.end_s = std::max(last.start_s + median_s, segment.end_s);
  } else {
    segment.end_s = last.end_s;
  }
}

}  // namespace

std::vector<TimedWord> time_words(std::vector<text::WordTokens> words, const TokenTimes& times) {
  std::vector<TimedWord> timed;
  timed.reserve(words.size());
  size_t begin = 0;
  for (text::WordTokens& word : words) {
    const size_t end = begin + word.tokens.size();
    const auto probabilities = std::span(times.probabilities).subspan(begin, end - begin);
    // In f32, as NumPy adds fewer than eight.
    const float sum = std::accumulate(probabilities.begin(), probabilities.end(), 0.0F);
    timed.push_back({std::move(word.word), std::move(word.tokens),
                     times.starts.at(begin) / kAlignedFramesPerSecond,
                     times.starts.at(end) / kAlignedFramesPerSecond,
                     sum / static_cast<float>(probabilities.size())});
    begin = end;
  }
  return timed;
}

WordDurations word_durations(std::span<const TimedWord> words) {
  std::vector<double> durations;
  for (const TimedWord& word : words) {
    if (word.end_s != word.start_s) durations.push_back(word.end_s - word.start_s);
  }
  if (durations.empty()) return {0, 0};
  std::ranges::sort(durations);
  const size_t half = durations.size() / 2;
  double median_s = durations[half];
  if (durations.size() % 2 == 0) median_s = (durations[half - 1] + median_s) / 2;
  median_s = std::min(kLongestMedianSeconds, median_s);
  return {median_s, median_s * 2};
}

void shorten_at_sentence_ends(std::span<TimedWord> words, const WordDurations& durations) {
  if (durations.max_s == 0) return;
  for (size_t i = 1; i < words.size(); ++i) {
    TimedWord& word = words[i];
    if (word.end_s - word.start_s <= durations.max_s) continue;
    if (is_among(word.word, kSentenceEnds)) {
      word.end_s = word.start_s + durations.max_s;
    } else if (is_among(words[i - 1].word, kSentenceEnds)) {
      word.start_s = word.end_s - durations.max_s;
    }
  }
}

void merge_punctuations(std::span<TimedWord> words, std::string_view prepended,
                        std::string_view appended) {
  if (words.empty()) return;
  size_t following = words.size() - 1;
  for (size_t i = following; i-- > 0;) {
    TimedWord& mark = words[i];
    if (mark.word.starts_with(' ') && is_among(text::stripped(mark.word), prepended)) {
      join(words[following], mark, words[following]);
      clear(mark);
    } else {
      following = i;
    }
  }
  size_t previous = 0;
  for (size_t i = 1; i < words.size(); ++i) {
    TimedWord& mark = words[i];
    if (!words[previous].word.ends_with(' ') && is_among(mark.word, appended)) {
      join(words[previous], words[previous], mark);
      clear(mark);
    } else {
      previous = i;
    }
  }
}

void give_words(std::span<TokenSegment> segments, std::span<const TimedWord> words,
                const WordDurations& durations, WordBorders borders) {
  size_t next = 0;
  for (TokenSegment& segment : segments) {
    const auto is_text = [&](int32_t token) { return token < borders.eot; };
    const auto tokens = static_cast<size_t>(std::ranges::count_if(segment.tokens, is_text));
    segment.words.clear();
    for (size_t given = 0; next < words.size() && given < tokens; ++next) {
      const TimedWord& word = words[next];
      given += word.tokens.size();
      if (word.word.empty()) continue;
      segment.words.push_back({word.word, rounded(borders.offset_s + word.start_s),
                               rounded(borders.offset_s + word.end_s), word.probability});
    }
    if (segment.words.empty()) continue;
    shorten_after_pause(segment.words, durations, borders.last_speech_s);
    settle_borders(segment, durations.median_s);
    borders.last_speech_s = segment.end_s;
  }
}

}  // namespace whinchat::transcription
