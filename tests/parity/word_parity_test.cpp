// Times of words. Faithful: equal to mlx-whisper 0.4.3's on this machine (oracles/whisper.py
// words), before they are settled. Fast: the same words, each border within one frame of the
// attention.

#include <gtest/gtest.h>
#include <mlx/array.h>
#include <mlx/dtype.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <optional>
#include <ostream>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/file_map.h"
#include "base/json.h"
#include "base/text.h"
#include "hub/model_folder.h"
#include "models/whisper/dimensions.h"
#include "models/whisper/whisper.h"
#include "ops/blas.h"
#include "ops/engine_thread.h"
#include "ops/runtime.h"
#include "text/whisper_tokenizer.h"
#include "transcription/windows/sound.h"
#include "transcription/windows/window_decoder.h"
#include "transcription/windows/window_features.h"
#include "transcription/windows/window_segments.h"
#include "transcription/words/alignment.h"
#include "transcription/words/word_timer.h"
#include "weights/checkpoint.h"
#include "whinchat/transcription.h"

namespace whinchat::parity {
namespace {

namespace fs = std::filesystem;
namespace mx = mlx::core;
using models::whisper::Whisper;
using transcription::TokenSegment;

struct Case {
  const char* name;     // of the oracle's file
  const char* samples;  // the file of samples
  const char* model;
  std::string language;
  std::optional<double> silence_threshold_s = {};
};

void PrintTo(const Case& row, std::ostream* out) { *out << row.name; }

fs::path oracle_file(const std::string& name) {
  return fs::path(std::getenv("WHINCHAT_ORACLE_FILES")) / name;
}

std::vector<float> read_samples(const std::string& name) {
  const auto file = base::FileMap::open(oracle_file(name));
  std::vector<float> samples(file->bytes().size() / sizeof(float));
  std::ranges::copy(file->bytes().first(samples.size() * sizeof(float)),
                    reinterpret_cast<std::byte*>(samples.data()));
  return samples;
}

class WordParity : public testing::TestWithParam<Case> {
 protected:
  WordParity() : device_(mx::Device::cpu) {
    ops::require_openblas();
    options_.temperatures = {0.0};
    options_.language = GetParam().language;
    options_.word_timestamps = true;
    options_.hallucination_silence_threshold = GetParam().silence_threshold_s;
  }

  void SetUp() override {
    if (!fs::exists(oracle_file(GetParam().samples))) GTEST_SKIP() << "no such clip here";
    samples_ = read_samples(GetParam().samples);
    const auto file = base::FileMap::open(oracle_file(GetParam().name + std::string(".json")));
    oracle_ = base::parse_json(base::as_text(file->bytes()), GetParam().name);
  }

  std::vector<TokenSegment> unsettled(const ops::Runtime& runtime) const;

