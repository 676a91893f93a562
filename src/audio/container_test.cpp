#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "audio/audio_source.h"
#include "audio/test_files.h"
#include "audio/test_recording.h"
#include "whinchat/error.h"

namespace whinchat::audio {
namespace {

constexpr double kSeconds = 3;

// 3 s of a tone that swells, so that a shift shows.
std::vector<float> swelling_tone(int rate_hz) {
  std::vector<float> samples =
      sine(440, static_cast<double>(rate_hz), size_t{3} * static_cast<size_t>(rate_hz));
  for (size_t index = 0; index < samples.size(); ++index) {
    samples[index] *= static_cast<float>(index) / static_cast<float>(samples.size());
  }
  return samples;
}

struct ContainerCase {
  std::string name;
  EncodeOptions options;
  double least_snr_db;
  bool has_claim = true;    // the header says how long it is
  int padding_samples = 0;  // at the end, which the container does not tell from sound
};

std::vector<ContainerCase> container_cases() {
  return {
      {"Flac", {"flac", "flac"}, 80},
      {"Flac44100", {"flac", "flac", 44100}, 60},
      {"Mp3", {"mp3", "libmp3lame"}, 20},
      {"OggVorbis", {"ogg", "libvorbis", 44100}, 20, false},
      {"OggOpus", {"ogg", "libopus", 48000}, 20, false},
      {"WebmOpus", {"webm", "libopus", 48000}, 20},
      {"Mp4AacIndexFirst", {"mp4", "aac", 44100, 1, 64000, "movflags=+faststart"}, 20, true, 1024},
      {"M4aAlac", {"ipod", "alac", 16000, 1, 0, "movflags=+faststart"}, 80},
      {"MatroskaFlac", {"matroska", "flac"}, 80},
      {"Aiff", {"aiff", "pcm_s16be"}, 80},
      {"Sony64", {"w64", "pcm_s16le"}, 80, false},
      {"MuLawWav", {"wav", "pcm_mulaw"}, 30},
      {"AdpcmWav", {"wav", "adpcm_ms"}, 20, true, 1024},
  };
}

std::ostream& operator<<(std::ostream& out, const ContainerCase& row) { return out << row.name; }

class Containers : public testing::TestWithParam<ContainerCase> {
 protected:
  void SetUp() override {
    const EncodeOptions& options = GetParam().options;
    const std::optional<std::string> encoded = encode(options, swelling_tone(options.rate_hz));
    if (!encoded) GTEST_SKIP() << "this machine's FFmpeg has no encoder " << options.codec;
    bytes_ = *encoded;
  }

  void expect_tone(const std::vector<float>& samples) const {
    const std::vector<float> expected = swelling_tone(kSampleRate);
    EXPECT_GE(samples.size(), expected.size() - 32);
    EXPECT_LE(samples.size(),
              expected.size() + 32 + static_cast<size_t>(GetParam().padding_samples));
    EXPECT_GT(snr_db(samples, expected, 1600), GetParam().least_snr_db);
  }

