#include "transcription/speech/speech_finder.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/file_map.h"
#include "base/json.h"
#include "whinchat/error.h"
#include "whinchat/vad.h"

namespace whinchat::transcription {
namespace {

const base::Json& stored() {
  static const base::Json kRows = [] {
    const std::filesystem::path path = std::filesystem::path(WHINCHAT_TEST_DATA) / "vad/spans.json";
    return base::parse_json(base::as_text(base::FileMap::open(path)->bytes()), path.string());
  }();
  return kRows;
}

VadOptions options_of(const base::Json& row) {
  VadOptions options;
  options.threshold = row.at("threshold");
  if (row.contains("neg_threshold")) options.neg_threshold = row.at("neg_threshold").get<double>();
  options.min_speech_duration_ms = row.at("min_speech_duration_ms");
  options.min_silence_duration_ms = row.at("min_silence_duration_ms");
  options.speech_pad_ms = row.at("speech_pad_ms");
  if (row.contains("max_speech_duration_s")) {
    options.max_speech_duration_s = row.at("max_speech_duration_s");
  }
  options.min_silence_at_max_speech = row.at("min_silence_at_max_speech");
  options.use_max_poss_sil_at_max_speech = row.at("use_max_poss_sil_at_max_speech");
  return options;
}

// What a finder says on its way through a recording, checked against what it gives in the end.
class Course {
 public:
  Course(const VadOptions& options, const base::Json& row)
      : finder_(options, row.at("rate"), row.at("rate") == 16000 ? 512 : 256) {
    for (const base::Json& value : row.at("probabilities")) {
      finder_.push(value.get<float>() / 1024);
      note();
    }
    finder_.finish(row.at("total"));
    note();
    EXPECT_FALSE(finder_.open());
    EXPECT_EQ(finder_.settled(), row.at("total").get<int64_t>());
    check();
  }

  const std::vector<SpeechSpan>& spans() const { return spans_; }

 private:
  struct Moment {
    size_t given;  // spans, by then
    int64_t settled;
    std::optional<SpeechSpan> open;
  };

  void note() {
    for (const SpeechSpan& span : finder_.take()) spans_.push_back(span);
    moments_.push_back({spans_.size(), finder_.settled(), finder_.open()});
  }

  void check() const {
    int64_t settled = 0;
    for (const Moment& moment : moments_) {
      ASSERT_GE(moment.settled, settled);
      settled = moment.settled;
      for (size_t i = moment.given; i < spans_.size(); ++i) ASSERT_GE(spans_[i].begin, settled);
      const std::optional<SpeechSpan>& open = moment.open;
      if (open) check_open(*open, moment.given);
    }
  }

  // One of the spans that are given later begins there and ends no earlier.
  void check_open(const SpeechSpan& open, size_t given) const {
    ASSERT_LT(open.begin, open.end);
    for (size_t i = given; i < spans_.size(); ++i) {
      if (spans_[i].begin != open.begin) continue;
      ASSERT_GE(spans_[i].end, open.end);
      return;
    }
    FAIL() << "no span begins at " << open.begin;
  }

