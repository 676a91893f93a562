#include "transcription/speech/vad_options.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "whinchat/error.h"
#include "whinchat/vad.h"

namespace whinchat::transcription {
namespace {

TEST(VadOptions, DefaultsAndEdgesPass) {
  check_vad_options({});
  check_vad_options({.threshold = 0, .neg_threshold = 1, .max_speech_duration_s = 0.001});
  check_vad_options({.threshold = 1,
                     .neg_threshold = 0,
                     .min_silence_duration_ms = 0,
                     .speech_pad_ms = 0,
                     .min_silence_at_max_speech = 0});
}

TEST(VadOptions, OnesOutOfRangeAreNamed) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<std::pair<VadOptions, std::string>> rows = {
      {{.threshold = -0.1}, "threshold: expected 0 to 1, got -0.1"},
      {{.threshold = nan}, "threshold: expected 0 to 1, got nan"},
      {{.neg_threshold = 1.5}, "neg-threshold: expected 0 to 1, got 1.5"},
      {{.min_speech_duration_ms = -1}, "min-speech-duration-ms: expected 0 to 3600000 ms, got -1"},
      {{.min_silence_duration_ms = 3600001},
       "min-silence-duration-ms: expected 0 to 3600000 ms, got 3600001"},
      {{.speech_pad_ms = -5}, "speech-pad-ms: expected 0 to 3600000 ms, got -5"},
      {{.max_speech_duration_s = 0}, "max-speech-duration-s: expected more than 0 s, got 0"},
      {{.max_speech_duration_s = nan}, "max-speech-duration-s: expected more than 0 s, got nan"},
      {{.min_silence_at_max_speech = -1},
       "min-silence-at-max-speech: expected 0 to 3600000 ms, got -1"}};
  for (const auto& [options, message] : rows) {
    try {
      check_vad_options(options);
      ADD_FAILURE() << "no error, expected: " << message;
    } catch (const Error& error) {
      EXPECT_EQ(error.what(), message);
      EXPECT_EQ(error.kind(), ErrorKind::BadInput);
    }
  }
}

}  // namespace
}  // namespace whinchat::transcription
