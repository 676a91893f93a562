#include "models/whisper/log_mel.h"

#include <gtest/gtest.h>
#include <mlx/array.h>
#include <mlx/ops.h>

#include <cmath>
#include <cstddef>
#include <numbers>
#include <vector>

#include "models/whisper/dimensions.h"

namespace whinchat::models::whisper {
namespace {

namespace mx = mlx::core;

TEST(LogMel, HasAFrameEveryTenMilliseconds) {
  const std::vector<float> samples(16000, 0.1F);
  EXPECT_EQ(LogMelSpectrogram({}, 80).of(samples, 0).shape(), (mx::Shape{100, 80}));
  EXPECT_EQ(LogMelSpectrogram({}, 128).of(samples, kWindowSamples).shape(), (mx::Shape{3100, 128}));
  EXPECT_EQ(LogMelSpectrogram({}, 80).of({}, kWindowSamples).shape(), (mx::Shape{3000, 80}));
}

TEST(LogMel, OfSilenceIsTheFloorEverywhere) {
  mx::array mel = LogMelSpectrogram({}, 80).of({}, kWindowSamples);
  EXPECT_EQ(mx::min(mel).item<float>(), -1.5F);
  EXPECT_EQ(mx::max(mel).item<float>(), -1.5F);
}

TEST(LogMel, PeaksInTheBandOfAToneAndSpansAtMostEightDecades) {
  std::vector<float> samples(16000);
  for (size_t i = 0; i < samples.size(); ++i) {
    samples[i] = static_cast<float>(
        std::sin(2 * std::numbers::pi * 1000 * static_cast<double>(i) / kSampleRate));
  }
  mx::array mel = LogMelSpectrogram({}, 80).of(samples, 0);
  const int band = mx::argmax(mx::slice(mel, {50, 0}, {51, 80})).item<int>();
  EXPECT_NEAR(band, 26, 1) << "bands are 37.5 Hz apart below 1 kHz";
  EXPECT_NEAR(mx::max(mel).item<float>() - mx::min(mel).item<float>(), 2.0F, 1e-6F);
}

}  // namespace
}  // namespace whinchat::models::whisper
