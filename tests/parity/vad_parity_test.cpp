// Silero VAD against silero-vad 6.2.3 (oracles/vad.py, stored in tests/data/vad) on real speech:
// probabilities, and spans. All corners of the spans' rule are in speech_finder_test.cpp.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <ostream>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "audio/audio_source.h"
#include "base/bytes.h"
#include "base/file_map.h"
#include "base/json.h"
#include "models/vad/silero_vad.h"
#include "transcription/speech/speech_finder.h"
#include "transcription/speech/speech_listener.h"
#include "whinchat/vad.h"

namespace whinchat::parity {
namespace {

namespace fs = std::filesystem;
using models::vad::SileroVad;

struct Clip {
  const char* name;
  const char* file;  // beside the project, but for the sample
};

constexpr Clip kClips[] = {{"jfk", "samples/jfk.wav"},
                           {"hotwords", "../shared/audio/hotwords.mp3"},
                           {"ls_test", "../shared/audio/ls_test.flac"},
                           {"multilingual", "../shared/audio/multilingual.mp3"},
                           {"silero_test", "../shared/audio/silero_test.wav"},
                           {"stereo", "../shared/audio/stereo.wav"}};

void PrintTo(const Clip& clip, std::ostream* out) { *out << clip.name; }

// Zeros behind the end.
std::vector<float> whole_chunks(std::vector<float> samples, const SileroVad& vad) {
  const auto chunk = static_cast<size_t>(vad.chunk_samples());
  samples.resize((samples.size() + chunk - 1) / chunk * chunk);
  return samples;
}

class VadParity : public testing::TestWithParam<Clip> {
 protected:
  void SetUp() override {
    if (!fs::exists(file_)) GTEST_SKIP() << file_ << " is not there";
  }

  // At 8 kHz every second sample, as in the oracle.
  std::vector<float> heard(int rate) const {
    const std::vector<float> all = audio::read_all(*audio::open_audio(file_));
    std::vector<float> samples;
    for (size_t i = 0; i < all.size(); i += static_cast<size_t>(16000 / rate)) {
      samples.push_back(all[i]);
    }
    return samples;
  }

  static base::Json stored(int rate) {
    const fs::path path = fs::path(WHINCHAT_TEST_DATA) / "vad/recordings.json";
    return base::parse_json(base::as_text(base::FileMap::open(path)->bytes()), path.string())
        .at(GetParam().name)
        .at(std::to_string(rate));
  }

  fs::path file_ = fs::path(WHINCHAT_ROOT) / GetParam().file;
};

TEST_P(VadParity, ProbabilitiesEqualTheOracles) {
  for (const int rate : {16000, 8000}) {
    const SileroVad vad(rate);
    const auto expected = stored(rate).at("probabilities").get<std::vector<float>>();
    SileroVad::State state;
    const std::vector<float> ours = vad.probabilities(whole_chunks(heard(rate), vad), state);
    ASSERT_EQ(ours.size(), expected.size());
    EXPECT_GT(std::ranges::max(expected), 0.9F);
    float farthest = 0;
    for (size_t i = 0; i < ours.size(); ++i) {
      farthest = std::max(farthest, std::abs(ours[i] - expected[i]));
    }
    EXPECT_LT(farthest, 1e-4F) << rate << " Hz";
    RecordProperty("farthest_" + std::to_string(rate), std::to_string(farthest));
  }
}

TEST_P(VadParity, SpansEqualTheOracles) {
  const VadOptions faster_whisper{.min_silence_duration_ms = 2000};
  VadOptions cut = kSileroVadOptions;
  cut.max_speech_duration_s = 3;
  cut.speech_pad_ms = 100;
  for (const int rate : {16000, 8000}) {
    const std::vector<float> samples = heard(rate);
    for (const auto& [title, options] : {std::pair{"silero", kSileroVadOptions},
                                         {"transcription", faster_whisper},
                                         {"short", cut}}) {
      std::vector<int64_t> ours;
      transcription::SpeechListener listener(options, rate);
      listener.hear(samples);
      listener.finish();
      for (const transcription::SpeechSpan& span : listener.finder().take()) {
        ours.insert(ours.end(), {span.begin, span.end});
      }
      EXPECT_EQ(ours, stored(rate).at(title).get<std::vector<int64_t>>()) << title << ", " << rate;
    }
  }
}

TEST_P(VadParity, PiecesGiveTheSame) {
  for (const int rate : {16000, 8000}) {
    const SileroVad vad(rate);
    const std::vector<float> samples = whole_chunks(heard(rate), vad);
    SileroVad::State state;
    const std::vector<float> whole = vad.probabilities(samples, state);
    for (const size_t chunks : {1, 7, 13, 160}) {
      const size_t piece = chunks * static_cast<size_t>(vad.chunk_samples());
      SileroVad::State piecewise;
      std::vector<float> pieces;
      for (size_t begin = 0; begin < samples.size(); begin += piece) {
        const std::span<const float> rest = std::span(samples).subspan(begin);
        const auto found = vad.probabilities(rest.first(std::min(piece, rest.size())), piecewise);
        pieces.insert(pieces.end(), found.begin(), found.end());
      }
      ASSERT_EQ(pieces.size(), whole.size());
      for (size_t i = 0; i < whole.size(); ++i) ASSERT_NEAR(pieces[i], whole[i], 1e-6);
    }
  }
}

TEST_P(VadParity, ListenerTakesPiecesOfAnySize) {
  const std::vector<float> samples = heard(16000);
  transcription::SpeechListener whole(kSileroVadOptions, 16000);
  std::vector<float> expected = whole.hear(samples);
  for (const float probability : whole.finish()) expected.push_back(probability);
  const std::vector<transcription::SpeechSpan> spans = whole.finder().take();
  for (const size_t piece : {1, 7, 160, 700, 16000}) {
    transcription::SpeechListener listener(kSileroVadOptions, 16000);
    std::vector<float> ours;
    for (size_t begin = 0; begin < samples.size(); begin += piece) {
      const std::span<const float> rest = std::span(samples).subspan(begin);
      const auto found = listener.hear(rest.first(std::min(piece, rest.size())));
      ours.insert(ours.end(), found.begin(), found.end());
    }
    for (const float probability : listener.finish()) ours.push_back(probability);
    EXPECT_TRUE(std::ranges::equal(ours, expected,
                                   [](float a, float b) { return std::abs(a - b) < 1e-6F; }))
        << "pieces of " << piece;
    EXPECT_EQ(listener.finder().take(), spans);
  }
}

INSTANTIATE_TEST_SUITE_P(EveryClip, VadParity, testing::ValuesIn(kClips),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace whinchat::parity
