// Bit equality with mlx-whisper 0.4.3 on this machine: the same samples, MLX and OpenBLAS files and
// thread count on both sides. A case is a row; the file of a row is written by oracles/whisper.py.

#include <gtest/gtest.h>
#include <mlx/array.h>
#include <mlx/device.h>
#include <mlx/ops.h>
#include <mlx/transforms.h>

#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <optional>
#include <ostream>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "hub/model_folder.h"
#include "models/whisper/dimensions.h"
#include "models/whisper/kv_cache.h"
#include "models/whisper/log_mel.h"
#include "models/whisper/mel_filters.h"
#include "models/whisper/whisper.h"
#include "ops/blas.h"
#include "ops/engine_thread.h"
#include "ops/layers.h"
#include "ops/runtime.h"
#include "oracle_file.h"
#include "text/whisper_tokenizer.h"
#include "text/whisper_tokens.h"
#include "transcription/language.h"
#include "transcription/streaming_run.h"
#include "weights/checkpoint.h"
#include "whinchat/transcription.h"

namespace whinchat::parity {
namespace {

using models::whisper::KvCache;
using models::whisper::Whisper;

struct Case {
  const char* name;  // of the oracle's file
  const char* model;
  mx::Dtype dtype;
};

void PrintTo(const Case& row, std::ostream* out) { *out << row.name; }

// Where the oracle ran, and where we do.
mx::Device oracle_device() {
  const char* name = std::getenv("WHINCHAT_ORACLE_DEVICE");
  return name != nullptr && std::string(name) == "gpu" ? mx::Device::gpu : mx::Device::cpu;
}

class WhisperParity : public testing::TestWithParam<Case> {
 protected:
  WhisperParity()
      : device_(oracle_device()),
        oracle_(std::string(std::getenv("WHINCHAT_ORACLE_FILES")) + "/" + GetParam().name +
                ".safetensors") {
    if (oracle_device() == mx::Device::cpu) ops::require_openblas();
    weights::Checkpoint checkpoint = weights::load_checkpoint(hub::find_model(GetParam().model));
    model_ = std::make_unique<Whisper>(std::move(checkpoint.weights), checkpoint.config,
                                       ops::make_faithful(GetParam().dtype, oracle_device()));
  }

  void TearDown() override { std::cout << oracle_.compared() << " arrays compared\n"; }

  // What both sides heard.
  std::span<const float> samples() const {
    mx::array samples = oracle_.at("samples");
    mx::eval(samples);
    return {samples.data<float>(), samples.size()};
  }

  ops::OnDevice device_;
  OracleFile oracle_;
  std::unique_ptr<Whisper> model_;
};

TEST_P(WhisperParity, LogMelEqualsOracle) {
  for (const auto& [bands, name] : {std::pair{80, "log_mel"}, std::pair{128, "log_mel128"}}) {
    EXPECT_TRUE(oracle_.equals(name, models::whisper::LogMelSpectrogram({}, bands).of(
                                         samples(), models::whisper::kWindowSamples)));
    const std::vector<float> bank = models::whisper::mel_filters(bands);
    EXPECT_TRUE(oracle_.equals("mel_filters" + std::to_string(bands),
                               mx::array(bank.begin(), {bands, models::whisper::kSpectrumBins})));
  }
}

// The oracle's gelu is compiled, on a CPU ours is not.
TEST_P(WhisperParity, CompiledAndPlainGeluAreEqual) {
  EXPECT_TRUE(oracle_.equals("gelu.out", ops::gelu(oracle_.at("gelu.in"))));
}

TEST_P(WhisperParity, EncoderEqualsOracleAtEveryTracePoint) {
  int windows = 0;
  for (; oracle_.has("encode" + std::to_string(windows) + ".mel"); ++windows) {
    const std::string scope = "encode" + std::to_string(windows) + ".";
    int points = 0;
    const auto check = [&](const std::string& name, const mx::array& value) {
      EXPECT_TRUE(oracle_.equals(scope + name, value));
      ++points;
    };
    EXPECT_TRUE(oracle_.equals(scope + "features",
                               model_->encoder().encode(oracle_.at(scope + "mel"), check)));
    EXPECT_EQ(points, 2 + model_->dims().n_audio_layer);
  }
  EXPECT_GE(windows, 1);
}

TEST_P(WhisperParity, LogitsBeforeFiltersEqualOracleAtEveryStep) {
  std::optional<KvCache> cache;
  std::set<int> layers;
  for (int layer = 0; layer < model_->dims().n_text_layer; ++layer) layers.insert(layer);
  int steps = 0;
  for (; oracle_.has("step" + std::to_string(steps) + ".tokens"); ++steps) {
    const std::string scope = "step" + std::to_string(steps) + ".";
    mx::array starts = oracle_.at(scope + "starts");
    if (const int window = starts.item<int>(); window >= 0) {
      cache.emplace(
          model_->decoder().cross(oracle_.at("encode" + std::to_string(window) + ".features")));
    }
    const auto check = [&](const std::string& name, const mx::array& value) {
      if (name == "embedding") return;
      EXPECT_TRUE(oracle_.equals(scope + name, value));
    };
    const auto tokens = mx::astype(oracle_.at(scope + "tokens"), mx::int32);
    const auto step =
        model_->decoder().step(tokens, cache.value(), {.cross_qk_layers = layers, .trace = check});
    EXPECT_TRUE(oracle_.equals(scope + "logits", step.logits.values()));
    for (const auto& [layer, qk] : step.cross_qk) {
      const std::string name = scope + "cross_qk" + std::to_string(layer);
      EXPECT_TRUE(!oracle_.has(name) || oracle_.equals(name, qk)) << name;
    }
  }
  EXPECT_GE(steps, 10);
}

TEST_P(WhisperParity, LanguageProbabilitiesEqualOracle) {
  if (!model_->dims().is_multilingual()) GTEST_SKIP() << "an English-only model detects none";
  const auto tokens = text::WhisperTokens::from_n_vocab(model_->dims().n_vocab);
  const auto cross = model_->decoder().cross(model_->encoder().encode(oracle_.at("language.mel")));
  std::vector<float> ours(static_cast<size_t>(tokens.n_languages));
  for (const auto& [language, probability] :
       transcription::language_probabilities(*model_, cross, tokens)) {
    const int32_t index = tokens.language_token(language) - tokens.first_language;
    ours[static_cast<size_t>(index)] = static_cast<float>(probability);
  }
  EXPECT_TRUE(oracle_.equals("language.probabilities",
                             mx::array(ours.begin(), {static_cast<int>(ours.size())})));
}

TEST_P(WhisperParity, TranscriptEqualsOracle) {
  const text::WhisperTokenizer tokenizer(model_->dims().n_vocab);
  // A clip three times over is repetitive, and the oracle was asked for one temperature.
  const TranscribeOptions options{.temperatures = {0.0}};
  const Transcription result =
      transcription::transcribe({*model_, tokenizer, nullptr}, samples(), options, {});
  EXPECT_EQ(result.text, oracle_.metadata("text"));
}

INSTANTIATE_TEST_SUITE_P(Cases, WhisperParity,
                         testing::Values(Case{"tiny_en_jfk_f32", "tiny.en", mx::float32},
                                         Case{"tiny_en_jfk33_f32", "tiny.en", mx::float32},
                                         Case{"tiny_en_jfk_f16", "tiny.en", mx::float16},
                                         Case{"base_jfk_f32", "base", mx::float32},
                                         Case{"base_jfk33_f32", "base", mx::float32}),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace whinchat::parity
