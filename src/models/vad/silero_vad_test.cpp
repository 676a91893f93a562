#include "models/vad/silero_vad.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "whinchat/error.h"

namespace whinchat::models::vad {
namespace {

class SileroVadTest : public testing::TestWithParam<int> {
 protected:
  int rate() const { return GetParam(); }
  size_t samples_of(double seconds) const { return static_cast<size_t>(seconds * rate()); }

  // Something that changes all the time: a tone that glides and beats, in a little noise.
  std::vector<float> sweep(size_t chunks) const {
    std::mt19937 random(1);
    std::normal_distribution<float> normal(0.0F, 0.02F);
    std::vector<float> samples(chunks * static_cast<size_t>(vad_.chunk_samples()));
    for (size_t i = 0; i < samples.size(); ++i) {
      const double t = static_cast<double>(i) / rate();
      const double tone = std::sin(2 * std::numbers::pi * t * (120 + 25 * t));
      samples[i] = static_cast<float>(0.4 * tone * std::sin(9 * t)) + normal(random);
    }
    return samples;
  }

  float greatest(const std::vector<float>& samples) const {
    SileroVad::State state;
    const size_t chunk = static_cast<size_t>(vad_.chunk_samples());
    const std::span<const float> whole(samples.data(), samples.size() / chunk * chunk);
    return std::ranges::max(vad_.probabilities(whole, state));
  }

  SileroVad vad_{GetParam(), 2};
};

TEST_P(SileroVadTest, GivesTheSameForAnySplitIntoCalls) {
  const std::vector<float> samples = sweep(400);
  SileroVad::State state;
  const std::vector<float> whole = vad_.probabilities(samples, state);
  ASSERT_EQ(whole.size(), 400);
  EXPECT_GT(std::ranges::max(whole) - std::ranges::min(whole), 0.02F);
  for (const size_t chunks : {1, 7, 13, 160}) {
    SileroVad::State piecewise;
    std::vector<float> pieces;
    const size_t piece = chunks * static_cast<size_t>(vad_.chunk_samples());
    for (size_t begin = 0; begin < samples.size(); begin += piece) {
      const size_t size = std::min(piece, samples.size() - begin);
      const auto part = vad_.probabilities({samples.data() + begin, size}, piecewise);
      pieces.insert(pieces.end(), part.begin(), part.end());
    }
    ASSERT_EQ(pieces.size(), whole.size());
    for (size_t i = 0; i < whole.size(); ++i) ASSERT_NEAR(pieces[i], whole[i], 1e-6);
    EXPECT_EQ(piecewise.context, state.context);
  }
}

TEST_P(SileroVadTest, HearsNoSpeechInSilenceNoiseAndTones) {
  EXPECT_LT(greatest(std::vector<float>(samples_of(20))), 0.5F);
  std::mt19937 random(2);
  for (const float loudness : {0.001F, 0.03F, 0.3F}) {
    std::normal_distribution<float> normal(0.0F, loudness);
    std::vector<float> noise(samples_of(20));
    std::ranges::generate(noise, [&] { return normal(random); });
    EXPECT_LT(greatest(noise), 0.5F) << "noise of " << loudness;
  }
  for (const double hertz : {100.0, 440.0, 1000.0, 3000.0}) {
    std::vector<float> tone(samples_of(20));
    for (size_t i = 0; i < tone.size(); ++i) {
      tone[i] = static_cast<float>(
          0.5 * std::sin(2 * std::numbers::pi * hertz * static_cast<double>(i) / rate()));
    }
    EXPECT_LT(greatest(tone), 0.5F) << hertz << " Hz";
  }
}

TEST_P(SileroVadTest, HearsWholeChunksAlone) {
  SileroVad::State state;
  EXPECT_TRUE(vad_.probabilities({}, state).empty());
  EXPECT_THROW(vad_.probabilities(std::vector<float>(100), state), Error);
}

INSTANTIATE_TEST_SUITE_P(EveryRate, SileroVadTest, testing::Values(16000, 8000),
                         [](const auto& info) { return std::to_string(info.param) + "Hz"; });

TEST(SileroVad, RefusesOtherRates) { EXPECT_THROW(SileroVad(44100), Error); }

}  // namespace
}  // namespace whinchat::models::vad
