
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "models/whisper/whisper.h"
#include "text/whisper_tokenizer.h"
#include "transcription/scripted_whisper.h"
#include "transcription/streaming_run.h"
#include "whinchat/transcription.h"

namespace whinchat::transcription {
namespace {

constexpr size_t kStart = 3;  // positions of the start of a transcript without a prompt

class SeekLoopTest : public testing::Test {
 protected:
  SeekLoopTest() : tokens_(tokenizer_.tokens()) {}

  int32_t at(double time_s) const {
    return tokens_.timestamp_begin + static_cast<int32_t>(std::lround(time_s * 50));
  }

  std::vector<int32_t> segment(double start_s, const std::string& text, double end_s) const {
    std::vector<int32_t> tokens = tokenizer_.encode(text);
    tokens.insert(tokens.begin(), at(start_s));
    tokens.push_back(at(end_s));
    return tokens;
  }

  // Writes what is said from a position on.
  static void say(std::vector<int32_t>& next, size_t position, const std::vector<int32_t>& said,
                  int32_t filler) {
    if (next.size() < position + said.size()) next.resize(position + said.size(), filler);
    std::ranges::copy(said, next.begin() + static_cast<std::ptrdiff_t>(position));
  }

  Transcription transcribe(const std::vector<int32_t>& said, int seconds,
                           const TranscribeOptions& options,
                           const TranscribeCallbacks& callbacks = {}) const {
    std::vector<int32_t> next(1, tokens_.first_language);  // English
    say(next, kStart - 1, said, tokens_.eot);
    return run(next, seconds, options, callbacks);
  }

  Transcription run(const std::vector<int32_t>& next, int seconds, const TranscribeOptions& options,
                    const TranscribeCallbacks& callbacks = {}) const {
    const models::whisper::Whisper model = scripted_whisper(next);
    const std::vector<float> samples(static_cast<size_t>(seconds) * 16000);
    return transcription::transcribe({model, tokenizer_, nullptr}, samples, options, callbacks);
  }

  static std::vector<int64_t> seeks(const Transcription& result) {
    std::vector<int64_t> seeks;
    seeks.reserve(result.segments.size());
    for (const Segment& segment : result.segments) seeks.push_back(segment.seek);
    return seeks;
  }

  text::WhisperTokenizer tokenizer_{51865};
  const text::WhisperTokens& tokens_;
};

std::vector<int32_t> operator+(std::vector<int32_t> left, const std::vector<int32_t>& right) {
  left.insert(left.end(), right.begin(), right.end());
  return left;
}

TEST_F(SeekLoopTest, WhatFollowsTheLastTimestampIsDecodedAgain) {
  const auto unfinished = std::vector{at(2)} + tokenizer_.encode(" and so");
  const Transcription result = transcribe(segment(0, " One.", 2) + unfinished, 5,
                                          {.language = "en", .condition_on_previous_text = false});
  EXPECT_EQ(seeks(result), (std::vector<int64_t>{0, 200, 400}));
  EXPECT_EQ(result.text, " One. One. One.");
  EXPECT_DOUBLE_EQ(result.segments[1].start_s, 2);
  EXPECT_DOUBLE_EQ(result.segments[2].end_s, 5) << "the recording's end";
}

TEST_F(SeekLoopTest, ClipsAreHeardAloneAndProgressIsOfThem) {
  std::vector<std::pair<double, double>> progress;
  const TranscribeCallbacks callbacks{.on_progress = [&](double done_s, double total_s) {
    progress.emplace_back(done_s, total_s);
  }};
  const Transcription result = transcribe(segment(0, " One.", 30), 40,
                                          {.language = "en",
                                           .clip_timestamps = {1, 2.5, 4, 35, 38},
                                           .condition_on_previous_text = false},
                                          callbacks);
  EXPECT_EQ(seeks(result), (std::vector<int64_t>{100, 400, 3400, 3800}));
  EXPECT_DOUBLE_EQ(result.segments[0].end_s, 2.5);
  EXPECT_EQ(progress, (std::vector<std::pair<double, double>>{
                          {1.5, 34.5}, {31.5, 34.5}, {32.5, 34.5}, {34.5, 34.5}}));
}

TEST_F(SeekLoopTest, AStopEndsTheAttemptsOfAWindow) {
  std::stop_source stop;
  TranscribeCallbacks callbacks{
      .on_language = [&](const std::string&, double) { stop.request_stop(); },
      .stop = stop.get_token()};
  const auto said = segment(0, " One.", 2);
  // Of several languages, each window's is heard in it: the stop comes before its first attempt.
  // Nothing is as likely as the threshold, so that another attempt would follow.
  TranscribeOptions options{
      .multilingual = true, .temperatures = {0.0, 0.0}, .logprob_threshold = 1.0};
  Transcription result = transcribe(said, 5, options, callbacks);
  EXPECT_TRUE(result.cancelled);
  EXPECT_EQ(result.language, "en");
  EXPECT_EQ(result.text, "");
  options.logprob_threshold.reset();
  stop = std::stop_source();
  callbacks.stop = stop.get_token();
  result = transcribe(said, 5, options, callbacks);
  EXPECT_TRUE(result.cancelled);
  EXPECT_EQ(result.text, " One.") << "the first attempt's text is to be kept";
}

TEST_F(SeekLoopTest, AStopBeforeTheFirstWindowGivesNothing) {
  std::stop_source stop;
  stop.request_stop();
  const Transcription result =
      transcribe(segment(0, " One.", 2), 5, {.language = "en"}, {.stop = stop.get_token()});
  EXPECT_TRUE(result.cancelled);
  EXPECT_TRUE(result.segments.empty());
}

TEST_F(SeekLoopTest, TheLanguageIsThatOfThePositionBehindTheStart) {
  const Transcription result = transcribe(segment(0, " One.", 2), 5, {});
  EXPECT_EQ(result.language, "en");
  ASSERT_EQ(result.language_probabilities.size(), 99u);
  EXPECT_EQ(result.language_probabilities[0].language, "en");
  EXPECT_GT(result.language_probabilities[0].probability, 0.99);
}

// What it says in a first window that knows the initial prompt, then told of that, then untold.
class RepetitionTest : public SeekLoopTest {
 protected:
  Transcription run_said(const std::string& first, const std::string& told,
                         const std::string& untold, bool resets) const {
    const size_t prompt = 1 + tokenizer_.encode(" " + prompt_).size();
    const std::vector<int32_t> first_said = unfinished(first);
    std::vector<int32_t> next(1, tokens_.first_language);
    say(next, kStart - 1, unfinished(untold), tokens_.eot);
    say(next, prompt + kStart - 1, first_said, tokens_.eot);
    say(next, prompt + segment(0, first, 4).size() + kStart - 1, unfinished(told), tokens_.eot);
    return run(next, 8,
               {.language = "en", .initial_prompt = prompt_, .prompt_reset_on_repetition = resets});
  }

