#include "transcription/streaming_run.h"

#include <gtest/gtest.h>
#include <mlx/dtype.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "audio/audio_source.h"
#include "models/vad/silero_vad.h"
#include "models/whisper/whisper.h"
#include "ops/runtime.h"
#include "text/whisper_tokenizer.h"
#include "text/whisper_tokens.h"
#include "transcription/scripted_whisper.h"
#include "transcription/windows/sound.h"
#include "transcription/writers/json.h"
#include "whinchat/transcription.h"

namespace whinchat::transcription {
namespace {

constexpr size_t kSecond = 16000;

std::vector<float> noise(size_t seconds) {
  std::mt19937 random(1);
  std::vector<float> samples(seconds * kSecond);
  // Louder towards the end, so that what frames are clamped to changes.
  for (size_t i = 0; i < samples.size(); ++i) {
    const double level = 0.3 * static_cast<double>(i + 1) / static_cast<double>(samples.size());
    samples[i] = static_cast<float>(level * (static_cast<double>(random() % 2001) / 1000 - 1));
  }
  return samples;
}

std::vector<float> sample() { return audio::read_all(*audio::open_audio(WHINCHAT_SAMPLE)); }

std::vector<float> operator+(std::vector<float> left, const std::vector<float>& right) {
  left.insert(left.end(), right.begin(), right.end());
  return left;
}

// Says a segment of 4 s and half of another one, so that windows begin anywhere.
class StreamingRunTest : public testing::Test {
 protected:
  StreamingRunTest()
      : model_(scripted_whisper(said(), ops::make_fast_cpu(0, ops::Products::F32))) {}

  std::vector<int32_t> said() const {
    const text::WhisperTokens& tokens = tokenizer_.tokens();
    std::vector<int32_t> next = {tokens.first_language, tokens.eot, tokens.timestamp_begin};
    for (const int32_t token : tokenizer_.encode(" One.")) next.push_back(token);
    next.push_back(tokens.timestamp_begin + 200);
    next.push_back(tokens.timestamp_begin + 200);
    for (const int32_t token : tokenizer_.encode(" and")) next.push_back(token);
    return next;
  }

  std::string streamed(std::span<const float> samples, size_t piece,
                       const TranscribeOptions& options, const Foreknown& foreknown = {}) const {
    StreamingRun run({model_, tokenizer_, options.vad_filter == true ? vad_ : nullptr}, options, {},
                     foreknown);
    for (size_t begin = 0; begin < samples.size(); begin += piece) {
      run.feed(samples.subspan(begin, std::min(piece, samples.size() - begin)));
    }
    return write_json(run.finish(), {});
  }

  void expect_same_in_pieces(std::span<const float> samples, const TranscribeOptions& options,
                             const std::vector<size_t>& pieces = {160, 16000}) const {
    const std::string whole = streamed(samples, samples.size(), options);
    EXPECT_NE(whole.find("\"segments\":[{"), std::string::npos) << whole;
    for (const size_t piece : pieces) {
      EXPECT_EQ(streamed(samples, piece, options), whole) << piece;
    }
  }