  std::string bytes_;
};

TEST_P(Containers, GiveTheirSamplesFromAFileWhateverItsName) {
  const TempFile file("tone.txt", bytes_);
  const Recording recording = read_file(file.path());
  expect_tone(recording.samples);
  EXPECT_EQ(recording.warnings, std::vector<std::string>());
  EXPECT_NEAR(recording.duration_s.value_or(0), kSeconds, 0.1);
}

TEST_P(Containers, GiveTheirSamplesThroughAPipe) {
  const Recording recording = read_piped(bytes_);
  expect_tone(recording.samples);
  EXPECT_EQ(recording.warnings, std::vector<std::string>());
}

TEST_P(Containers, GiveWhatDecodesOfATruncatedFileAndSaySo) {
  const TempFile file("cut", bytes_.substr(0, bytes_.size() * 6 / 10));
  const Recording recording = read_file(file.path());
  const std::vector<float> expected = swelling_tone(kSampleRate);
  EXPECT_GT(recording.samples.size(), 8000U);
  EXPECT_LT(recording.samples.size(), 46000U);
  EXPECT_GT(snr_db(recording.samples, expected, 1600), 20);
  ASSERT_FALSE(recording.warnings.empty());
  EXPECT_TRUE(recording.warnings.back().starts_with("the file ends early: "));
  EXPECT_EQ(recording.warnings.back().find("of 3.") != std::string::npos, GetParam().has_claim)
      << recording.warnings.back();
}

TEST_P(Containers, AreHeardChannelByChannel) {
  EncodeOptions options = GetParam().options;
  options.channels = 2;
  options.bit_rate *= 2;
  std::vector<float> stereo;
  for (const float sample : swelling_tone(options.rate_hz)) {
    stereo.push_back(sample);
    stereo.push_back(sample / 2);
  }
  const std::string bytes = encode(options, stereo).value_or("");
  std::vector<float> expected = swelling_tone(kSampleRate);
  EXPECT_GT(snr_db(read_piped(bytes, {.channel = 1}).samples, expected, 1600), 15);
  for (float& sample : expected) sample *= 0.75F;
  EXPECT_GT(snr_db(read_piped(bytes).samples, expected, 1600), 15);
  for (float& sample : expected) sample *= 2.0F / 3;
  EXPECT_GT(snr_db(read_piped(bytes, {.channel = 2}).samples, expected, 1600), 15);
  EXPECT_EQ(error_of_bytes(bytes, {.channel = 3}).kind(), ErrorKind::BadInput);
}

INSTANTIATE_TEST_SUITE_P(Zoo, Containers, testing::ValuesIn(container_cases()),
                         [](const auto& row) { return row.param.name; });

std::string mp3_of(const std::string& muxer_options) {
  return encode({.container = "mp3", .codec = "libmp3lame", .muxer_options = muxer_options},
                swelling_tone(kSampleRate))
      .value_or("");
}

TEST(Mp3WithoutALengthInItsHeader, SaysThatItsLastFrameIsCut) {
  const std::string bytes = mp3_of("write_xing=0");
  if (bytes.empty()) GTEST_SKIP() << "this machine's FFmpeg has no encoder libmp3lame";
  EXPECT_EQ(read_both_ways(bytes).warnings, std::vector<std::string>());
  const Recording cut = read_both_ways(bytes.substr(0, bytes.size() * 6 / 10));
  ASSERT_EQ(cut.warnings.size(), 1U);
  EXPECT_TRUE(cut.warnings[0].starts_with("the file ends early: 1.")) << cut.warnings[0];
}

TEST(Mp3WithoutALengthInItsHeader, TakesTagsAndPaddingAtItsEndForNoDamage) {
  const std::string bytes = mp3_of("write_xing=0");
  if (bytes.empty()) GTEST_SKIP() << "this machine's FFmpeg has no encoder libmp3lame";
  const std::string tag = "APETAGEX" + std::string(300, '\7');
  EXPECT_EQ(read_both_ways(bytes + std::string(500, '\0')).warnings, std::vector<std::string>());
  EXPECT_EQ(read_both_ways(bytes + tag).warnings, std::vector<std::string>());
}

TEST(Mp3, DamageInTheMiddleKeepsTheRest) {
  std::string bytes = mp3_of("");
  if (bytes.empty()) GTEST_SKIP() << "this machine's FFmpeg has no encoder libmp3lame";
  for (size_t index = bytes.size() / 2; index < bytes.size() / 2 + 2000; ++index)
    bytes[index] = '\0';
  const Recording recording = read_both_ways(bytes);
  EXPECT_GT(recording.samples.size(), 40000U);
}

TEST(FlacContainer, DamageInTheMiddleIsLeftOutAndSaid) {
  std::string bytes = encode({"flac", "flac"}, swelling_tone(kSampleRate)).value_or("");
  for (size_t index = bytes.size() / 2; index < bytes.size() / 2 + 3000; ++index)
    bytes[index] = '\1';
  const Recording recording = read_both_ways(bytes);
  EXPECT_GT(recording.samples.size(), 20000U);
  EXPECT_FALSE(recording.warnings.empty());
}

TEST(Webm, DamageInTheMiddleLeavesAGapThatIsSaid) {
  const EncodeOptions options{.container = "webm",
                              .codec = "libopus",
                              .rate_hz = 48000,
                              .muxer_options = "cluster_time_limit=300"};
  std::string bytes = encode(options, swelling_tone(48000)).value_or("");
  if (bytes.empty()) GTEST_SKIP() << "this machine's FFmpeg has no encoder libopus";
  bytes.replace(bytes.size() / 2, 300, 300, '\x55');
  const TempFile file("gap.webm", bytes);
  const std::vector<std::string> warnings = read_file(file.path()).warnings;
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_NE(warnings[0].find(" s of the sound are missing, the first from "), std::string::npos);
}

TEST(Ogg, ADamagedLastPageIsAnEarlyEnd) {
  std::string bytes = encode({"ogg", "libvorbis", 44100}, swelling_tone(44100)).value_or("");
  if (bytes.empty()) GTEST_SKIP() << "this machine's FFmpeg has no encoder libvorbis";
  bytes[bytes.size() - 10] = static_cast<char>(bytes[bytes.size() - 10] ^ 1);
  const TempFile file("last.ogg", bytes);
  const std::vector<std::string> warnings = read_file(file.path()).warnings;
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_NE(warnings[0].find("the file ends early"), std::string::npos);
}

TEST(Video, WithoutSoundIsRefusedInOneSentence) {
  const Error error = error_of_bytes(encode_video(1, {}));
  EXPECT_EQ(error.kind(), ErrorKind::BadInput);
  EXPECT_NE(std::string(error.what()).find("holds no sound, only pictures"), std::string::npos);
}

TEST(Video, WhoseSoundEndsBeforeItsPicturesIsWhole) {
  const std::string video = encode_video(6, swelling_tone(kSampleRate));
  const Recording recording = read_both_ways(video);
  EXPECT_EQ(recording.samples.size(), 48000U);
  EXPECT_EQ(recording.warnings, std::vector<std::string>());
  EXPECT_NEAR(recording.duration_s.value_or(0), 6, 0.2);
}

TEST(Container, WithAHeaderOnlyIsRefusedInOneSentence) {
  const std::string flac = encode({"flac", "flac"}, swelling_tone(kSampleRate)).value_or("");
  const Error error = error_of_bytes(flac.substr(0, 42));
  EXPECT_EQ(error.kind(), ErrorKind::Corrupt);
  EXPECT_NE(std::string(error.what()).find("cannot read the sound of"), std::string::npos);
}

class Mp4WithItsIndexAtTheEnd : public testing::Test {
 protected:
  const std::string bytes_ =
      encode({"mp4", "aac"}, sine(440, kSampleRate, size_t{60} * kSampleRate)).value_or("");
};

TEST_F(Mp4WithItsIndexAtTheEnd, IsReadFromAFile) {
  const TempFile file("minute.mp4", bytes_);
  const Recording recording = read_file(file.path());
  EXPECT_NEAR(static_cast<double>(recording.samples.size()), 60.0 * kSampleRate, 1024);
  EXPECT_EQ(recording.warnings, std::vector<std::string>());
}

TEST_F(Mp4WithItsIndexAtTheEnd, AsksForAFileInsteadOfAPipe) {
  const Error error = error_of([&] { read_piped(bytes_); });
  EXPECT_EQ(error.kind(), ErrorKind::Corrupt);
  EXPECT_NE(std::string(error.what()).find("needs a file, not a pipe"), std::string::npos)
      << error.what();
}

TEST_F(Mp4WithItsIndexAtTheEnd, IsCorruptWhenTruncated) {
  const Error error = error_of_bytes(bytes_.substr(0, bytes_.size() / 2));
  EXPECT_EQ(error.kind(), ErrorKind::Corrupt);
  EXPECT_NE(std::string(error.what()).find("header is damaged or cut off"), std::string::npos)
      << error.what();
}

struct NoRecordingCase {
  std::string name;
  std::string bytes;
  std::string says;
};

std::ostream& operator<<(std::ostream& out, const NoRecordingCase& row) { return out << row.name; }

class NoRecordings : public testing::TestWithParam<NoRecordingCase> {};

TEST_P(NoRecordings, AreRefusedInOneSentence) {
  const Error error = error_of_bytes(GetParam().bytes);
  EXPECT_EQ(error.kind(), ErrorKind::BadInput) << error.what();
  EXPECT_NE(std::string(error.what()).find(GetParam().says), std::string::npos) << error.what();
}

std::string many(const std::string& line, int times) {
  std::string text;
  for (int count = 0; count < times; ++count) text += line;
  return text;
}

INSTANTIATE_TEST_SUITE_P(
    Zoo, NoRecordings,
    testing::Values(
        NoRecordingCase{"ShortText", "hello\n", "is no recording"},
        NoRecordingCase{"LongText", many("a line of text, and no sound in it\n", 9999),
                        "is no recording"},
        NoRecordingCase{"Zeros", std::string(100000, '\0'), "is no recording"},
        NoRecordingCase{"GzipHeader",
                        std::string("\x1F\x8B\x08\0\0\0\0\0\0\3", 10) + many("zip", 999),
                        "is no recording"},
        NoRecordingCase{"Subtitles", "1\n00:00:01,000 --> 00:00:02,000\nhello\n", "holds no sound"},
        NoRecordingCase{"Playlist",
                        "#EXTM3U\n#EXT-X-TARGETDURATION:10\n#EXTINF:10,\nhttp://127.0.0.1:9/x.ts\n",
                        "is a playlist"},
        NoRecordingCase{"ConcatScript", "ffconcat version 1.0\nfile /etc/passwd\n",
                        "is a playlist"},
        NoRecordingCase{"SessionDescription",
                        "v=0\no=- 0 0 IN IP4 127.0.0.1\ns=x\nc=IN IP4 127.0.0.1\nt=0 0\n"
                        "m=audio 5004 RTP/AVP 0\n",
                        "is a playlist"}),
    [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace whinchat::audio
