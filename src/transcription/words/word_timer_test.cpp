#include "transcription/words/word_timer.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/file_map.h"
#include "base/json.h"
#include "text/whisper_tokenizer.h"
#include "transcription/windows/window_segments.h"
#include "transcription/words/alignment.h"
#include "whinchat/transcription.h"

namespace whinchat::transcription {
namespace {

constexpr int kVocabulary = 51865;

TokenTimes times_of(const base::Json& window) {
  TokenTimes times{window.at("starts").get<std::vector<int>>(), {}};
  for (const base::Json& chance : window.at("probabilities")) {
    times.probabilities.push_back(chance.get<float>() / 128);
  }
  return times;
}

// A recording of the oracle's script: made-up windows in, segments and seek points out.
void replay(const text::WhisperTokenizer& tokenizer, const base::Json& row) {
  TranscribeOptions options{.word_timestamps = true};
  if (!row.at("threshold").is_null()) {
    options.hallucination_silence_threshold = row.at("threshold").get<double>();
  }
  WordTimer timer(tokenizer, options);
  const auto content_frames = row.at("content_frames").get<int64_t>();
  const base::Json& segments = row.at("segments");
  size_t next = 0;
  int64_t seek = 0;
  for (const base::Json& each : row.at("windows")) {
    ASSERT_EQ(seek, each.at("seek").get<int64_t>());
    const Window window{seek, each.at("frames").get<int>(), 2};
    WindowSegments parts = split_window(each.at("tokens").get<std::vector<int32_t>>(),
                                        tokenizer.tokens().timestamp_begin, window);
    const bool stays = timer.time(parts, window, times_of(each),
                                  row.at("language").get<std::string>(), content_frames);
    for (size_t i = 0; stays && i < parts.segments.size(); ++i, ++next) {
      const TokenSegment& segment = parts.segments[i];
      ASSERT_LT(next, segments.size());
      EXPECT_EQ(segment.start_s, segments[next].at("start").get<double>());
      EXPECT_EQ(segment.end_s, segments[next].at("end").get<double>());
      if (segment.start_s == segment.end_s) continue;  // the oracle cleared it
      ASSERT_EQ(segment.words.size(), segments[next].at("words").size());
      for (size_t j = 0; j < segment.words.size(); ++j) {
        const base::Json& word = segments[next].at("words")[j];
        EXPECT_EQ(segment.words[j].text, word.at("word").get<std::string>());
        EXPECT_EQ(segment.words[j].start_s, word.at("start").get<double>());
        EXPECT_EQ(segment.words[j].end_s, word.at("end").get<double>());
        EXPECT_EQ(segment.words[j].probability, word.at("probability").get<double>());
      }
    }
    seek = parts.next_seek;
  }
  EXPECT_EQ(next, segments.size());
  EXPECT_GE(seek, content_frames);
}

TEST(WordTimer, TimesMergesAndSeeksAsTheOracleOnMadeUpWindows) {
  const auto file = base::FileMap::open(WHINCHAT_TEST_DATA "/words.json");
  const base::Json oracle = base::parse_json(base::as_text(file->bytes()), "words.json");
  const text::WhisperTokenizer tokenizer(kVocabulary);
  EXPECT_GE(oracle.at("rows").size(), 30u);
  for (size_t i = 0; i < oracle.at("rows").size(); ++i) {
    SCOPED_TRACE("row " + std::to_string(i));
    replay(tokenizer, oracle.at("rows")[i]);
  }
}

TEST(WordTimer, CreepsNoMoreThanTwiceInTurn) {
  const text::WhisperTokenizer tokenizer(kVocabulary);
  const int32_t zero = tokenizer.tokens().timestamp_begin;
  const std::vector<int32_t> tokens = {zero, 2002, zero + 1000, zero + 1000, 2002};
  // The word ends 40 ms behind the window's beginning.
  const TokenTimes times{{0, 2}, {0.9F}};
  const TranscribeOptions options{.word_timestamps = true};
  WordTimer timer(tokenizer, options);
  std::vector<int64_t> steps;
  int64_t seek = 0;
  for (int i = 0; i < 6; ++i) {
    const Window window{seek, 3000, 2};
    WindowSegments parts = split_window(tokens, zero, window);
    EXPECT_EQ(parts.next_seek, seek + 2000);
    timer.time(parts, window, times, "en", 360000);
    steps.push_back(parts.next_seek - seek);
    seek = parts.next_seek;
  }
  EXPECT_EQ(steps, (std::vector<int64_t>{4, 4, 2000, 2000, 2000, 2000}));
}

}  // namespace
}  // namespace whinchat::transcription
