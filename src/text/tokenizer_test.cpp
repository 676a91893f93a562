#include "text/tokenizer.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "base/json.h"
#include "text/oracle_test.h"
#include "whinchat/error.h"

namespace whinchat::text {
namespace {

TEST(Tokenizer, EncodesAsTiktoken) {
  int compared = 0;
  for (const auto& [name, vocabulary] : kVocabularies) {
    const Tokenizer tokenizer(vocabulary);
    for (const base::Json& row : oracle()["encode"]) {
      EXPECT_EQ(tokenizer.encode(text_of(row["text"])), ids_of(row[name])) << name << row["text"];
      ++compared;
    }
  }
  EXPECT_GE(compared, 200);
}

TEST(Tokenizer, DecodesWhatItEncodes) {
  std::mt19937 random = repeatable_random();
  for (const auto& [name, vocabulary] : kVocabularies) {
    const Tokenizer tokenizer(vocabulary);
    for (int i = 0; i < 2000; ++i) {
      const std::string text = random_utf8(random);
      EXPECT_EQ(tokenizer.decode(tokenizer.encode(text)), text) << name;
    }
  }
}

TEST(Tokenizer, CountsTextTokens) {
  EXPECT_EQ(Tokenizer(Vocabulary::Multilingual).n_text_tokens(), 50257);
  EXPECT_EQ(Tokenizer(Vocabulary::English).n_text_tokens(), 50256);
}

TEST(Tokenizer, RefusesIdsOutOfRange) {
  const Tokenizer tokenizer(Vocabulary::Multilingual);
  EXPECT_EQ(tokenizer.token_bytes(50256), "");
  EXPECT_THROW(tokenizer.token_bytes(50257), Error);
  EXPECT_THROW(tokenizer.token_bytes(-1), Error);
  EXPECT_THROW(tokenizer.decode(std::vector<int32_t>{1, 99999}), Error);
}

TEST(Tokenizer, RefusesTextThatIsNotUtf8) {
  const Tokenizer tokenizer(Vocabulary::English);
  try {
    tokenizer.encode("ab\xFFz");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::BadInput);
    EXPECT_NE(std::string_view(error.what()).find("invalid byte at 2"), std::string_view::npos);
  }
}

TEST(Tokenizer, EncodesLongRunsInTime) {
  const Tokenizer tokenizer(Vocabulary::Multilingual);
  for (const std::string& unit : {std::string("a"), std::string(" "), std::string("漢")}) {
    std::string text;
    while (text.size() < 200'000) text += unit;
    EXPECT_EQ(tokenizer.decode(tokenizer.encode(text)), text);
  }
}

TEST(Tokenizer, MayBeMovedAndReadFromManyThreads) {
  Tokenizer first(Vocabulary::English);
  const Tokenizer tokenizer = std::move(first);
  const std::vector<int32_t> expected = tokenizer.encode("the same for all");
  std::atomic<int> equal = 0;
  std::vector<std::thread> threads;
  threads.reserve(4);
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int j = 0; j < 100; ++j) equal += tokenizer.encode("the same for all") == expected;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(equal, 400);
}

}  // namespace
}  // namespace whinchat::text
