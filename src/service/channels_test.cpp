#include "service/channels.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "whinchat/transcription.h"

namespace whinchat::service {
namespace {

Segment segment_of(double start_s, const std::string& text) {
  return {.start_s = start_s, .end_s = start_s + 1, .text = text};
}

TEST(Channels, AreMergedByTimeAndLabelled) {
  Transcription left{.language = "en", .duration_s = 9, .warnings = {"odd", "left"}};
  left.segments = {segment_of(0, " one"), segment_of(4, " four")};
  Transcription right{.language = "en", .duration_s = 9, .warnings = {"odd"}};
  right.segments = {segment_of(2, " two"), segment_of(4, " too")};
  const Transcription result = merged({left, right});
  EXPECT_EQ(result.text, " one two four too");
  std::vector<std::pair<int, int>> ids_and_channels;
  for (const Segment& segment : result.segments) {
    ids_and_channels.emplace_back(segment.id, segment.channel);
    EXPECT_EQ(segment.language, "");
  }
  EXPECT_EQ(ids_and_channels, (std::vector<std::pair<int, int>>{{0, 1}, {1, 2}, {2, 1}, {3, 2}}));
  EXPECT_EQ(result.warnings, (std::vector<std::string>{"odd", "left"}));
  EXPECT_EQ(result.duration_s, 9);
  EXPECT_FALSE(result.cancelled);
}

TEST(Channels, SayTheirLanguagesWhereTheyDiffer) {
  Transcription silent{.duration_s = 9};
  Transcription german{.language = "de", .segments = {segment_of(3, " drei")}};
  Transcription english{.language = "en", .segments = {segment_of(1, " one")}, .cancelled = true};
  const Transcription result = merged({silent, german, english});
  EXPECT_EQ(result.language, "de");
  ASSERT_EQ(result.segments.size(), 2);
  EXPECT_EQ(result.segments[0].language, "en");
  EXPECT_EQ(result.segments[0].channel, 3);
  EXPECT_EQ(result.segments[1].language, "de");
  EXPECT_TRUE(result.cancelled);
}

TEST(Channels, TellProgressOnOneClockAndSegmentsInOrder) {
  std::vector<double> done_s;
  std::vector<std::string> texts;
  TranscribeCallbacks callbacks;
  callbacks.on_progress = [&](double done, double total_s) {
    done_s.push_back(done);
    EXPECT_EQ(total_s, 10);
  };
  callbacks.on_segment = [&](const Segment& segment) { texts.push_back(segment.text); };
  const Channels channels{.count = 2};
  const auto transcribe = [](int channel, const TranscribeCallbacks& own) {
    EXPECT_FALSE(own.on_segment);
    own.on_progress(5, 10);
    own.on_progress(10, 10);
    const double start_s = channel == 1 ? 1 : 0;
    return Transcription{.segments = {segment_of(start_s, start_s > 0 ? "late" : "early")}};
  };
  EXPECT_EQ(transcribe_channels(channels, callbacks, transcribe).text, "earlylate");
  EXPECT_EQ(done_s, (std::vector<double>{2.5, 5, 7.5, 10}));
  EXPECT_EQ(texts, (std::vector<std::string>{"early", "late"}));
}

TEST(Channels, EndAfterTheOneThatWasStopped) {
  int calls = 0;
  const auto transcribe = [&](int, const TranscribeCallbacks&) {
    ++calls;
    return Transcription{.cancelled = true};
  };
  EXPECT_TRUE(transcribe_channels({.count = 2}, {}, transcribe).cancelled);
  EXPECT_EQ(calls, 1);
}

}  // namespace
}  // namespace whinchat::service