  // A segment of 4 s, and something behind it that is not finished.
  std::vector<int32_t> unfinished(const std::string& text) const {
    return segment(0, text, 4) + std::vector{at(4)} + tokenizer_.encode(" x");
  }

  const std::string prompt_ =
      "a long prompt, so that what is said behind it and what is said without it do not meet";
};

TEST_F(RepetitionTest, IsTakenBackWhereTheSoundSaysSomethingElse) {
  EXPECT_EQ(run_said(" One.", " One.", " Two.", false).text, " One. One.");
  const Transcription result = run_said(" One.", " One.", " Two.", true);
  EXPECT_EQ(result.text, " One. Two.");
  EXPECT_EQ(seeks(result), (std::vector<int64_t>{0, 400}));
}

TEST_F(RepetitionTest, StaysWhereTheSoundSaysItAgain) {
  EXPECT_EQ(run_said(" One.", " One.", " And one!", true).text, " One. One.");
}

TEST_F(RepetitionTest, OfOtherWordsIsNone) {
  EXPECT_EQ(run_said(" One.", " Two.", " Three.", true).text, " One. Two.");
}

TEST_F(SeekLoopTest, EachTokenHasTheProbabilityThatItWasChosenWith) {
  const std::vector<int32_t> said = segment(0, " one 日本 two three four five", 4);
  TranscribeOptions options{.no_speech_threshold = {}, .max_new_tokens = 8};
  for (const auto& [temperature, beams] :
       {std::pair{0.0, 1}, std::pair{0.0, 3}, std::pair{1.0, 1}}) {
    options.temperatures = {temperature};
    options.beam_size = beams;
    const Transcription result = transcribe(said, 10, options);
    ASSERT_FALSE(result.segments.empty());
    const Segment& cut = result.segments.front();
    ASSERT_EQ(cut.tokens.size(), cut.token_details.size());
    std::string text;
    double logprob = 0;
    for (size_t i = 0; i < cut.tokens.size(); ++i) {
      EXPECT_EQ(cut.token_details[i].id, cut.tokens[i]);
      text += cut.token_details[i].text;
      logprob += std::log(cut.token_details[i].probability);
    }
    EXPECT_EQ(text, cut.text);
    const double sum = cut.avg_logprob * (static_cast<double>(cut.tokens.size()) + 1);
    EXPECT_NEAR(logprob, sum, 1e-4) << temperature << ' ' << beams;
  }
}

}  // namespace
}  // namespace whinchat::transcription
