// Rules, greedy and beam search, ranking and fallback against openai-whisper's own, on scripted
// logits (tests/data/decoding.json, written by oracles/decoding.py).
#include <gtest/gtest.h>
#include <mlx/array.h>
#include <mlx/transforms.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <iostream>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/file_map.h"
#include "base/json.h"
#include "decoding/beam.h"
#include "decoding/greedy.h"
#include "decoding/rules.h"
#include "decoding/sequence.h"
#include "ops/choose.h"
#include "ops/logits.h"
#include "scripted_logits.h"
#include "transcription/windows/window_decoder.h"
#include "whinchat/transcription.h"

namespace whinchat::parity {
namespace {

namespace mx = mlx::core;

using Tokens = std::vector<int32_t>;

base::Json read_oracle() {
  const auto file =
      base::FileMap::open(std::filesystem::path(WHINCHAT_TEST_DATA) / "decoding.json");
  return base::parse_json(base::as_text(file->bytes()), "the oracle's file");
}

template <typename Value>
std::optional<Value> optional(const base::Json& value) {
  return value.is_null() ? std::nullopt : std::optional(value.get<Value>());
}

Script script_of(const base::Json& given) {
  return {.seed = given.at("seed").get<uint64_t>(),
          .n_vocab = given.at("n_vocab").get<size_t>(),
          .eot = given.at("eot").get<int32_t>(),
          .timestamp_begin = given.at("timestamp_begin").get<int32_t>(),
          .n_initial = given.at("initial").size()};
}

decoding::Rules rules_of(const base::Json& given, const base::Json& suppress_lists) {
  return decoding::Rules(
      {.suppress_tokens = suppress_lists.at(given.at("suppress").get<size_t>()).get<Tokens>(),
       .blank_tokens = given.at("blank").get<Tokens>(),
       .timestamps = given.at("timestamps").get<bool>(),
       .eot = given.at("eot").get<int32_t>(),
       .no_timestamps = given.at("no_timestamps").get<int32_t>(),
       .timestamp_begin = given.at("timestamp_begin").get<int32_t>(),
       .max_initial_timestamp = optional<int>(given.at("max_initial_timestamp"))});
}

// Rows of tokens whose logits come from a script.
class ScriptedRows {
 public:
  explicit ScriptedRows(const Script& script) : script_(script) {}

  ops::Logits logits_of(const mx::array& tokens) {
    const auto batch = static_cast<size_t>(tokens.shape(0));
    const auto length = static_cast<size_t>(tokens.shape(1));
    rows_.resize(batch);
    std::vector<float> values;
    for (size_t row = 0; row < batch; ++row) {
      for (size_t i = 0; i < length; ++i) {
        rows_[row].push_back(tokens.data<int32_t>()[row * length + i]);
        const std::vector<float> logits = script_.logits(rows_[row]);
        values.insert(values.end(), logits.begin(), logits.end());
      }
    }
    return ops::Logits(mx::array(
        values.begin(), {tokens.shape(0), tokens.shape(1), static_cast<int>(script_.n_vocab)}));
  }

  void take_rows(std::span<const int> rows) {
    std::vector<Tokens> taken;
    for (const int row : rows) taken.push_back(rows_.at(static_cast<size_t>(row)));
    rows_ = std::move(taken);
  }

