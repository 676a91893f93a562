#include "transcription/words/edit_path.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace whinchat::transcription {
namespace {

using Texts = std::vector<std::string>;

// Of every way to pair words in order, the cheapest.
size_t cheapest(const Texts& from, const Texts& to, size_t i, size_t j) {
  if (i == from.size()) return to.size() - j;
  if (j == to.size()) return from.size() - i;
  const size_t replaced = cheapest(from, to, i + 1, j + 1) + (from[i] == to[j] ? 0 : 1);
  return std::min({replaced, cheapest(from, to, i + 1, j) + 1, cheapest(from, to, i, j + 1) + 1});
}

size_t cost_of(const std::vector<std::optional<size_t>>& path, const Texts& from, const Texts& to) {
  size_t paired = 0;
  size_t cost = 0;
  size_t next = 0;
  for (size_t i = 0; i < from.size(); ++i) {
    const std::optional<size_t> partner = path[i];
    if (!partner) {
      ++cost;
      continue;
    }
    EXPECT_GE(*partner, next) << "in order";
    next = *partner + 1;
    ++paired;
    if (from[i] != to.at(*partner)) ++cost;
  }
  return cost + to.size() - paired;
}

TEST(EditPath, IsTheCheapest) {
  std::mt19937 random(3);  // NOLINT(bugprone-random-generator-seed)
  const Texts words{"a", "b", "c"};
  for (int round = 0; round < 300; ++round) {
    Texts from(random() % 7);
    Texts to(random() % 7);
    for (std::string& word : from) word = words[random() % 3];
    for (std::string& word : to) word = words[random() % 3];
    EXPECT_EQ(cost_of(edit_path(from, to), from, to), cheapest(from, to, 0, 0));
  }
}

TEST(EditPath, SaysWhatHasNoCounterpart) {
  const auto path = edit_path(Texts{"so", "my", "dear", "fellow"}, Texts{"my", "fellow", "men"});
  EXPECT_EQ(path, (std::vector<std::optional<size_t>>{std::nullopt, 0, std::nullopt, 1}));
}

TEST(EditPath, KeepsWordsTogetherWhereItCan) {
  const Texts heard{"ask", "not", "what", "you", "do", "ask", "what", "you", "can", "do"};
  const auto path = edit_path(Texts{"ask", "what", "you", "can", "do"}, heard);
  EXPECT_EQ(path, (std::vector<std::optional<size_t>>{5, 6, 7, 8, 9}));
}

}  // namespace
}  // namespace whinchat::transcription