  text::WhisperTokenizer tokenizer_{51865};
  models::whisper::Whisper model_;
  const std::shared_ptr<const models::vad::SileroVad> vad_ =
      std::make_shared<models::vad::SileroVad>(16000);
};

TEST_F(StreamingRunTest, GivesTheSameInPiecesOfAnySize) {
  const std::vector<float> samples = noise(67);
  expect_same_in_pieces(samples, {}, {7, 160, 16000, 496000});
  expect_same_in_pieces(samples, {.without_timestamps = true});
  expect_same_in_pieces(samples, {.multilingual = true});
  expect_same_in_pieces(samples,
                        {.language_detection_segments = 2, .language_detection_threshold = 1.0});
  expect_same_in_pieces(samples, {.clip_timestamps = {1.005, 3, 35.5, 66, 66.5}});
  expect_same_in_pieces(samples, {.word_timestamps = true, .hallucination_silence_threshold = 2.0});
}

TEST_F(StreamingRunTest, GivesTheSameOfSpeechInPiecesOfAnySize) {
  const std::vector<float> gap(12 * kSecond);
  const std::vector<float> samples = gap + sample() + gap + sample() + sample() + sample() + gap;
  expect_same_in_pieces(samples, {.vad_filter = true});
  expect_same_in_pieces(samples, {.clip_timestamps = {10, 15, 20, 40.5, 41},
                                  .vad_filter = true,
                                  .vad_parameters = {.min_silence_duration_ms = 100}});
  const std::string one_by_one =
      streamed(std::span(samples).first(26 * kSecond), 1, {.vad_filter = true});
  EXPECT_EQ(one_by_one,
            streamed(std::span(samples).first(26 * kSecond), 26 * kSecond, {.vad_filter = true}));
}

TEST_F(StreamingRunTest, WaitsForWhatMayShareAWindow) {
  const std::vector<float> gap(12 * kSecond);
  const std::vector<float> samples = sample() + gap + sample() + gap + sample() + gap;
  const auto segments_by = [&](TranscribeOptions options, size_t seconds) {
    options.language = "en";
    int segments = 0;
    const TranscribeCallbacks callbacks{.on_segment = [&](const Segment&) { ++segments; }};
    StreamingRun run({model_, tokenizer_, vad_}, options, callbacks);
    run.feed(std::span(samples).first(seconds * kSecond));
    return segments;
  };
  EXPECT_EQ(segments_by({}, 46), 0) << "the third piece may be short";
  EXPECT_GT(segments_by({}, 69), 0) << "11 s do not fit beside 22";
  for (const TranscribeOptions& options :
       {TranscribeOptions{.share_windows = false}, TranscribeOptions{.multilingual = true},
        TranscribeOptions{.task = Task::Translate}, TranscribeOptions{.without_timestamps = true},
        TranscribeOptions{.word_timestamps = true, .hallucination_silence_threshold = 2.0}}) {
    EXPECT_GT(segments_by(options, 46), 0);
  }
}

TEST_F(StreamingRunTest, DecodesAWindowOnceItsSoundIsThere) {
  int segments = 0;
  const TranscribeCallbacks callbacks{.on_segment = [&](const Segment&) { ++segments; }};
  StreamingRun run({model_, tokenizer_, nullptr}, {.language = "en"}, callbacks);
  const std::vector<float> samples = noise(32);
  run.feed(std::span(samples).first(30 * kSecond));
  EXPECT_EQ(segments, 0) << "whether there is more was not known";
  run.feed(std::span(samples).subspan(30 * kSecond, kSecond));
  EXPECT_EQ(segments, 1);
  run.feed(std::span(samples).subspan(31 * kSecond));
  EXPECT_EQ(segments, 1) << "the next one begins at 4 s";
  EXPECT_GT(run.finish().segments.size(), 1u);
}

TEST_F(StreamingRunTest, HearsNothingWhereNobodySpeaks) {
  for (const std::vector<float>& samples : {noise(40), std::vector<float>(40 * kSecond)}) {
    double done_s = 0;
    const TranscribeCallbacks callbacks{.on_progress = [&](double done, double) { done_s = done; }};
    StreamingRun run({model_, tokenizer_, vad_}, {.vad_filter = true}, callbacks);
    run.feed(samples);
    EXPECT_GT(done_s, 20) << "silence that is done with";
    const Transcription result = run.finish();
    EXPECT_TRUE(result.segments.empty());
    EXPECT_EQ(result.language, "");
    EXPECT_DOUBLE_EQ(result.duration_s, 40);
    EXPECT_DOUBLE_EQ(done_s, 40);
    EXPECT_FALSE(result.cancelled);
  }
}

TEST_F(StreamingRunTest, TellsProgressForwardsWhereSpeechGoesOnBehindAClip) {
  std::vector<double> done_s;
  const TranscribeCallbacks callbacks{
      .on_progress = [&](double done, double) { done_s.push_back(done); }};
  const TranscribeOptions options{.clip_timestamps = {2, 20}, .vad_filter = true};
  StreamingRun run({model_, tokenizer_, vad_}, options, callbacks);
  const std::vector<float> speech = sample() + sample() + sample();
  for (size_t begin = 0; begin < speech.size(); begin += kSecond) {
    run.feed(std::span(speech).subspan(begin, kSecond));
  }
  run.finish();
  EXPECT_TRUE(std::ranges::is_sorted(done_s));
  ASSERT_FALSE(done_s.empty());
  EXPECT_DOUBLE_EQ(done_s.back(), 18);
}

TEST_F(StreamingRunTest, HearsNoMoreBehindAStop) {
  std::stop_source stop;
  StreamingRun run({model_, tokenizer_, nullptr}, {}, {.stop = stop.get_token()});
  const std::vector<float> samples = noise(35);
  run.feed(samples);
  stop.request_stop();
  run.feed(samples);
  const Transcription result = run.finish();
  EXPECT_TRUE(result.cancelled);
  EXPECT_EQ(result.segments.size(), 2u) << "from 0 and 4 s";
}

TEST_F(StreamingRunTest, ClampsToWhatTheFirstPassFound) {
  const std::vector<float> samples = noise(40);
  Survey survey(model_);
  for (size_t begin = 0; begin < samples.size(); begin += 777) {
    survey.feed(std::span(samples).subspan(begin, std::min<size_t>(777, samples.size() - begin)));
  }
  const Foreknown found = survey.finish();
  EXPECT_EQ(found.samples, static_cast<int64_t>(samples.size()));
  EXPECT_EQ(found.greatest_log_power, Sound::whole(model_.log_mel(), samples).maximum());
}

TEST_F(StreamingRunTest, MeasuresNothingBeforehandForTheOraclesGraph) {
  const auto faithful = scripted_whisper(said(), ops::make_faithful(mlx::core::float32));
  Survey survey(faithful);
  survey.feed(noise(1));
  EXPECT_FALSE(survey.finish().greatest_log_power);
}

}  // namespace
}  // namespace whinchat::transcription
