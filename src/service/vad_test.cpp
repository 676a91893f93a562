#include "whinchat/vad.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <vector>

#include "audio/audio_source.h"
#include "service/speech_cut.h"
#include "transcription/speech/speech_finder.h"
#include "whinchat/error.h"

namespace whinchat {
namespace {

std::vector<float> sample() { return audio::read_all(*audio::open_audio(WHINCHAT_SAMPLE)); }

bool are_near(const std::vector<SpeechSegment>& ours, const std::vector<SpeechSegment>& others,
              double within_s) {
  return std::ranges::equal(ours, others, [&](const SpeechSegment& a, const SpeechSegment& b) {
    return std::abs(a.start_s - b.start_s) < within_s && std::abs(a.end_s - b.end_s) < within_s;
  });
}

std::vector<SpeechSegment> moved(std::vector<SpeechSegment> segments, double by_s) {
  for (SpeechSegment& segment : segments) segment.start_s += by_s, segment.end_s += by_s;
  return segments;
}

// The sample's, as silero-vad 6.2.3 finds it (tests/data/vad/recordings.json).
std::vector<SpeechSegment> of_sample() {
  return {{0.322, 2.27}, {3.266, 4.446}, {5.378, 7.678}, {8.162, 10.622}};
}

TEST(FindSpeech, GivesSamplesAndFilesTheSame) {
  const Speech of_file = find_speech(WHINCHAT_SAMPLE);
  EXPECT_TRUE(are_near(of_file.segments, of_sample(), 0.001));
  EXPECT_EQ(of_file.end_s, 11.0);
  EXPECT_FALSE(of_file.cancelled);
  EXPECT_TRUE(are_near(find_speech(sample()).segments, of_file.segments, 1e-9));
}

TEST(FindSpeech, HearsNearlyTheSameAtEightKilohertz) {
  const Speech speech = find_speech(WHINCHAT_SAMPLE, {.sampling_rate_hz = 8000});
  ASSERT_FALSE(speech.segments.empty());
  EXPECT_NEAR(speech.segments.front().start_s, 0.322, 0.2);
  EXPECT_NEAR(speech.segments.back().end_s, 10.622, 0.3);
}

TEST(FindSpeech, TimesOfAClipAreTheRecordings) {
  std::vector<float> samples(320000);
  const std::vector<float> spoken = sample();
  samples.insert(samples.end(), spoken.begin(), spoken.end());
  samples.resize(samples.size() + 80000);
  FindSpeechOptions options;
  EXPECT_TRUE(are_near(find_speech(samples, options).segments, moved(of_sample(), 20), 0.1));
  options.start_s = 20;
  EXPECT_TRUE(are_near(find_speech(samples, options).segments, moved(of_sample(), 20), 0.001));
  options.end_s = 24.9;
  const Speech clip = find_speech(samples, options);
  EXPECT_EQ(clip.segments.size(), 2U);
  EXPECT_EQ(clip.end_s, 24.9);
  options.start_s = 100;
  options.end_s.reset();
  EXPECT_TRUE(find_speech(samples, options).segments.empty());
}

TEST(FindSpeech, TellsProbabilitiesProgressAndSegmentsOnItsWay) {
  std::vector<SpeechSegment> told;
  std::vector<double> starts;
  double done_s = 0;
  FindSpeechCallbacks callbacks;
  callbacks.on_segment = [&](const SpeechSegment& segment) { told.push_back(segment); };
  callbacks.on_probability = [&](double start_s, float probability) {
    starts.push_back(start_s);
    EXPECT_TRUE(probability >= 0 && probability <= 1);
  };
  callbacks.on_progress = [&](double done, std::optional<double> total) {
    EXPECT_GT(done, done_s);
    EXPECT_EQ(total, 11.0);
    done_s = done;
  };
  const Speech speech = find_speech(WHINCHAT_SAMPLE, {}, callbacks);
  EXPECT_TRUE(are_near(told, speech.segments, 1e-9));
  EXPECT_EQ(done_s, 11.0);
  ASSERT_EQ(starts.size(), 344U);
  EXPECT_EQ(starts[1], 0.032);
}

TEST(FindSpeech, CutsOutWhatTheSegmentsSay) {
  const std::vector<float> samples = sample();
  std::vector<float> cut;
  FindSpeechCallbacks callbacks;
  callbacks.on_samples = [&](std::span<const float> piece) {
    cut.insert(cut.end(), piece.begin(), piece.end());
  };
  const Speech speech = find_speech(samples, {}, callbacks);
  std::vector<float> expected;
  for (const SpeechSegment& segment : speech.segments) {
    expected.insert(expected.end(), samples.begin() + std::llround(segment.start_s * 16000),
                    samples.begin() + std::llround(segment.end_s * 16000));
  }
  EXPECT_EQ(cut, expected);
}

TEST(FindSpeech, StopsWhereItIsAskedTo) {
  std::stop_source stop;
  FindSpeechCallbacks callbacks;
  callbacks.stop = stop.get_token();
  callbacks.on_progress = [&](double, std::optional<double>) { stop.request_stop(); };
  const Speech speech = find_speech(WHINCHAT_SAMPLE, {}, callbacks);
  EXPECT_TRUE(speech.cancelled);
  EXPECT_LT(speech.end_s, 11.0);
}

TEST(FindSpeech, PassesOnWhatACallbackThrows) {
  FindSpeechCallbacks callbacks;
  callbacks.on_segment = [](const SpeechSegment&) { throw std::runtime_error("enough"); };
  EXPECT_THROW(find_speech(WHINCHAT_SAMPLE, {}, callbacks), std::runtime_error);
}

TEST(FindSpeech, RefusesOptionsThatCannotBe) {
  const auto message_of = [](const FindSpeechOptions& options) {
    try {
      find_speech(std::span<const float>(), options);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(message_of({.vad = {.threshold = 2}}), "threshold: expected 0 to 1, got 2");
  EXPECT_EQ(message_of({.sampling_rate_hz = 44100}),
            "sampling-rate: expected 16000 or 8000, got 44100");
  EXPECT_EQ(message_of({.start_s = -1}), "start: expected 0 s or more, got -1 s");
  EXPECT_EQ(message_of({.start_s = 2, .end_s = 1}),
            "end: expected a time after the start, 2 s, got 1 s");
  EXPECT_EQ(message_of({}), "");
}

// A recording whose samples are their own numbers, in pieces of so many chunks: what is cut out of
// it, and what the spans that were found say.
struct Cut {
  explicit Cut(size_t piece_chunks) {
    const size_t piece = piece_chunks * kChunk;
    for (size_t begin = 0; begin < kSamples; begin += piece) {
      hear(begin, std::min(kSamples, begin + piece));
    }
  }

  static constexpr size_t kChunk = 512;
  static constexpr size_t kSamples = 640 * kChunk;
  transcription::SpeechFinder finder{
      {.min_silence_duration_ms = 320, .speech_pad_ms = 64, .max_speech_duration_s = 2},
      16000,
      kChunk};
  std::vector<float> given, expected;
  service::SpeechCut speech{[this](std::span<const float> samples) {
    given.insert(given.end(), samples.begin(), samples.end());
  }};

  void hear(size_t begin, size_t end) {
    std::vector<float> samples(end - begin);
    std::iota(samples.begin(), samples.end(), static_cast<float>(begin));
    speech.hear(samples);
    for (size_t chunk = begin / kChunk; chunk < end / kChunk; ++chunk) {
      finder.push(chunk * chunk / 7 % 90 < 60 ? 0.9F : 0.1F);
    }
    if (end == kSamples) finder.finish(kSamples);
    const std::vector<transcription::SpeechSpan> spans = finder.take();
    speech.give(spans, finder);
    for (const transcription::SpeechSpan& span : spans) {
      for (int64_t at = span.begin; at < span.end; ++at) {
        expected.push_back(static_cast<float>(at));
      }
    }
  }
};

TEST(SpeechCut, GivesTheSamplesOfSpansInAnyPieces) {
  for (const size_t piece_chunks : {1, 3, 10, 64}) {
    const Cut cut(piece_chunks);
    EXPECT_GT(cut.expected.size(), 100000U);
    EXPECT_EQ(cut.given, cut.expected);
  }
}

}  // namespace
}  // namespace whinchat
