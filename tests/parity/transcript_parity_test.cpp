// Tokens, times and text of whole recordings against mlx-whisper 0.4.3 with openai-whisper's
// timestamp rule (oracles/whisper.py transcripts, stored in tests/data).

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <ostream>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/file_map.h"
#include "base/json.h"
#include "whinchat/transcription.h"

namespace whinchat::parity {
namespace {

namespace fs = std::filesystem;

struct Case {
  const char* name;
  const char* model;
};

void PrintTo(const Case& row, std::ostream* out) { *out << row.name; }

class TranscriptParity : public testing::TestWithParam<Case> {};

void expect_equal(const Transcription& ours, const base::Json& theirs) {
  EXPECT_EQ(ours.language, theirs.at("language").get<std::string>());
  EXPECT_EQ(ours.text, theirs.at("text").get<std::string>());
  const base::Json& segments = theirs.at("segments");
  ASSERT_EQ(ours.segments.size(), segments.size());
  for (size_t i = 0; i < segments.size(); ++i) {
    const Segment& segment = ours.segments[i];
    EXPECT_EQ(segment.seek, segments[i].at("seek").get<int64_t>());
    EXPECT_EQ(segment.start_s, segments[i].at("start").get<double>());
    EXPECT_EQ(segment.end_s, segments[i].at("end").get<double>());
    EXPECT_EQ(segment.text, segments[i].at("text").get<std::string>());
    EXPECT_EQ(segment.tokens, segments[i].at("tokens").get<std::vector<int32_t>>());
  }
}

TEST_P(TranscriptParity, EqualsOracleOnEveryClip) {
  const fs::path clips = std::getenv("WHINCHAT_CLIPS");
  if (!fs::is_directory(clips)) GTEST_SKIP() << "no clips in " << clips;
  const auto file = base::FileMap::open(fs::path(WHINCHAT_TEST_DATA) /
                                        ("transcripts_" + std::string(GetParam().name) + ".json"));
  const base::Json oracle = base::parse_json(base::as_text(file->bytes()), "the oracle's file");
  Transcriber transcriber({.model = GetParam().model, .faithful = true});
  int compared = 0;
  for (const auto& [name, expected] : oracle.at("clips").items()) {
    SCOPED_TRACE(name);
    // The oracle's command line passes one temperature.
    expect_equal(transcriber.transcribe(clips / name, {.temperatures = {0.0}}), expected);
    ++compared;
  }
  std::cout << compared << " clips compared\n";
  EXPECT_GE(compared, 8);
}

INSTANTIATE_TEST_SUITE_P(Models, TranscriptParity,
                         testing::Values(Case{"tiny_en", "tiny.en"}, Case{"base", "base"}),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace whinchat::parity