  SpeechFinder finder_;
  std::vector<SpeechSpan> spans_;
  std::vector<Moment> moments_;
};

TEST(SpeechFinder, FindsWhatSileroFindsInDrawnCases) {
  for (const base::Json& row : stored().at("drawn")) {
    std::vector<SpeechSpan> expected;
    const auto positions = row.at("spans").get<std::vector<int64_t>>();
    for (size_t i = 0; i < positions.size(); i += 2) {
      expected.push_back({positions[i], positions[i + 1]});
    }
    ASSERT_EQ(Course(options_of(row.at("options")), row).spans(), expected) << row.dump();
  }
}

// The options of one of all combinations, the last name's value changing first.
base::Json corner(size_t index) {
  base::Json options;
  const base::Json& names = stored().at("corners");
  for (auto name = names.rbegin(); name != names.rend(); ++name) {
    const base::Json& values = name->at(1);
    const base::Json& value = values[index % values.size()];
    index /= values.size();
    if (!value.is_null()) options[name->at(0).get<std::string>()] = value;
  }
  return options;
}

// FNV-1a of the positions, as the oracle has it.
uint32_t checksum(const std::vector<SpeechSpan>& spans) {
  std::string text;
  for (const SpeechSpan& span : spans) {
    if (!text.empty()) text += ' ';
    text += std::to_string(span.begin);
    text += ' ';
    text += std::to_string(span.end);
  }
  uint32_t value = 2166136261;
  for (const char byte : text) value = (value ^ static_cast<uint8_t>(byte)) * 16777619;
  return value;
}

TEST(SpeechFinder, FindsWhatSileroFindsAtEveryCorner) {
  for (const base::Json& script : stored().at("scripts")) {
    const auto expected = script.at("checksums").get<std::vector<uint32_t>>();
    ASSERT_EQ(expected.size(), 1296);
    for (size_t i = 0; i < expected.size(); ++i) {
      const Course course(options_of(corner(i)), script);
      ASSERT_EQ(checksum(course.spans()), expected[i]) << corner(i).dump();
    }
  }
}

constexpr int64_t kChunk = 512;
constexpr VadOptions kQuick{.min_silence_duration_ms = 100, .speech_pad_ms = 32};

void push(SpeechFinder& finder, int chunks, float probability) {
  for (int i = 0; i < chunks; ++i) finder.push(probability);
}

TEST(SpeechFinder, GivesASpanOnceNoOtherSharesItsSilence) {
  SpeechFinder finder(kQuick, 16000, 512);
  push(finder, 10, 0.0F);
  EXPECT_EQ(finder.settled(), 9 * kChunk);
  EXPECT_FALSE(finder.open());
  push(finder, 5, 1.0F);
  EXPECT_EQ(finder.open(), (SpeechSpan{9 * kChunk, 14 * kChunk + 1}));
  push(finder, 4, 0.0F);
  EXPECT_TRUE(finder.take().empty());
  EXPECT_EQ(finder.settled(), 9 * kChunk);
  push(finder, 1, 0.0F);  // 128 ms of silence: more than 100
  EXPECT_EQ(finder.take(), (std::vector<SpeechSpan>{{9 * kChunk, 16 * kChunk}}));
  EXPECT_FALSE(finder.open());
  EXPECT_EQ(finder.settled(), 19 * kChunk);
}

TEST(SpeechFinder, SpeechIsOpenOnceItIsLongEnough) {
  VadOptions options = kQuick;
  options.min_speech_duration_ms = 96;  // three chunks, which are not longer
  SpeechFinder finder(options, 16000, 512);
  push(finder, 3, 1.0F);
  EXPECT_FALSE(finder.open());
  push(finder, 1, 1.0F);
  EXPECT_EQ(finder.open(), (SpeechSpan{0, 3 * kChunk + 1}));
}

TEST(SpeechFinder, EndsWithThePartOfAChunk) {
  SpeechFinder finder(kQuick, 16000, 512);
  push(finder, 3, 1.0F);
  finder.finish(2 * kChunk + 1);
  EXPECT_EQ(finder.take(), (std::vector<SpeechSpan>{{0, 2 * kChunk + 1}}));
}

TEST(SpeechFinder, RefusesATotalThatEndsElsewhere) {
  SpeechFinder finder(kQuick, 16000, 512);
  push(finder, 3, 0.0F);
  EXPECT_THROW(finder.finish(2 * kChunk), Error);
  EXPECT_THROW(finder.finish(3 * kChunk + 1), Error);
}

TEST(SpeechFinder, FindsNothingInARecordingOfNothing) {
  SpeechFinder finder({}, 16000, 512);
  finder.finish(0);
  EXPECT_TRUE(finder.take().empty());
}

}  // namespace
}  // namespace whinchat::transcription
