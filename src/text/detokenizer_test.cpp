#include "text/detokenizer.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "text/oracle_test.h"
#include "text/tokenizer.h"
#include "text/utf8.h"

namespace whinchat::text {
namespace {

// Mostly single bytes, so that characters break often.
std::vector<int32_t> random_ids(std::mt19937& random, int32_t n_text_tokens) {
  std::vector<int32_t> ids(random() % 40);
  for (int32_t& id : ids) {
    const int32_t limit = random() % 3 == 0 ? n_text_tokens : 256;
    id = static_cast<int32_t>(random() % static_cast<unsigned>(limit));
  }
  return ids;
}

bool is_utf8(const std::string& text) {
  std::string copy;
  Utf8Stream stream;
  stream.push(text, copy);
  return copy == text;
}

TEST(Detokenizer, JoinsToDecodeForEveryChunking) {
  std::mt19937 random = repeatable_random();
  for (const auto& [name, vocabulary] : kVocabularies) {
    const Tokenizer tokenizer(vocabulary);
    for (int i = 0; i < 5000; ++i) {
      const std::vector<int32_t> ids = random_ids(random, tokenizer.n_text_tokens());
      Detokenizer detokenizer(tokenizer);
      std::string joined;
      for (const int32_t id : ids) {
        const std::string part = detokenizer.push(id);
        ASSERT_TRUE(is_utf8(part)) << name;
        joined += part;
      }
      joined += detokenizer.finish();
      ASSERT_EQ(joined, tokenizer.decode(ids)) << name;
    }
  }
}

TEST(Detokenizer, WaitsForTheWholeCharacter) {
  const Tokenizer tokenizer(Vocabulary::Multilingual);
  const std::vector<int32_t> ids = tokenizer.encode("🫠");
  ASSERT_GT(ids.size(), 1U);
  Detokenizer detokenizer(tokenizer);
  std::string text;
  for (size_t i = 0; i + 1 < ids.size(); ++i) text += detokenizer.push(ids[i]);
  EXPECT_EQ(text, "");
  EXPECT_EQ(detokenizer.push(ids.back()), "🫠");
  EXPECT_EQ(detokenizer.finish(), "");
}

TEST(Detokenizer, ReplacesWhatNeverCompleted) {
  const Tokenizer tokenizer(Vocabulary::Multilingual);
  Detokenizer detokenizer(tokenizer);
  EXPECT_EQ(detokenizer.push(tokenizer.encode("🫠").front()), "");
  EXPECT_EQ(detokenizer.finish(), "\uFFFD");
}

}  // namespace
}  // namespace whinchat::text
