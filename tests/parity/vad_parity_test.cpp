// Silero VAD against silero-vad 6.2.3 (oracles/vad.py, stored in tests/data/vad): probabilities on
// real speech. The rule from probabilities to spans is in transcription/speech/speech_finder_test.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <ostream>
#include <span>
#include <string>
#include <vector>

#include "audio/audio_source.h"
#include "base/bytes.h"
#include "base/file_map.h"
#include "base/json.h"
#include "models/vad/silero_vad.h"

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

// The clip in whole chunks, zeros behind its end. At 8 kHz every second sample, as in the oracle.
std::vector<float> whole_chunks(const fs::path& file, const SileroVad& vad) {
  const std::vector<float> heard = audio::read_all(*audio::open_audio(file));
  std::vector<float> samples;
  const size_t step = static_cast<size_t>(16000 / vad.rate_hz());
  for (size_t i = 0; i < heard.size(); i += step) samples.push_back(heard[i]);
  const auto chunk = static_cast<size_t>(vad.chunk_samples());
  samples.resize((samples.size() + chunk - 1) / chunk * chunk);
  return samples;
}

class VadParity : public testing::TestWithParam<Clip> {
 protected:
  void SetUp() override {
    if (!fs::exists(file_)) GTEST_SKIP() << file_ << " is not there";
  }

  fs::path file_ = fs::path(WHINCHAT_ROOT) / GetParam().file;
};

TEST_P(VadParity, ProbabilitiesEqualTheOracles) {
  const fs::path stored = fs::path(WHINCHAT_TEST_DATA) / "vad/probabilities.json";
  const base::Json rows =
      base::parse_json(base::as_text(base::FileMap::open(stored)->bytes()), stored.string());
  for (const int rate : {16000, 8000}) {
    const SileroVad vad(rate);
    const auto expected =
        rows.at(GetParam().name).at(std::to_string(rate)).get<std::vector<float>>();
    SileroVad::State state;
    const std::vector<float> ours = vad.probabilities(whole_chunks(file_, vad), state);
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

TEST_P(VadParity, PiecesGiveTheSame) {
  for (const int rate : {16000, 8000}) {
    const SileroVad vad(rate);
    const std::vector<float> samples = whole_chunks(file_, vad);
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

INSTANTIATE_TEST_SUITE_P(EveryClip, VadParity, testing::ValuesIn(kClips),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace whinchat::parity
