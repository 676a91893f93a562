#include "kernels/log_mel.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <ios>
#include <iterator>
#include <limits>
#include <numbers>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "kernels/isa.h"
#include "kernels/mel_tables.h"
#include "kernels/team.h"
#include "whinchat/error.h"

namespace whinchat::kernels {
namespace {

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr double kUnit = 0x1p-24;  // of rounding to f32

std::vector<float> hann() {
  std::vector<float> window(MelTables::kSamples);
  for (size_t i = 0; i < window.size(); ++i) {
    window[i] = static_cast<float>(0.5 - 0.5 * std::cos(2 * std::numbers::pi * double(i) / 400));
  }
  return window;
}

// Triangles between n_mels + 2 points that are even on the mel scale, of area 1. The first one is
// left empty, as a real bank's narrowest can be.
std::vector<float> bank(int n_mels) {
  const auto hertz = [&](int point) {
    const double mel = 2595 * std::log10(1 + 8000.0 / 700) * point / (n_mels + 1);
    return 700 * (std::pow(10.0, mel / 2595) - 1);
  };
  std::vector<float> filters(MelTables::kBins);
  for (int band = 1; band < n_mels; ++band) {
    const double low = hertz(band);
    const double middle = hertz(band + 1);
    const double high = hertz(band + 2);
    for (int bin = 0; bin < MelTables::kBins; ++bin) {
      const double at = 40.0 * bin;
      const double height = std::min((at - low) / (middle - low), (high - at) / (high - middle));
      filters.push_back(static_cast<float>(std::max(0.0, height) * 2 / (high - low)));
    }
  }
  return filters;
}

LogMel log_mel(int n_mels) { return {n_mels, bank(n_mels), hann()}; }

std::vector<float> noise(int64_t frames, float loudness) {
  std::mt19937 random(static_cast<unsigned>(frames));
  std::normal_distribution<float> normal(0, loudness);
  std::vector<float> samples(static_cast<size_t>(160 * (frames - 1) + 400));
  for (float& sample : samples) sample = normal(random);
  return samples;
}

// The public-domain sample, 16-bit mono at 16 kHz, without padding.
std::vector<float> speech() {
  std::ifstream file(WHINCHAT_SAMPLE, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  std::vector<float> samples;
  for (size_t at = bytes.find("data") + 8; at + 2 <= bytes.size(); at += 2) {
    int16_t sample = 0;
    std::memcpy(&sample, bytes.data() + at, sizeof sample);
    samples.push_back(static_cast<float>(sample) / 32768.0F);
  }
  return samples;
}

// What log10 of a band's power may be off by. The DFT in f64 goes through at most 64 roundings of
// 2^-53 of the samples' magnitudes; with e that error, a band's Σ w · |X|² is off by at most
// 2e · √(Σw · band) + e² · Σw. Then come one rounding to f32, log10's own error and the
// reference's rounding.
double bound_of(double log, std::span<const float> frame, double weights) {
  double magnitude = 0;
  for (const float sample : frame) magnitude += std::abs(sample);
  const double error = 64 * 0x1p-53 * magnitude;
  const double band = std::pow(10.0, log);
  const double relative = 2 * error * std::sqrt(weights / band) + error * error * weights / band;
  return (relative + kUnit) * std::numbers::log10e + 2 * kUnit * std::max(std::abs(log), 0.5) +
         kUnit * std::abs(log);
}

void expect_within_bound(int n_mels, std::span<const float> padded, std::span<const float> got,
                         std::span<const float> expected) {
  const std::vector<float> filters = bank(n_mels);
  std::vector<double> weights(static_cast<size_t>(n_mels));
  for (size_t i = 0; i < filters.size(); ++i) weights[i / MelTables::kBins] += filters[i];
  for (size_t i = 0; i < got.size(); ++i) {
    const size_t frame = i / weights.size();
    const double bound =
        bound_of(expected[i], padded.subspan(160 * frame, 400), weights[i % weights.size()]);
    ASSERT_NEAR(got[i], expected[i], bound) << "frame " << frame << ", value " << i;
  }
}

class LogMelTest : public testing::TestWithParam<Isa> {
 protected:
  void SetUp() override { limit_isa(GetParam()); }
  void TearDown() override { limit_isa(Isa::Amx); }
};

TEST_P(LogMelTest, StaysWithinTheBoundOfTheReferenceAtOddSizes) {
  Team team(2);
  for (const int n_mels : {1, 2, 80, 128}) {
    const LogMel mel = log_mel(n_mels);
    for (const int64_t frames : {1, 2, 7, 8, 9, 16, 17, 33, 50}) {
      const std::vector<float> padded = noise(frames, 0.1F);
      std::vector<float> out(static_cast<size_t>(frames * n_mels));
      std::vector<float> expected(out.size());
      const float greatest = mel.log_power(padded, frames, out.data(), team);
      mel.log_power_reference(padded, frames, expected.data());
      EXPECT_EQ(greatest, *std::ranges::max_element(out));
      expect_within_bound(n_mels, padded, out, expected);
    }
  }
}

// A tone and one 60 dB below it: between them and around them lies the floor.
TEST_P(LogMelTest, StaysWithinTheBoundEightDecadesUnderATone) {
  constexpr size_t kFrames = 20;
  std::vector<float> padded = noise(int64_t{kFrames}, 1e-6F);
  for (size_t i = 0; i < padded.size(); ++i) {
    const double phase = 2 * std::numbers::pi * double(i) / 16000;
    padded[i] += static_cast<float>(std::sin(440 * phase) + 1e-3 * std::sin(3000 * phase));
  }
  const LogMel mel = log_mel(80);
  std::vector<float> out(kFrames * 80);
  std::vector<float> expected(out.size());
  Team team(1);
  const float greatest = mel.log_power(padded, kFrames, out.data(), team);
  mel.log_power_reference(padded, kFrames, expected.data());
  expect_within_bound(80, padded, out, expected);
  const auto under_floor = [&](float value) { return value < greatest - 8; };
  EXPECT_GT(std::ranges::count_if(expected, under_floor), 200);
}

TEST_P(LogMelTest, OfSpeechIsWithin1MillionthOfTheReferenceOnceScaled) {
  const std::vector<float> padded = speech();
  ASSERT_EQ(padded.size(), 176000);
  constexpr size_t kFrames = (176000 - 400) / 160 + 1;
  const LogMel mel = log_mel(80);
  std::vector<float> out(kFrames * 80);
  std::vector<float> expected(out.size());
  Team team(2);
  const float greatest = mel.log_power(padded, kFrames, out.data(), team);
  LogMel::scale(out, greatest, 8, team);
  const float expected_greatest = mel.log_power_reference(padded, kFrames, expected.data());
  LogMel::scale(expected, expected_greatest, 8, team);
  double worst = 0;
  for (size_t i = 0; i < out.size(); ++i) {
    worst = std::max(worst, double(std::abs(out[i] - expected[i])));
  }
  EXPECT_LT(worst, 1e-6);
}

TEST_P(LogMelTest, EveryRunAndTeamGivesTheSameBits) {
  constexpr size_t kFrames = 101;
  const std::vector<float> padded = noise(int64_t{kFrames}, 0.3F);
  const LogMel mel = log_mel(80);
  std::vector<float> first(kFrames * 80);
  Team one(1);
  const float greatest = mel.log_power(padded, kFrames, first.data(), one);
  std::vector<float> scaled = first;
  LogMel::scale(scaled, greatest, 8, one);
  for (const int size : {1, 2, 3}) {
    Team team(size);
    std::vector<float> again(first.size());
    EXPECT_EQ(mel.log_power(padded, kFrames, again.data(), team), greatest);
    EXPECT_EQ(again, first) << size;
    LogMel::scale(again, greatest, 8, team);
    EXPECT_EQ(again, scaled) << size;
  }
}

TEST_P(LogMelTest, ClampsSilenceAt1em10) {
  const std::vector<float> padded(560);
  std::vector<float> out(160);
  Team team(1);
  const float greatest = log_mel(80).log_power(padded, 2, out.data(), team);
  for (const float value : out) EXPECT_NEAR(value, -10, 20 * kUnit);
  EXPECT_EQ(greatest, out[0]);
}

TEST_P(LogMelTest, NaNStaysInItsOwnFrames) {
  constexpr size_t kFrames = 9;
  std::vector<float> padded = noise(int64_t{kFrames}, 0.1F);
  const LogMel mel = log_mel(80);
  std::vector<float> clean(kFrames * 80);
  Team team(1);
  mel.log_power(padded, kFrames, clean.data(), team);
  padded[480] = kNaN;  // in frames 1, 2 and 3, of frame 3 the first
  std::vector<float> out(clean.size());
  mel.log_power(padded, kFrames, out.data(), team);
  for (size_t i = 0; i < out.size(); ++i) {
    const size_t frame = i / 80;
    const bool has_filter = i % 80 != 0;
    if (frame >= 1 && frame <= 3 && has_filter) {
      EXPECT_TRUE(std::isnan(out[i])) << i;
    } else {
      EXPECT_EQ(out[i], clean[i]) << i;
    }
  }
}

TEST_P(LogMelTest, ScaleClampsAndHalvesTwice) {
  Team team(2);
  for (const size_t size : {0UL, 1UL, 5UL, 8UL, 33UL, 9001UL}) {
    std::vector<float> values(size);
    for (size_t i = 0; i < size; ++i) values[i] = static_cast<float>(i % 200) / 10 - 15;
    std::vector<float> expected = values;
    for (float& value : expected) value = (std::max(value, 1.5F - 8.0F) + 4.0F) / 4.0F;
    LogMel::scale(values, 1.5F, 8, team);
    EXPECT_EQ(values, expected);
  }
}

TEST_P(LogMelTest, OfNoFramesIsNothing) {
  Team team(2);
  EXPECT_EQ(log_mel(80).log_power({}, 0, nullptr, team), -std::numeric_limits<float>::infinity());
}

INSTANTIATE_TEST_SUITE_P(EveryIsa, LogMelTest, testing::ValuesIn(usable_isas()),
                         [](const auto& tested) { return std::string(name_of(tested.param)); });

TEST(LogMel, RefusesTablesOfOtherSizes) {
  EXPECT_THROW(LogMel(81, bank(80), hann()), Error);
  EXPECT_THROW(LogMel(0, {}, hann()), Error);
  EXPECT_THROW(LogMel(80, bank(80), std::vector<float>(401)), Error);
}

TEST(LogMel, RefusesFewerSamplesThanTheFramesNeed) {
  Team team(1);
  std::vector<float> out(160);
  const LogMel mel = log_mel(80);
  EXPECT_THROW(mel.log_power(std::vector<float>(559), 2, out.data(), team), Error);
  EXPECT_THROW(mel.log_power(std::vector<float>(560), -1, out.data(), team), Error);
}

}  // namespace
}  // namespace whinchat::kernels
