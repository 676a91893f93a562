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

TEST(Tokenizer, FindsTheTokensThatAPatternMatchesFromEndToEnd) {
  const Tokenizer tokenizer(Vocabulary::Multilingual);
  const auto texts = [&](std::string_view pattern) {
    std::vector<std::string> texts;
    for (const int32_t id : tokenizer.matching_tokens(pattern, "p")) {
      texts.emplace_back(tokenizer.token_bytes(id));
    }
    return texts;
  };
  EXPECT_EQ(texts("[0-3]"), (std::vector<std::string>{"0", "1", "2", "3"}));
  EXPECT_EQ(texts(" ?country"), (std::vector<std::string>{" country", "country"}));
  EXPECT_EQ(texts("no such token at all"), std::vector<std::string>());
  EXPECT_EQ(texts("(?s-u:.)").size(), 256u) << "every byte is a token";
  EXPECT_EQ(texts("(-+)+x"), std::vector<std::string>()) << "at once, whatever the pattern";
}

TEST(Tokenizer, SaysInASentenceWhatIsWrongWithAPattern) {
  const Tokenizer tokenizer(Vocabulary::English);
  const auto refusal = [&](std::string_view pattern) -> std::string {
    try {
      tokenizer.matching_tokens(pattern, "p");
    } catch (const Error& error) {
      return error.kind() == ErrorKind::BadInput ? error.what() : "another kind";
    }
    return "";
  };
  EXPECT_EQ(refusal("[a"), "p: unclosed character class");
  EXPECT_EQ(refusal("a)(b"), "p: unopened group");
  EXPECT_EQ(refusal("(a)\\1"), "p: backreferences are not supported");
  EXPECT_EQ(refusal("\xff"), "p: expected text in UTF-8, got an invalid byte at 0");
}

}  // namespace
}  // namespace whinchat::text
