#include "audio/resample.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "audio/audio_source.h"
#include "audio/test_files.h"
#include "audio/test_wav.h"

namespace whinchat::audio {
namespace {

std::vector<float> resampled(const std::vector<float>& samples, int rate_hz, size_t piece) {
  Resampler resampler(rate_hz, kSampleRate);
  std::vector<float> result;
  std::span<const float> rest = samples;
  while (!rest.empty()) {
    const size_t count = std::min(piece, rest.size());
    resampler.push(rest.first(count), result);
    rest = rest.subspan(count);
  }
  resampler.finish(result);
  return result;
}

class Rates : public testing::TestWithParam<int> {};

TEST_P(Rates, KeepASinesAmplitudeFrequencyAndPlace) {
  const int rate_hz = GetParam();
  const double tone_hz = std::min(1000, rate_hz / 5);
  const auto samples = static_cast<size_t>(rate_hz) * 2;
  const std::vector<float> heard = resampled(sine(tone_hz, rate_hz, samples), rate_hz, 4096);
  EXPECT_GT(snr_db(heard, sine(tone_hz, kSampleRate, 32000), 3200), 90);
}

TEST_P(Rates, GiveAsManySamplesAsTheTimeHolds) {
  const int rate_hz = GetParam();
  for (const size_t count : {1U, 2U, 7U, 100U, 999U, 16000U, 44101U, 100003U}) {
    const size_t heard = resampled(std::vector<float>(count, 0.1F), rate_hz, 4096).size();
    const double exact = static_cast<double>(count) * kSampleRate / rate_hz;
    EXPECT_NEAR(static_cast<double>(heard), std::round(exact), 1) << count;
  }
}

TEST_P(Rates, GiveTheSameForPiecesOfAnySize) {
  const int rate_hz = GetParam();
  const std::vector<float> samples = sine(440, rate_hz, 20011);
  const std::vector<float> whole = resampled(samples, rate_hz, samples.size());
  for (const size_t piece : {1U, 7U, 160U, 16000U}) {
    EXPECT_EQ(resampled(samples, rate_hz, piece), whole) << piece;
  }
}

INSTANTIATE_TEST_SUITE_P(Zoo, Rates,
                         testing::Values(1000, 8000, 11025, 12000, 22050, 24000, 32000, 44100,
                                         48000, 96000, 192000),
                         [](const auto& row) { return std::to_string(row.param); });

TEST(Resampler, KeepsNothingAboveHalfTheTargetRate) {
  const std::vector<float> heard = resampled(sine(9000, 48000, 96000), 48000, 4096);
  for (size_t index = 800; index + 800 < heard.size(); ++index)
    ASSERT_LT(std::abs(heard[index]), 1e-4);
}

TEST(AudioSource, ReadInPiecesEqualsReadAtOnce) {
  std::vector<int16_t> samples;
  for (const float value : sine(440, 44100, 100003)) {
    samples.push_back(static_cast<int16_t>(value * 32767));
  }
  for (const uint32_t rate_hz : {16000U, 44100U}) {
    const TempFile file("pieces.wav", wav16(samples, 1, rate_hz));
    const std::vector<float> whole = read_file(file.path()).samples;
    for (const size_t piece : {1U, 7U, 160U, 16000U}) {
      const auto source = open_audio(file.path());
      std::vector<float> joined;
      std::vector<float> buffer(piece);
      while (const size_t count = source->read(buffer)) {
        joined.insert(joined.end(), buffer.begin(),
                      buffer.begin() + static_cast<std::ptrdiff_t>(count));
        if (count < piece) break;
      }
      EXPECT_EQ(source->read(buffer), 0U);
      EXPECT_EQ(joined, whole) << piece;
    }
  }
}

}  // namespace
}  // namespace whinchat::audio