 private:
  const Script& script_;
  std::vector<Tokens> rows_;
};

decoding::Decoded decode(const base::Json& given, const decoding::Rules& rules) {
  const Script script = script_of(given);
  ScriptedRows rows(script);
  const decoding::LogitSource source{
      .logits_of = [&](const mx::array& tokens) { return rows.logits_of(tokens); },
      .take_rows = [&](std::span<const int> taken) { rows.take_rows(taken); }};
  const decoding::Limits limits{.max_tokens = given.at("sample_len").get<int>(), .context = 448};
  const decoding::SpecialTokens special{.eot = script.eot,
                                        .sot_index = given.at("sot_index").get<int>(),
                                        .no_speech = given.at("no_speech").get<int32_t>()};
  const auto prompt = given.at("initial").get<Tokens>();
  const auto beam_size = optional<int>(given.at("beam_size"));
  if (!beam_size) {
    return decoding::decode_greedy(source.logits_of, prompt, rules,
                                   {.limits = limits, .special = special});
  }
  return decoding::decode_beams(source, prompt, rules,
                                {.limits = limits,
                                 .special = special,
                                 .beam_size = *beam_size,
                                 .patience = optional<double>(given.at("patience")).value_or(1)});
}

TEST(DecodingParity, EveryTokenEqualsOpenAiWhispers) {
  const base::Json oracle = read_oracle();
  size_t compared = 0;
  for (const base::Json& expected : oracle.at("cases")) {
    SCOPED_TRACE("case " + std::to_string(compared));
    const decoding::Rules rules = rules_of(expected, oracle.at("suppress_lists"));
    const decoding::Decoded decoded = decode(expected, rules);
    const decoding::Sequence& best =
        decoding::likeliest(decoded.sequences, optional<double>(expected.at("length_penalty")));
    EXPECT_EQ(best.tokens, expected.at("tokens").get<Tokens>());
    const double avg_logprob =
        static_cast<double>(best.sum_logprob) / static_cast<double>(best.tokens.size() + 1);
    // Sums of 51 865 exponentials in f32, in another order.
    EXPECT_NEAR(avg_logprob, expected.at("avg_logprob").get<double>(), 1e-4);
    const auto no_speech_prob = expected.at("no_speech_prob").get<double>();
    EXPECT_NEAR(decoded.no_speech_prob, no_speech_prob, 1e-4 * no_speech_prob);
    ++compared;
  }
  std::cout << compared << " decodings compared\n";
  EXPECT_EQ(compared, 144u);
}

TEST(DecodingParity, WhatIsDrawnFromEqualsOpenAiWhispers) {
  const base::Json oracle = read_oracle();
  size_t compared = 0;
  for (const base::Json& expected : oracle.at("distributions")) {
    SCOPED_TRACE("distribution " + std::to_string(compared));
    const Script script = script_of(expected);
    const decoding::Rules rules = rules_of(expected, oracle.at("suppress_lists"));
    auto tokens = expected.at("initial").get<Tokens>();
    const auto sampled = expected.at("sampled").get<Tokens>();
    tokens.insert(tokens.end(), sampled.begin(), sampled.end());
    const std::vector<float> logits = script.logits(tokens);
    const ops::LogitMask mask = rules.mask(sampled);
    mx::array logprobs = ops::filtered_logprobs(
        mx::array(logits.begin(), {1, static_cast<int>(logits.size())}), {&mask, 1});
    mx::eval(logprobs);

    // What draw() weighs by: exp(logprob / temperature).
    const auto temperature = expected.at("temperature").get<double>();
    double sum = 0;
    size_t allowed = 0;
    for (size_t id = 0; id < logits.size(); ++id) {
      const double logprob = logprobs.data<float>()[id];
      allowed += std::isfinite(logprob) ? 1 : 0;
      sum += std::exp(logprob / temperature);
    }
    EXPECT_EQ(allowed, expected.at("allowed").get<size_t>());
    const auto best = expected.at("best").get<Tokens>();
    for (size_t i = 0; i < best.size(); ++i) {
      const double logprob = logprobs.data<float>()[best[i]];
      EXPECT_NEAR(logprob / temperature - std::log(sum),
                  expected.at("logprobs").at(i).get<double>(), 2e-4);
    }
    ++compared;
  }
  std::cout << compared << " distributions compared\n";
  EXPECT_EQ(compared, 68u);
}

TEST(DecodingParity, WhatIsTriedAgainOrDroppedEqualsOpenAiWhispers) {
  const base::Json oracle = read_oracle();
  size_t compared = 0;
  for (const base::Json& expected : oracle.at("judgements")) {
    SCOPED_TRACE(expected.dump());
    const TranscribeOptions options{
        .compression_ratio_threshold = optional<double>(expected.at("compression_ratio_threshold")),
        .logprob_threshold = optional<double>(expected.at("logprob_threshold")),
        .no_speech_threshold = optional<double>(expected.at("no_speech_threshold"))};
    const transcription::DecodedWindow decoded{
        .avg_logprob = expected.at("avg_logprob").get<double>(),
        .no_speech_prob = expected.at("no_speech_prob").get<double>(),
        .compression_ratio = expected.at("compression_ratio").get<double>()};
    EXPECT_EQ(needs_fallback(decoded, options), expected.at("attempts").get<int>() > 1);
    EXPECT_EQ(is_silent(decoded, options), expected.at("is_silent").get<bool>());
    ++compared;
  }
  std::cout << compared << " judgements compared\n";
  EXPECT_EQ(compared, 216u);
}

}  // namespace
}  // namespace whinchat::parity
