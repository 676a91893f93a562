#include "decoding/beam.h"

#include <gtest/gtest.h>
#include <mlx/array.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "decoding/rules.h"
#include "decoding/sequence.h"
#include "ops/logits.h"

namespace whinchat::decoding {
namespace {

namespace mx = mlx::core;

constexpr int kVocabulary = 6;
constexpr int32_t kEot = 5;

using Scores = std::vector<float>;  // of the vocabulary
using Script = std::function<Scores(const std::vector<int32_t>& context)>;

// What a row has read decides what comes next.
class ScriptedRows {
 public:
  explicit ScriptedRows(Script script) : script_(std::move(script)) {}

  LogitSource source() {
    return {.logits_of = [this](const mx::array& tokens) { return logits_of(tokens); },
            .take_rows =
                [this](std::span<const int> rows) {
                  std::vector<std::vector<int32_t>> taken;
                  taken.reserve(rows.size());
                  for (const int row : rows) taken.push_back(rows_.at(static_cast<size_t>(row)));
                  rows_ = std::move(taken);
                }};
  }

 private:
  // Scores behind the last token; those behind the prompt's others are 0.
  ops::Logits logits_of(const mx::array& tokens) {
    const auto length = static_cast<size_t>(tokens.shape(1));
    rows_.resize(static_cast<size_t>(tokens.shape(0)));
    std::vector<float> logits(tokens.size() * kVocabulary, 0.0F);
    for (size_t row = 0; row < rows_.size(); ++row) {
      const int32_t* read = tokens.data<int32_t>() + row * length;
      rows_[row].insert(rows_[row].end(), read, read + length);
      std::ranges::copy(
          script_(rows_[row]),
          logits.begin() + static_cast<int64_t>(((row + 1) * length - 1) * kVocabulary));
    }
    return ops::Logits(mx::array(logits.begin(), {tokens.shape(0), tokens.shape(1), kVocabulary}));
  }

  Script script_;
  std::vector<std::vector<int32_t>> rows_;
};

std::vector<std::vector<int32_t>> texts(Script script, int beam_size, double patience,
                                        int max_tokens = 8) {
  ScriptedRows model(std::move(script));
  const Rules rules({.timestamps = false});
  const std::vector<int32_t> prompt = {0};
  const Decoded decoded = decode_beams(model.source(), prompt, rules,
                                       {.limits = {.max_tokens = max_tokens},
                                        .special = {.eot = kEot},
                                        .beam_size = beam_size,
                                        .patience = patience});
  std::vector<std::vector<int32_t>> found;
  found.reserve(decoded.sequences.size());
  for (const Sequence& sequence : decoded.sequences) found.push_back(sequence.tokens);
  return found;
}

TEST(DecodeBeams, KeepsABeamsNextBestWhereItsBestOneEnds) {
  // Behind 1 the end is likeliest, then 2 and 3; behind 4 all are unlikely.
  const Script script = [](const std::vector<int32_t>& context) -> Scores {
    switch (context.back()) {
      case 0:
        return {0, 9, 0, 0, 5, 0};
      case 1:
        return {0, 0, 8.8F, 8.6F, 0, 9};
      case 2:
        return {1, 1, 1, 1, 1, 1};
      default:
        return {0, 0, 0, 0, 0, 9};
    }
  };
  EXPECT_EQ(texts(script, 2, 1), (std::vector<std::vector<int32_t>>{{1}, {1, 3}}));
}

TEST(DecodeBeams, LooksForSoManyFinishedTextsAsPatienceRoundedToEvenSays) {
  // The end is the likeliest token everywhere, so that every beam ends once a step.
  const Script script = [](const std::vector<int32_t>& /*context*/) -> Scores {
    return {0, 1, 2, 3, 4, 9};
  };
  for (const auto& [beam_size, patience, count] :
       {std::tuple{1, 1.0, 1}, {1, 2.5, 2}, {1, 3.5, 4}, {5, 1.5, 8}, {5, 1.0, 5}}) {
    EXPECT_EQ(texts(script, beam_size, patience).size(), static_cast<size_t>(count))
        << beam_size << " " << patience;
  }
}

TEST(DecodeBeams, FillUpWithTheBestThatTheLimitsCut) {
  const Script script = [](const std::vector<int32_t>& context) -> Scores {
    return context.size() == 1 ? Scores{0, 7, 6, 5, 0, 0} : Scores{9, 0, 0, 0, 0, 0};
  };
  EXPECT_EQ(texts(script, 3, 1, 2), (std::vector<std::vector<int32_t>>{{1, 0}, {2, 0}, {3, 0}}));
}

}  // namespace
}  // namespace whinchat::decoding
