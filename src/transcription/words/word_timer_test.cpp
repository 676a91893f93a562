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

}  // namespace
}  // namespace whinchat::transcription
