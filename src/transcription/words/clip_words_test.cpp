#include "transcription/words/clip_words.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "transcription/windows/clip_queue.h"
#include "transcription/windows/window_segments.h"
#include "transcription/words/word_times.h"

namespace whinchat::transcription {
namespace {

constexpr int32_t kEot = 100;
constexpr int32_t kTime = 200;  // a timestamp
using Segments = std::vector<TokenSegment>;
using Parts = std::vector<WindowSegments>;

// Clips of 5 s at 10 and 60 s in which somebody speaks but for 0.4 s at both ends; put together,
// from 0.4 to 4.6 s and from 5.4 to 9.6 s.
constexpr std::array<KnownClip, 2> kClips = {
    {{{1000, 1500}, true, {1040, 1460}}, {{6000, 6500}, true, {6040, 6460}}}};

TokenSegment segment(const std::vector<int32_t>& tokens) {
  TokenSegment made{0, 10, tokens};
  for (const int32_t token : tokens) made.logprobs.push_back(-static_cast<float>(token));
  return made;
}

// Of one token, which is its name.
TimedWord word(int32_t token, double start_s, double end_s) {
  return {std::to_string(token), {token}, start_s, end_s, 0.5};
}

Parts apart(const Segments& segments, const std::vector<TimedWord>& words) {
  return told_apart(segments, words, kClips, kEot);
}

TEST(ToldApart, IsOnTheRecordingsClock) {
  const Parts parts = apart({segment({kTime, 1, 2, kTime}), segment({kTime, 3, 4, kTime})},
                            {word(1, 0.5, 2), word(2, 2, 4.5), word(3, 5.5, 7), word(4, 7, 9.5)});
  ASSERT_EQ(parts.size(), 2u);
  ASSERT_EQ(parts.at(0).segments.size(), 1u);
  EXPECT_EQ(parts.at(0).next_seek, 1500);
  const TokenSegment& first = parts.at(0).segments[0];
  EXPECT_DOUBLE_EQ(first.start_s, 10.5);
  EXPECT_DOUBLE_EQ(first.end_s, 14.5);
  ASSERT_EQ(parts.at(1).segments.size(), 1u);
  EXPECT_EQ(parts.at(1).next_seek, 6500);
  const TokenSegment& second = parts.at(1).segments[0];
  EXPECT_DOUBLE_EQ(second.start_s, 60.5);
  EXPECT_DOUBLE_EQ(second.end_s, 64.5);
  EXPECT_EQ(second.tokens, (std::vector<int32_t>{kTime, 3, 4, kTime}));
  ASSERT_EQ(second.words.size(), 2u);
  EXPECT_EQ(second.words[1].text, "4");
  EXPECT_DOUBLE_EQ(second.words[1].start_s, 62);
  EXPECT_EQ(second.words[1].probability, 0.5);
}

TEST(ToldApart, DividesWhatSpeaksInTwoClips) {
  const Parts parts = apart({segment({kTime, 1, 2, 3, kTime})},
                            {word(1, 0.4, 4.6), word(2, 5.4, 7), word(3, 7, 9.6)});
  ASSERT_EQ(parts.size(), 2u);
  ASSERT_EQ(parts.at(0).segments.size(), 1u);
  EXPECT_EQ(parts.at(0).segments[0].tokens, (std::vector<int32_t>{kTime, 1}));
  EXPECT_EQ(parts.at(0).segments[0].logprobs, (std::vector<float>{-kTime, -1}));
  ASSERT_EQ(parts.at(1).segments.size(), 1u);
  EXPECT_EQ(parts.at(1).segments[0].tokens, (std::vector<int32_t>{2, 3, kTime}));
}

TEST(ToldApart, KeepsSegmentsOfOneClipApart) {
  const Parts parts = apart({segment({1}), segment({2, 3}), segment({4})},
                            {word(1, 0.4, 2), word(2, 2, 4.6), word(3, 5.4, 7), word(4, 7, 9.6)});
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(parts.at(0).segments.size(), 2u);
  EXPECT_EQ(parts.at(1).segments.size(), 2u);
}

TEST(ToldApart, GivesAWordThatTakesInThePauseToTheClipBehindIt) {
  const Parts parts =
      apart({segment({1, 2, 3})}, {word(1, 0.4, 4.2), word(2, 4.2, 5.5), word(3, 5.5, 9.6)});
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(parts.at(0).segments[0].words.size(), 1u);
  EXPECT_EQ(parts.at(1).segments[0].words.front().text, "2");
}

TEST(ToldApart, LeavesALongLastWordWhereItIsSpoken) {
  const Parts parts =
      apart({segment({1, 2, 3})}, {word(1, 0.4, 3.8), word(2, 3.8, 5.5), word(3, 5.5, 9.6)});
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(parts.at(0).segments[0].words.back().text, "2");
}

TEST(ToldApart, TakesTokensByWord) {
  const Parts parts =
      apart({segment({kTime, 1, 2, 3, kTime})},
            {{"ab", {1, 2}, 0.4, 4.6, 0.5}, {"", {}, 4.6, 4.6, 0.5}, {"c.", {3}, 5.4, 9.6, 0.5}});
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(parts.at(0).segments[0].tokens, (std::vector<int32_t>{kTime, 1, 2}));
  EXPECT_EQ(parts.at(1).segments[0].words[0].text, "c.");
}

TEST(ToldApart, LeavesOutSegmentsWithoutText) {
  const Parts parts = apart({segment({kTime, kTime}), segment({1}), segment({2})},
                            {word(1, 0.4, 4.6), word(2, 5.4, 9.6)});
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(parts.at(0).segments.size(), 1u);
}

TEST(ToldApart, IsNotWhereAClipIsNotHeardToItsEnds) {
  const auto is_told = [](double first_begin_s, double first_end_s, double second_begin_s,
                          double second_end_s) {
    return apart({segment({1, 2})},
                 {word(1, first_begin_s, first_end_s), word(2, second_begin_s, second_end_s)})
               .size() == 2;
  };
  EXPECT_TRUE(is_told(1.4, 3.6, 6.4, 8.6));
  EXPECT_FALSE(is_told(1.41, 3.6, 6.4, 8.6));
  EXPECT_FALSE(is_told(1.4, 3.59, 6.4, 8.6));
  EXPECT_FALSE(is_told(1.4, 3.6, 6.41, 8.6));
  EXPECT_FALSE(is_told(1.4, 3.6, 6.4, 8.59));
  EXPECT_TRUE(apart({segment({1})}, {word(1, 0.4, 4.6)}).empty())
      << "nothing is said in the second";
  EXPECT_TRUE(apart({segment({1})}, {word(1, 5.4, 9.6)}).empty()) << "nor in the first";
  EXPECT_TRUE(apart({}, {}).empty());
}

TEST(ToldApart, IsOfTheClipsBeforeTheOneThatIsNotTold) {
  std::vector<KnownClip> clips(kClips.begin(), kClips.end());
  clips.push_back({{9000, 9500}, true, {9040, 9460}});
  const Parts parts = told_apart(std::vector{segment({1, 2})},
                                 std::vector{word(1, 0.4, 4.6), word(2, 5.4, 9.6)}, clips, kEot);
  ASSERT_EQ(parts.size(), 1u) << "the second may have what the third says";
  EXPECT_EQ(parts[0].segments[0].tokens, std::vector<int32_t>{1});
}

}  // namespace
}  // namespace whinchat::transcription
