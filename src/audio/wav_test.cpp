#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "audio/audio_source.h"
#include "audio/test_files.h"
#include "audio/test_wav.h"
#include "whinchat/error.h"

namespace whinchat::audio {
namespace {

std::string int24(int32_t value) { return bytes_of(value).substr(0, 3); }

struct FormatCase {
  std::string name;
  WavFormat format;
  std::string data;
  std::vector<float> expected;
};

std::vector<FormatCase> format_cases() {
  return {
      {"U8", {.bits = 8}, std::string("\x00\x80\xFF\x40", 4), {-1, 0, 127.0F / 128, -0.5F}},
      {"S16",
       {},
       bytes_of_all<int16_t>({-32768, 0, 1, 32767}),
       {-1, 0, 1.0F / 32768, 32767.0F / 32768}},
      {"S24",
       {.bits = 24},
       int24(-8388608) + int24(0) + int24(1) + int24(-1) + int24(8388607),
       {-1, 0, 1.0F / 8388608, -1.0F / 8388608, 8388607.0F / 8388608}},
      {"S32",
       {.bits = 32},
       bytes_of_all<int32_t>({std::numeric_limits<int32_t>::min(), 0, 256, 1073741824}),
       {-1, 0, 256.0F / 2147483648.0F, 0.5F}},
      {"F32",
       {.tag = 3, .bits = 32},
       bytes_of_all<float>({-1, 0.1F, 2.5F, 1e-38F}),
       {-1, 0.1F, 2.5F, 1e-38F}},
      {"F64", {.tag = 3, .bits = 64}, bytes_of_all<double>({-1, 0.1, 0.5}), {-1, 0.1F, 0.5F}},
      {"TwelveBitsFillTheirBytesFromTheTop",
       {.bits = 12},
       bytes_of_all<int16_t>({0x4000, -16}),
       {0.5F, -16.0F / 32768}},
  };
}

std::ostream& operator<<(std::ostream& out, const FormatCase& row) { return out << row.name; }

class WavFormats : public testing::TestWithParam<FormatCase> {};

TEST_P(WavFormats, AreReadExactly) {
  const FormatCase& row = GetParam();
  EXPECT_EQ(read_both_ways(wav(row.format, row.data)).samples, row.expected);
}

TEST_P(WavFormats, AreReadExactlyAsExtensible) {
  const FormatCase& row = GetParam();
  const std::string format = chunk("fmt ", extensible_body(row.format, row.format.bits));
  EXPECT_EQ(read_both_ways(riff(format + chunk("data", row.data))).samples, row.expected);
}

INSTANTIATE_TEST_SUITE_P(Zoo, WavFormats, testing::ValuesIn(format_cases()),
                         [](const auto& row) { return row.param.name; });

std::vector<int16_t> three() { return {100, -200, 300}; }
std::vector<float> three_heard() { return {100.0F / 32768, -200.0F / 32768, 300.0F / 32768}; }

struct LayoutCase {
  std::string name;
  std::string bytes;
};

// Each holds three().
std::vector<LayoutCase> layout_cases() {
  const std::string format = chunk("fmt ", format_body({}));
  const std::string samples = bytes_of_all(three());
  const std::string data = chunk("data", samples);
  const std::string odd = chunk("LIST", "odd");
  const std::string sizes =
      chunk("ds64", bytes_of<uint64_t>(80) + bytes_of<uint64_t>(6) + bytes_of<uint64_t>(3) +
                        bytes_of<uint32_t>(1) + "JUNK" + bytes_of<uint64_t>(3));
  const uint32_t unknown = 0xFFFFFFFF;
  return {
      {"OddLengthChunksAnywhere", riff(odd + format + odd + chunk("fact", "12345") + data)},
      {"OddLengthChunkWithoutPadding",
       riff("LIST" + bytes_of<uint32_t>(3) + "odd" + format + data)},
      {"ChunksAfterTheSound", riff(format + data + chunk("LIST", std::string(99, 'x')))},
      {"FormatWithExtraBytes", riff(chunk("fmt ", format_body({}) + std::string(90, '\1')) + data)},
      {"FormatWithoutFrameSize", riff(chunk("fmt ", format_body({.frame_bytes = 0})) + data)},
      {"EmptyChunk", riff(chunk("JUNK", "") + format + data)},
      {"BogusRiffSize", riff(format + data, 7)},
      {"StreamedWithZeroSizes", riff(format + chunk("data", samples, 0), 0)},
      {"StreamedWithZeroSizesAndUnknownRiff", riff(format + chunk("data", samples, 0), unknown)},
      {"CrashedBeforeSizesWereWritten", riff(format + chunk("data", samples, 0), 36)},
      {"StreamedWithUnknownSizes", riff(format + chunk("data", samples, unknown), unknown)},
      {"StreamedBySox", riff(format + chunk("data", samples, 0x7FFFF000), 0x7FFFF024)},
      {"StreamedByHugeSize", riff(format + chunk("data", samples, 0xFFFFFFD0), 0xFFFFFFF4)},
      {"Rf64", riff(sizes + format + chunk("data", samples, unknown), unknown, "RF64")},
      {"Bw64", riff(sizes + format + chunk("data", samples, unknown), unknown, "BW64")},
      {"Rf64TableGivesOtherSizes",
       riff(sizes + "JUNK" + bytes_of(unknown) + std::string("abc\0", 4) + format +
                chunk("data", samples, unknown),
            unknown, "RF64")},
      {"Rf64WithoutSizes", riff(format + chunk("data", samples, unknown), unknown, "RF64")},
      {"LongChunkBeforeTheSound", riff(format + chunk("PICT", std::string(3000001, 'p')) + data)},
  };
}

std::ostream& operator<<(std::ostream& out, const LayoutCase& row) { return out << row.name; }

class WavLayouts : public testing::TestWithParam<LayoutCase> {};

TEST_P(WavLayouts, GiveTheSameSamples) {
  const Recording recording = read_both_ways(GetParam().bytes);
  EXPECT_EQ(recording.samples, three_heard());
  EXPECT_EQ(recording.warnings, std::vector<std::string>());
  EXPECT_DOUBLE_EQ(recording.duration_s.value_or(-1), 3.0 / 16000);
}

INSTANTIATE_TEST_SUITE_P(Zoo, WavLayouts, testing::ValuesIn(layout_cases()),
                         [](const auto& row) { return row.param.name; });

struct BadCase {
  std::string name;
  std::string bytes;
  ErrorKind kind;
  std::string says;
};

std::vector<BadCase> bad_cases() {
  const std::string format = chunk("fmt ", format_body({}));
  const std::string data = chunk("data", "1234");
  const auto with = [&](const WavFormat& odd) { return wav(odd, "12345678"); };
  return {
      {"Empty", "", ErrorKind::BadInput, "is empty"},
      {"HeaderOnly", riff(format + chunk("data", "")), ErrorKind::BadInput, "without a single"},
      {"SilentBeforeOtherChunks", riff(format + chunk("data", "") + chunk("LIST", "abcdef")),
       ErrorKind::BadInput, "without a single"},
      {"LessThanAFrame", riff(format + chunk("data", "1")), ErrorKind::BadInput,
       "without a single"},
      {"NoChunks", riff(""), ErrorKind::Corrupt, "ends inside its header"},
      {"CutInFormat", riff(format).substr(0, 30), ErrorKind::Corrupt, "ends inside its header"},
      {"NoData", riff(format), ErrorKind::Corrupt, "ends inside its header"},
      {"EndlessChunk", riff(format + chunk("LIST", "abc", 0xFFFFFFFF) + data), ErrorKind::Corrupt,
       "ends inside its header"},
      {"SoundBeforeFormat", riff(data + format), ErrorKind::Corrupt, "before its format"},
      {"ShortFormat", riff(chunk("fmt ", "12345678") + data), ErrorKind::Corrupt, "expected 16"},
      {"NoChannels", with({.channels = 0}), ErrorKind::Corrupt, "0 channels"},
      {"NoRate", with({.rate_hz = 0}), ErrorKind::Corrupt, "0 Hz"},
      {"LowRate", with({.rate_hz = 1}), ErrorKind::Unsupported, "sample rate of 1 Hz"},
      {"HugeRate", with({.rate_hz = 0xFFFFFFFF}), ErrorKind::Unsupported, "sample rate"},
      {"WrongFrameSize", with({.bits = 24, .frame_bytes = 4}), ErrorKind::Corrupt, "contradicts"},
  };
}

std::ostream& operator<<(std::ostream& out, const BadCase& row) { return out << row.name; }

class WavErrors : public testing::TestWithParam<BadCase> {};

TEST_P(WavErrors, AreOneClearSentence) {
  const Error error = error_of_bytes(GetParam().bytes);
  EXPECT_EQ(error.kind(), GetParam().kind) << error.what();
  EXPECT_NE(std::string(error.what()).find(GetParam().says), std::string::npos) << error.what();
}

INSTANTIATE_TEST_SUITE_P(Zoo, WavErrors, testing::ValuesIn(bad_cases()),
                         [](const auto& row) { return row.param.name; });

TEST(Wav, CutInAFrameGivesWholeFramesAndSaysSo) {
  const std::string whole = wav16(std::vector<int16_t>(32000, 5));
  const Recording cut = read_both_ways(whole.substr(0, 44 + 16001));
  EXPECT_EQ(cut.samples, std::vector<float>(8000, 5.0F / 32768));
  EXPECT_EQ(cut.warnings, std::vector<std::string>{"the file ends early: 0.5 s of 2.0 s decoded"});
  EXPECT_DOUBLE_EQ(cut.duration_s.value_or(0), 2.0);
}

TEST(Wav, OddDataSizeLeavesTheLastBytesOutAndSaysSo) {
  const Recording recording = read_both_ways(wav({}, std::string("\0\x40\7", 3)));
  EXPECT_EQ(recording.samples, std::vector<float>{0.5F});
  EXPECT_EQ(recording.warnings,
            std::vector<std::string>{"the sound ends inside a frame: the last byte is left out"});
}

TEST(Wav, ChannelsAreAveragedOrChosen) {
  const std::string stereo = wav16({100, 201, -32768, -32768}, 2);
  EXPECT_EQ(read_both_ways(stereo).samples, (std::vector<float>{150.5F / 32768, -1}));
  EXPECT_EQ(read_both_ways(stereo, {.channel = 1}).samples,
            (std::vector<float>{100.0F / 32768, -1}));
  EXPECT_EQ(read_both_ways(stereo, {.channel = 2}).samples,
            (std::vector<float>{201.0F / 32768, -1}));
  const std::string five = wav16({10, 20, 30, 40, 50}, 5);
  EXPECT_EQ(read_both_ways(five).samples, std::vector<float>{30.0F / 32768});
}

TEST(Wav, MissingChannelNamesHowManyThereAre) {
  const std::string stereo = wav16({1, 2}, 2);
  const Error third = error_of_bytes(stereo, {.channel = 3});
  EXPECT_EQ(third.kind(), ErrorKind::BadInput);
  EXPECT_NE(std::string(third.what()).find("has 2 channels, so there is no channel 3"),
            std::string::npos);
  EXPECT_EQ(error_of_bytes(stereo, {.channel = 0}).kind(), ErrorKind::BadInput);
  EXPECT_EQ(error_of_bytes(stereo, {.channel = -1}).kind(), ErrorKind::BadInput);
}

TEST(Wav, InfiniteSamplesBecomeSilenceAndAreCounted) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float infinite = std::numeric_limits<float>::infinity();
  const std::string data = bytes_of_all<float>({0.5F, nan, -infinite, 0.25F});
  const Recording recording = read_both_ways(wav({.tag = 3, .bits = 32}, data));
  EXPECT_EQ(recording.samples, (std::vector<float>{0.5F, 0, 0, 0.25F}));
  EXPECT_EQ(
      recording.warnings,
      std::vector<std::string>{"2 samples are infinite or not a number and were read as silence"});
  const std::string huge = bytes_of_all<double>({1e300, 0.5});
  EXPECT_EQ(read_both_ways(wav({.tag = 3, .bits = 64}, huge)).samples,
            (std::vector<float>{0, 0.5F}));
}

TEST(Wav, HugeFloatsStayFiniteThroughTheResampler) {
  const std::vector<float> huge(4000, std::numeric_limits<float>::max());
  const Recording recording =
      read_both_ways(wav({.tag = 3, .rate_hz = 8000, .bits = 32}, bytes_of_all(huge)));
  EXPECT_EQ(recording.samples.size(), 8000U);
  for (const float sample : recording.samples) ASSERT_TRUE(std::isfinite(sample));
}

TEST(Wav, SizesOverFourGigabytesThatWrappedAreUnwrapped) {
  const uint64_t real_bytes = (uint64_t{1} << 32U) + 3200;
  const TempFile file("huge.wav", riff(chunk("fmt ", format_body({})) + chunk("data", "", 3200)));
  std::filesystem::resize_file(file.path(), 44 + real_bytes);
  const std::unique_ptr<AudioSource> source = open_audio(file.path());
  EXPECT_DOUBLE_EQ(source->duration_s().value_or(0), static_cast<double>(real_bytes) / 32000);
}

TEST(Wav, StreamedThroughAPipeHasNoDuration) {
  const std::string streamed =
      riff(chunk("fmt ", format_body({})) + chunk("data", bytes_of_all(three()), 0xFFFFFFFF));
  EXPECT_EQ(read_piped(streamed).duration_s, std::nullopt);
}

TEST(Wav, ManyChannelsAreReadAFrameAtATime) {
  const std::vector<int16_t> frames(size_t{30000} * 4, 64);
  EXPECT_EQ(read_both_ways(wav16(frames, 30000)).samples, std::vector<float>(4, 64.0F / 32768));
}

}  // namespace
}  // namespace whinchat::audio
