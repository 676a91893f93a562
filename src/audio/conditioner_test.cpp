#include "audio/conditioner.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <ostream>
#include <span>
#include <string>
#include <vector>

#include "audio/audio_source.h"
#include "audio/pcm.h"
#include "audio/test_files.h"

namespace whinchat::audio {
namespace {

constexpr size_t kFrames = 16000;

struct StereoCase {
  std::string name;
  double left_hz = 0;
  double left = 0;
  double right_hz = 0;
  double right = 0;
  bool cancels = false;
  int rate_hz = kSampleRate;
};

std::ostream& operator<<(std::ostream& out, const StereoCase& row) { return out << row.name; }

// Amplitudes in 16-bit steps; one second.
std::vector<int16_t> stereo(const StereoCase& row) {
  const std::vector<float> left = sine(row.left_hz, row.rate_hz, kFrames);
  const std::vector<float> right = sine(row.right_hz, row.rate_hz, kFrames);
  std::vector<int16_t> samples;
  for (size_t frame = 0; frame < kFrames; ++frame) {
    samples.push_back(static_cast<int16_t>(2 * row.left * left[frame]));
    samples.push_back(static_cast<int16_t>(2 * row.right * right[frame]));
  }
  return samples;
}

std::vector<std::string> warnings_of(std::span<const int16_t> samples, size_t channels,
                                     std::optional<int> channel, int rate_hz) {
  Conditioner conditioner({.channel = channel}, "file");
  while (!samples.empty()) {
    const auto piece = samples.first(std::min<size_t>(samples.size(), 1000 * channels));
    conditioner.push(interleaved_block(SampleFormat::S16, channels, std::as_bytes(piece)), rate_hz);
    samples = samples.subspan(piece.size());
  }
  conditioner.finish();
  return conditioner.warnings();
}

std::vector<std::string> opposed() {
  return {
      "the channels are of opposite phase, so that their average is nearly silent: hear one of "
      "them with --channel 1"};
}

class Phase : public testing::TestWithParam<StereoCase> {};

TEST_P(Phase, IsSaidWhereTheChannelsCancelAlone) {
  const StereoCase& row = GetParam();
  const std::vector<int16_t> samples = stereo(row);
  const std::vector<std::string> none;
  EXPECT_EQ(warnings_of(samples, 2, std::nullopt, row.rate_hz), row.cancels ? opposed() : none);
  EXPECT_EQ(warnings_of(samples, 2, 1, row.rate_hz), none);
  EXPECT_EQ(warnings_of(samples, 1, std::nullopt, row.rate_hz), none);
}

INSTANTIATE_TEST_SUITE_P(
    Stereo, Phase,
    testing::Values(StereoCase{"Opposed", 300, 9000, 300, -9000, true},
                    StereoCase{"OpposedAndResampled", 300, 9000, 300, -9000, true, 44100},
                    StereoCase{"OpposedAndNearlyAsLoud", 300, 9000, 300, -8500, true},
                    StereoCase{"OpposedAndQuiet", 300, 30, 300, -30, true},
                    StereoCase{"OpposedInTheLastBit", 300, 1, 300, -1},
                    StereoCase{"OpposedAndHalfAsLoud", 300, 9000, 300, -4500},
                    StereoCase{"Equal", 300, 9000, 300, 9000},
                    StereoCase{"Unrelated", 300, 9000, 470, 9000},
                    StereoCase{"LeftAlone", 300, 9000},
                    StereoCase{"LeftAndALittleOfItOpposed", 300, 9000, 300, -90},
                    StereoCase{"RightAlone", 0, 0, 300, 9000}, StereoCase{"Silent"}),
    [](const auto& row) { return row.param.name; });

TEST(Phase, IsSaidOfFourChannelsOfTwoPairs) {
  std::vector<int16_t> samples;
  for (const float value : sine(300, kSampleRate, kFrames)) {
    const auto sample = static_cast<int16_t>(10000 * value);
    const auto other = static_cast<int16_t>(sample / 3);
    for (const int part : {+sample, -sample, +other, -other}) {
      samples.push_back(static_cast<int16_t>(part));
    }
  }
  EXPECT_EQ(warnings_of(samples, 4, std::nullopt, kSampleRate), opposed());
}

}  // namespace
}  // namespace whinchat::audio