  ops::OnDevice device_;
  std::vector<float> samples_;
  TranscribeOptions options_;
  base::Json oracle_;
};

// The speech loop at its plainest: what the oracle's gives, with words as they are before they are
// settled.
std::vector<TokenSegment> WordParity::unsettled(const ops::Runtime& runtime) const {
  weights::Checkpoint checkpoint = weights::load_checkpoint(hub::find_model(GetParam().model));
  const Whisper model(std::move(checkpoint.weights), checkpoint.config, runtime);
  const text::WhisperTokenizer tokenizer(model.dims().n_vocab);
  const transcription::WindowDecoder decoder(model, tokenizer, options_.language, options_);
  transcription::WordTimer timer(tokenizer, options_);
  transcription::Sound sound = transcription::Sound::whole(model.log_mel(), samples_);
  const auto content = static_cast<int>(sound.frames());
  transcription::WindowFeatures features(model, sound, models::whisper::kWindowFrames);
  std::vector<int32_t> previous;
  std::vector<TokenSegment> all;
  for (int64_t seek = 0; seek < content;) {
    const int frames = std::min(models::whisper::kWindowFrames, content - static_cast<int>(seek));
    const auto& cross = features.cross(seek, frames);
    const auto decoded = decoder.decode(cross, {.previous = previous}, seek).value();
    if (transcription::is_silent(decoded, options_)) {
      seek += frames;
      continue;
    }
    const transcription::Window window{seek, frames, 2};
    auto parts =
        transcription::split_window(decoded.tokens, tokenizer.tokens().timestamp_begin, window);
    const auto times = transcription::align_tokens(
        model, cross, tokenizer.tokens(), decoder.sot_sequence(), timer.text_tokens(parts), frames);
    const bool stays = timer.time(parts, window, times, options_.language, content);
    seek = parts.next_seek;
    if (!stays) continue;
    for (TokenSegment& segment : parts.segments) {
      const bool is_cleared = segment.start_s == segment.end_s ||
                              base::trimmed(tokenizer.decode(segment.tokens)).empty();
      if (is_cleared) {
        segment.words.clear();
        segment.tokens.clear();
      }
      previous.insert(previous.end(), segment.tokens.begin(), segment.tokens.end());
      all.push_back(std::move(segment));
    }
  }
  return all;
}

TEST_P(WordParity, FaithfulWordsAreTheOracles) {
  const base::Json& segments = oracle_.at("segments");
  const std::vector<TokenSegment> ours = unsettled(ops::make_faithful(mx::float32));
  ASSERT_EQ(ours.size(), segments.size());
  int compared = 0;
  for (size_t i = 0; i < ours.size(); ++i) {
    EXPECT_EQ(ours[i].tokens, segments[i].at("tokens").get<std::vector<int32_t>>());
    EXPECT_EQ(ours[i].start_s, segments[i].at("start").get<double>());
    EXPECT_EQ(ours[i].end_s, segments[i].at("end").get<double>());
    const base::Json& words = segments[i].at("words");
    ASSERT_EQ(ours[i].words.size(), words.size());
    for (size_t j = 0; j < words.size(); ++j, ++compared) {
      const Word& word = ours[i].words[j];
      EXPECT_EQ(word.text, words[j].at("word").get<std::string>());
      EXPECT_EQ(word.start_s, words[j].at("start").get<double>()) << word.text;
      EXPECT_EQ(word.end_s, words[j].at("end").get<double>()) << word.text;
      EXPECT_EQ(word.probability, words[j].at("probability").get<double>()) << word.text;
    }
  }
  std::cout << compared << " words compared\n";
  EXPECT_GE(compared, 5);
}

TEST_P(WordParity, FastWordsLieWithinAFrameOfTheFaithfulOnes) {
  constexpr double kFrameSeconds = 0.02 + 1e-9;
  const base::Json& segments = oracle_.at("segments");
  const std::vector<TokenSegment> fast = unsettled(ops::make_fast_cpu(0, ops::Products::F32));
  ASSERT_EQ(fast.size(), segments.size());
  int compared = 0;
  double furthest_s = 0;
  for (size_t i = 0; i < fast.size(); ++i) {
    const base::Json& words = segments[i].at("words");
    ASSERT_EQ(fast[i].words.size(), words.size());
    for (size_t j = 0; j < words.size(); ++j, ++compared) {
      const Word& word = fast[i].words[j];
      EXPECT_EQ(word.text, words[j].at("word").get<std::string>());
      const double off_s = std::max(std::abs(word.start_s - words[j].at("start").get<double>()),
                                    std::abs(word.end_s - words[j].at("end").get<double>()));
      EXPECT_LE(off_s, kFrameSeconds) << word.text;
      EXPECT_NEAR(word.probability, words[j].at("probability").get<double>(), 0.01) << word.text;
      furthest_s = std::max(furthest_s, off_s);
    }
  }
  std::cout << compared << " words compared, the furthest off by " << furthest_s << " s\n";
  EXPECT_GE(compared, 5);
}

INSTANTIATE_TEST_SUITE_P(Cases, WordParity,
                         testing::Values(Case{"words_tiny_en_jfk", "jfk.f32", "tiny.en", "en"},
                                         Case{"words_tiny_en_gap", "gap.f32", "tiny.en", "en", 2.0},
                                         Case{"words_base_jfk33", "jfk33.f32", "base", "en"},
                                         Case{"words_base_jfk_zh", "jfk.f32", "base", "zh"},
                                         Case{"words_base_multilingual", "multilingual.f32", "base",
                                              "en"}),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace whinchat::parity
