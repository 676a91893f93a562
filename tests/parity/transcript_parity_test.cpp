// Tokens, times and text of whole recordings against mlx-whisper 0.4.3 with openai-whisper's
// timestamp rule (oracles/whisper.py transcripts, clips and prompts, stored in tests/data).

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <ostream>
#include <sstream>
#include <string>
#include <vector>

#include "audio/audio_source.h"
#include "base/bytes.h"
#include "base/file_map.h"
#include "base/json.h"
#include "service/named_options.h"
#include "transcription/windows/clips.h"
#include "transcription/windows/segment_times.h"
#include "transcription/windows/window_segments.h"
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

base::Json read_stored(const std::string& name) {
  const fs::path path = fs::path(WHINCHAT_TEST_DATA) / name;
  return base::parse_json(base::as_text(base::FileMap::open(path)->bytes()), name);
}

int64_t frames_of(double duration_s) { return std::llround(duration_s * 16000) / 160; }

// The oracle's times, brought into the recording and its clips as ours are: the last step.
std::vector<transcription::TokenSegment> times_of(const base::Json& segments,
                                                  const std::vector<transcription::Clip>& clips) {
  std::vector<transcription::TokenSegment> times;
  for (size_t i = 0; i < segments.size();) {
    const auto seek = segments[i].at("seek").get<int64_t>();
    const auto clip = std::ranges::find_if(clips, [&](const auto& c) { return seek < c.end; });
    const int64_t end = std::min(seek + 3000, clip->end);
    transcription::WindowSegments window{{}, end};
    for (; i < segments.size() && segments[i].at("seek").get<int64_t>() == seek; ++i) {
      window.segments.push_back(
          {segments[i].at("start").get<double>(), segments[i].at("end").get<double>(), {}});
    }
    transcription::fit_times(window, {seek, static_cast<int>(end - seek), 2});
    times.insert(times.end(), window.segments.begin(), window.segments.end());
  }
  return times;
}

void expect_equal(const Transcription& ours, const base::Json& theirs,
                  const std::vector<double>& clip_timestamps = {}) {
  EXPECT_EQ(ours.language, theirs.at("language").get<std::string>());
  EXPECT_EQ(ours.text, theirs.at("text").get<std::string>());
  const base::Json& segments = theirs.at("segments");
  ASSERT_EQ(ours.segments.size(), segments.size());
  const std::vector<transcription::TokenSegment> times =
      times_of(segments, transcription::make_clips(clip_timestamps, frames_of(ours.duration_s)));
  for (size_t i = 0; i < segments.size(); ++i) {
    const Segment& segment = ours.segments[i];
    EXPECT_EQ(segment.seek, segments[i].at("seek").get<int64_t>());
    EXPECT_EQ(segment.start_s, times[i].start_s);
    EXPECT_EQ(segment.end_s, times[i].end_s);
    EXPECT_EQ(segment.text, segments[i].at("text").get<std::string>());
    EXPECT_EQ(segment.tokens, segments[i].at("tokens").get<std::vector<int32_t>>());
  }
}

// Letters alone, in lower case, with a space between words.
std::string words_of(const std::string& text) {
  std::string words;
  for (const char c : text) {
    if (std::isalpha(static_cast<unsigned char>(c)) != 0) {
      words += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    } else if (c == ' ' && !words.empty()) {
      words += c;
    }
  }
  return words;
}

TEST_P(TranscriptParity, EqualsOracleOnEveryClip) {
  const fs::path clips = std::getenv("WHINCHAT_CLIPS");
  if (!fs::is_directory(clips)) GTEST_SKIP() << "no clips in " << clips;
  const base::Json oracle = read_stored("transcripts_" + std::string(GetParam().name) + ".json");
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

// As options take it from a face without types.
std::string text_of(const base::Json& value) {
  if (value.is_null()) return "none";
  return value.is_string() ? value.get<std::string>() : value.dump();
}

TEST_P(TranscriptParity, EqualsOracleUnderPromptsAndConstraints) {
  const fs::path clips = std::getenv("WHINCHAT_CLIPS");
  if (!fs::is_directory(clips)) GTEST_SKIP() << "no clips in " << clips;
  const base::Json oracle = read_stored("prompts_" + std::string(GetParam().name) + ".json");
  Transcriber transcriber({.model = GetParam().model, .faithful = true});
  int compared = 0;
  for (const auto& [row, expected] : oracle.at("rows").items()) {
    SCOPED_TRACE(row);
    service::SpeechOptions options{.transcribe = {.temperatures = {0.0}}};
    for (const auto& [name, value] : expected.at("options").items()) {
      service::set_option(options, name == "sample_len" ? "max-new-tokens" : name, text_of(value));
    }
    const fs::path recording = clips / expected.at("recording").get<std::string>();
    expect_equal(transcriber.transcribe(recording, options.transcribe), expected);
    ++compared;
  }
  std::cout << compared << " rows compared\n";
  EXPECT_EQ(compared, 22);
}

INSTANTIATE_TEST_SUITE_P(Models, TranscriptParity,
                         testing::Values(Case{"tiny_en", "tiny.en"}, Case{"base", "base"}),
                         [](const auto& info) { return std::string(info.param.name); });

// whisper.cpp 1.8.5 on the same weights by five beams, with and without hints
// (oracles/whisper_cpp.py). Its beams draw their candidates where ours, as openai-whisper's, take
// the likeliest: punctuation and capitals may differ, words may not.
TEST_P(TranscriptParity, FiveBeamsHearWhisperCppsWords) {
  const base::Json oracle = read_stored("whisper_cpp_" + std::string(GetParam().name) + ".json");
  for (const bool faithful : {true, false}) {
    Transcriber transcriber({.model = GetParam().model, .faithful = faithful});
    for (const base::Json& row : oracle.at("rows")) {
      const TranscribeOptions options{.language = "en",
                                      .initial_prompt = row.at("initial_prompt").get<std::string>(),
                                      .temperatures = {0.0},
                                      .beam_size = 5};
      const std::string text = transcriber.transcribe(WHINCHAT_SAMPLE, options).text;
      const auto theirs = row.at("text").get<std::string>();
      EXPECT_EQ(words_of(text), words_of(theirs)) << options.initial_prompt;
      const bool is_plain_base =
          GetParam().model == std::string("base") && !faithful && options.initial_prompt.empty();
      if (is_plain_base) {
        EXPECT_EQ(text, theirs);
      }
    }
  }
}

// A row's name is its list of clips.
TEST(ClipParity, EqualsOracleOnTheSampleThreeTimesOver) {
  Transcriber transcriber({.model = "tiny.en", .faithful = true});
  const std::vector<float> sample = audio::read_all(*audio::open_audio(WHINCHAT_SAMPLE));
  std::vector<float> samples;
  for (int i = 0; i < 3; ++i) samples.insert(samples.end(), sample.begin(), sample.end());
  int compared = 0;
  const base::Json oracle = read_stored("clips_tiny_en.json");
  for (const auto& [name, expected] : oracle.at("rows").items()) {
    SCOPED_TRACE(name);
    std::istringstream row(name);
    TranscribeOptions options{.temperatures = {0.0}};
    double time = 0;
    while (row >> time) {
      options.clip_timestamps.push_back(time);
      if (row.peek() == ',') row.ignore();
    }
    expect_equal(transcriber.transcribe(samples, options), expected, options.clip_timestamps);
    ++compared;
  }
  std::cout << compared << " rows compared\n";
  EXPECT_EQ(compared, 5);
}

}  // namespace
}  // namespace whinchat::parity
