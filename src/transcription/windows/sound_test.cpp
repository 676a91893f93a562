#include "transcription/windows/sound.h"

#include <gtest/gtest.h>
#include <mlx/array.h>
#include <mlx/ops.h>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <random>
#include <span>
#include <vector>

#include "models/whisper/dimensions.h"
#include "models/whisper/log_mel.h"
#include "ops/runtime.h"
#include "transcription/windows/clips.h"

namespace whinchat::transcription {
namespace {

namespace mx = mlx::core;
using models::whisper::LogMelSpectrogram;

std::vector<float> noise(size_t count) {
  std::mt19937 random(1);
  std::vector<float> samples(count);
  for (float& sample : samples) sample = static_cast<float>(random() % 2001) / 1000 - 1;
  return samples;
}

bool are_equal(const mx::array& left, const mx::array& right) {
  return mx::array_equal(left, right).item<bool>();
}

class SoundTest : public testing::Test {
 protected:
  mx::array slice_of_whole(int begin, int end) const {
    return mx::slice(log_mel_.of(samples_, models::whisper::kWindowSamples), {begin, 0}, {end, 80});
  }

  const LogMelSpectrogram log_mel_{ops::make_fast_cpu(0, ops::Products::F32), 80};
  const std::vector<float> samples_ = noise(70 * 16000 + 77);
};

TEST_F(SoundTest, FramesOfAWindowAreThoseOfTheWholeInEveryBit) {
  Sound sound = Sound::whole(log_mel_, samples_);
  EXPECT_EQ(sound.frames(), 7000);
  EXPECT_TRUE(are_equal(sound.mel(0, 3000), slice_of_whole(0, 3000)));
  EXPECT_TRUE(are_equal(sound.mel(4321, 17), slice_of_whole(4321, 4338)));
  sound.forget_before(5000);
  EXPECT_TRUE(are_equal(sound.mel(5000, 2000), slice_of_whole(5000, 7000)));
}

TEST_F(SoundTest, OfTheOraclesGraphWaitsForTheWhole) {
  const LogMelSpectrogram oracle({}, 80);
  Sound sound(oracle);
  sound.push(samples_);
  EXPECT_EQ(sound.frames(), 0);
  sound.finish();
  EXPECT_EQ(sound.frames(), 7000);
  const mx::array whole = oracle.of(samples_, models::whisper::kWindowSamples);
  sound.forget_before(3000);
  EXPECT_TRUE(are_equal(sound.mel(100, 3000), mx::slice(whole, {100, 0}, {3100, 80})));
}

TEST_F(SoundTest, GivesAFrameOnceItsLastSampleIsThere) {
  Sound sound(log_mel_, 0.0F);
  sound.push(std::span(samples_).first(199));
  EXPECT_EQ(sound.frames(), 0);
  sound.push(std::span(samples_).subspan(199, 1));
  EXPECT_EQ(sound.frames(), 1);
  const mx::array first = sound.mel(0, 1);
  sound.push(std::span(samples_).subspan(200, 160));
  EXPECT_EQ(sound.frames(), 2);
  EXPECT_TRUE(are_equal(mx::slice(sound.mel(0, 2), {0, 0}, {1, 80}), first));
}

TEST_F(SoundTest, IsClampedToWhatWasHeardByTheWindowsEndUnlessMoreIsKnown) {
  std::vector<float> rising(size_t{6000} * 160);
  for (size_t i = 0; i < rising.size(); ++i) rising[i] = i < rising.size() / 2 ? 0 : samples_[i];
  Sound sound(log_mel_);
  sound.push(rising);
  sound.finish();
  EXPECT_EQ(mx::max(sound.mel(0, 1000)).item<float>(), -1.5F) << "nothing but the floor";
  const float loud = mx::max(sound.mel(3000, 3000)).item<float>();
  EXPECT_GT(loud, 1);
  EXPECT_EQ(mx::max(sound.mel(0, 1000)).item<float>(), loud - 2) << "8 decades are 2";
}

TEST_F(SoundTest, OfClipsThatWaitIsHeldWithoutWhatLiesBetween) {
  const std::vector<Clip> clips = {{0, 100}, {2000, 2100}, {2101, 2200}};
  Sound sound(log_mel_, 1.0F);
  sound.push(samples_);
  const auto mels = [&] {
    std::vector<mx::array> mels;
    mels.reserve(clips.size() + 1);
    for (const auto& [begin, end] : clips) {
      mels.push_back(sound.mel(begin, static_cast<int>(end - begin)));
    }
    mels.push_back(sound.mel(6000, 500));
    for (mx::array& mel : mels) mel.eval();
    return mels;
  };
  const std::vector<mx::array> before = mels();
  sound.keep(clips, 6000);
  EXPECT_LT(sound.held_samples(), std::ssize(samples_) - int64_t{56} * 16000);
  const std::vector<mx::array> after = mels();
  for (size_t i = 0; i < before.size(); ++i) EXPECT_TRUE(are_equal(after[i], before[i])) << i;
  sound.push(std::span(samples_).first(32000));
  sound.keep({}, 6000);
  EXPECT_TRUE(are_equal(sound.mel(6000, 500), before.back()));
}

TEST_F(SoundTest, KnowsDigitalSilence) {
  std::vector<float> samples(1600);
  samples[800] = 1e-9F;
  const Sound sound = Sound::whole(log_mel_, samples);
  EXPECT_TRUE(sound.is_digital_silence(0, 5));
  EXPECT_FALSE(sound.is_digital_silence(5, 1));
  EXPECT_TRUE(sound.is_digital_silence(6, 100));
}

}  // namespace
}  // namespace whinchat::transcription
