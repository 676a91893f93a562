// Every format against the programs that it comes from: oracles/writers.py.
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>

#include "base/bytes.h"
#include "base/file_map.h"
#include "base/json.h"
#include "base/text.h"
#include "transcription/writers/write.h"
#include "whinchat/formats.h"
#include "whinchat/transcription.h"

namespace whinchat::transcription {
namespace {

using base::Json;

const Json& oracle() {
  static const Json kOracle = [] {
    const std::string path = WHINCHAT_TEST_DATA "/writers.json";
    const auto file = base::FileMap::open(path);
    return base::parse_json(base::as_text(file->bytes()), path);
  }();
  return kOracle;
}

Transcription result_of(const std::string& json) {
  const Json document = Json::parse(json);
  Transcription result{.text = document["text"], .language = document["language"]};
  for (const Json& row : document["segments"]) {
    Segment segment{.id = row["id"],
                    .seek = row["seek"],
                    .start_s = row["start"],
                    .end_s = row["end"],
                    .text = row["text"],
                    .tokens = row["tokens"],
                    .temperature = row["temperature"],
                    .avg_logprob = row["avg_logprob"],
                    .compression_ratio = row["compression_ratio"],
                    .no_speech_prob = row["no_speech_prob"]};
    result.has_words = row.contains("words");
    for (const Json& word : row.value("words", Json::array())) {
      segment.words.push_back({word["word"], word["start"], word["end"], word["probability"]});
    }
    result.segments.push_back(std::move(segment));
  }
  return result;
}

std::string text(const Json& row, const char* name) { return row.at(name); }

WriterOptions options_of(const Json& row) {
  const auto number = [&](const char* name) {
    return row.contains(name) ? std::optional<int>(row[name]) : std::nullopt;
  };
  return {.max_line_width = number("max_line_width"),
          .max_line_count = number("max_line_count"),
          .max_words_per_line = number("max_words_per_line"),
          .highlight_words = row.contains("highlight_words")};
}

TEST(Writers, EqualOpenaiWhispersOnEveryResult) {
  for (const Json& row : oracle().at("rows")) {
    SCOPED_TRACE(row["name"]);
    const Transcription result = result_of(row["json"]);
    EXPECT_EQ(write(result, Format::Json, {}), text(row, "json") + "\n");
    EXPECT_EQ(write(result, Format::Txt, {}), text(row, "txt"));
    EXPECT_EQ(write(result, Format::Tsv, {}), text(row, "tsv"));
    EXPECT_EQ(write(result, Format::Srt, {}), text(row, "srt"));
    EXPECT_EQ(write(result, Format::Vtt, {}), text(row, "vtt"));
  }
}

TEST(Writers, ShapeSubtitlesAsOpenaiWhisper) {
  int compared = 0;
  for (const Json& row : oracle().at("rows")) {
    const Transcription result = result_of(row["json"]);
    for (const Json& shaped : row["subtitles"]) {
      const WriterOptions options = options_of(shaped);
      EXPECT_EQ(write(result, Format::Srt, options), text(shaped, "srt"))
          << row["name"] << ": " << shaped;
      if (shaped.contains("vtt")) {
        EXPECT_EQ(write(result, Format::Vtt, options), text(shaped, "vtt")) << row["name"];
      }
      ++compared;
    }
  }
  EXPECT_EQ(compared, 7 * 25);
}

// Without the blank that whisper.cpp leaves before each text, and with our name.
TEST(Writers, EqualWhisperCppsInCsvAndLrc) {
  const Json& row = oracle().at("whisper.cpp");
  Transcription result;
  for (const Json& segment : row["segments"]) {
    result.segments.push_back({.start_s = segment["from"].get<double>() / 1000,
                               .end_s = segment["to"].get<double>() / 1000,
                               .text = segment["text"]});
  }
  EXPECT_EQ(write(result, Format::Csv, {}), base::replaced(text(row, "csv"), ",\" ", ",\""));
  EXPECT_EQ(write(result, Format::Lrc, {}),
            base::replaced(base::replaced(text(row, "lrc"), "] ", "]"), "whisper.cpp", "whinchat"));
}

}  // namespace
}  // namespace whinchat::transcription
