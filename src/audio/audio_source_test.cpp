#include "audio/audio_source.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "audio/test_files.h"
#include "audio/test_wav.h"
#include "whinchat/error.h"

namespace whinchat::audio {
namespace {

// Puts a file in the place of standard input while it lives.
class StandardInput {
 public:
  explicit StandardInput(const std::filesystem::path& path) : saved_(::dup(STDIN_FILENO)) {
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    ::dup2(file, STDIN_FILENO);
    ::close(file);
  }
  StandardInput(const StandardInput&) = delete;
  StandardInput& operator=(const StandardInput&) = delete;
  ~StandardInput() {
    ::dup2(saved_, STDIN_FILENO);
    ::close(saved_);
  }

 private:
  int saved_;
};

double correlation(const std::vector<float>& left, const std::vector<float>& right) {
  double both = 0;
  double left_power = 0;
  double right_power = 0;
  for (size_t index = 0; index < std::min(left.size(), right.size()); ++index) {
    both += static_cast<double>(left[index]) * right[index];
    left_power += static_cast<double>(left[index]) * left[index];
    right_power += static_cast<double>(right[index]) * right[index];
  }
  return both / std::sqrt(left_power * right_power + 1e-30);
}

TEST(OpenAudio, ReadsARedirectedFileFromStandardInputTwice) {
  const TempFile file("stdin.wav", wav16({1, 2, 3}));
  const StandardInput input(file.path());
  EXPECT_TRUE(can_open_again("-"));
  const std::vector<float> expected{1.0F / 32768, 2.0F / 32768, 3.0F / 32768};
  EXPECT_EQ(read_file("-").samples, expected);
  EXPECT_EQ(read_file("-").samples, expected);
}

TEST(OpenAudio, NamesStandardInputInItsErrors) {
  const TempFile file("stdin.txt", "");
  const StandardInput input(file.path());
  EXPECT_STREQ(error_of([] { read_file("-"); }).what(), "standard input is empty");
}

TEST(OpenAudio, CanBeCalledAgainForFilesOnly) {
  const TempFile file("again.wav", wav16({1}));
  EXPECT_TRUE(can_open_again(file.path()));
  EXPECT_FALSE(can_open_again("/dev/null"));
  EXPECT_FALSE(can_open_again("/nonexistent"));
}

TEST(OpenAudio, NamesAMissingFileAndAFolder) {
  const Error missing = error_of([] { read_file("/nonexistent/speech.wav"); });
  EXPECT_EQ(missing.kind(), ErrorKind::NotFound);
  EXPECT_STREQ(missing.what(), "cannot open /nonexistent/speech.wav: No such file or directory");
  const Error folder = error_of([] { read_file("/"); });
  EXPECT_EQ(folder.kind(), ErrorKind::BadInput);
  EXPECT_STREQ(folder.what(), "cannot read /: it is a directory");
}

TEST(OpenAudio, DecodesACompressedWavThroughAPipeWhateverComesBeforeItsFormat) {
  const std::string junk = chunk("JUNK", std::string(100001, 'j'));
  const std::string format = chunk("fmt ", format_body({.tag = 7, .rate_hz = 16000, .bits = 8}));
  const std::string bytes = riff(junk + format + chunk("data", std::string(16000, '\xFF')));
  const Recording recording = read_both_ways(bytes);
  EXPECT_EQ(recording.samples, std::vector<float>(16000, 0.0F));
}

TEST(OpenAudio, ReadsAtTheRateThatIsAskedFor) {
  const TempFile file("tone.wav", wav16(std::vector<int16_t>(16000, 1000)));
  const auto source = open_audio(file.path(), {.rate_hz = 8000});
  EXPECT_EQ(source->duration_s(), 1.0);
  const std::vector<float> samples = read_all(*source);
  ASSERT_EQ(samples.size(), 8000U);
  EXPECT_NEAR(samples[4000], 1000.0F / 32768, 1e-5);
}

TEST(RealSpeech, FromWavIsItsIntegersOver32768) {
  const auto path = speech_file("jfk.wav");
  if (!path) GTEST_SKIP() << "the folder of real speech is not here";
  const Recording recording = read_file(*path);
  ASSERT_EQ(recording.samples.size(), 176000U);
  EXPECT_EQ(recording.warnings, std::vector<std::string>());
  const std::string bytes = read_bytes(*path);
  const size_t start = bytes.find("data") + 8;
  for (size_t index = 0; index < recording.samples.size(); ++index) {
    int16_t value = 0;
    std::memcpy(&value, bytes.data() + start + 2 * index, 2);
    ASSERT_EQ(recording.samples[index], static_cast<float>(value) / 32768) << index;
  }
  EXPECT_EQ(read_piped(bytes).samples, recording.samples);
}

TEST(RealSpeech, FromMp3AndFlacIsTheSameSpeech) {
  const auto path = speech_file("jfk.wav");
  if (!path) GTEST_SKIP() << "the folder of real speech is not here";
  const std::vector<float> expected = read_file(*path).samples;
  for (const std::string name : {"jfk.mp3", "jfk.flac"}) {
    const Recording recording = read_both_ways(read_bytes(path->parent_path() / name));
    EXPECT_EQ(recording.samples.size(), 176000U) << name;
    EXPECT_EQ(recording.warnings, std::vector<std::string>()) << name;
    EXPECT_GT(correlation(recording.samples, expected), 0.99) << name;
  }
}

TEST(RealSpeech, FromATruncatedMp3IsItsStartAndSaysSo) {
  const auto path = speech_file("jfk.mp3");
  if (!path) GTEST_SKIP() << "the folder of real speech is not here";
  const std::string bytes = read_bytes(*path);
  const Recording recording = read_both_ways(bytes.substr(0, bytes.size() / 2));
  EXPECT_GT(recording.samples.size(), 60000U);
  ASSERT_EQ(recording.warnings.size(), 1U);
  EXPECT_TRUE(recording.warnings[0].starts_with("the file ends early: 5."))
      << recording.warnings[0];
  EXPECT_TRUE(recording.warnings[0].ends_with(" s of 11.1 s decoded")) << recording.warnings[0];
}

}  // namespace
}  // namespace whinchat::audio
