#include "text/tokenizer.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/error.h"
#include "base/file_map.h"
#include "base/json.h"
#include "text/oracle_test.h"

namespace whinchat::text {
namespace {

// The smallest byte-level tokenizer.json: 256 bytes and `th`. `change` may spoil it.
std::string small_json(void (*change)(base::Json&) = [](base::Json&) {}) {
  base::Json vocabulary = base::Json::object();
  const auto add = [&](int code) {
    const std::string token = code < 0x80 ? std::string(1, static_cast<char>(code))
                                          : std::string{static_cast<char>(0xC0 | (code >> 6)),
                                                        static_cast<char>(0x80 | (code & 0x3F))};
    vocabulary[token] = vocabulary.size();
  };
  for (int code = 0x21; code <= 0x7E; ++code) add(code);
  for (int code = 0xA1; code <= 0x143; ++code) {
    if (code != 0xAD) add(code);
  }
  vocabulary["th"] = vocabulary.size();
  base::Json json = {{"added_tokens", base::Json::array()},
                     {"normalizer", nullptr},
                     {"pre_tokenizer",
                      {{"type", "ByteLevel"},
                       {"add_prefix_space", false},
                       {"trim_offsets", true},
                       {"use_regex", true}}},
                     {"decoder",
                      {{"type", "ByteLevel"},
                       {"add_prefix_space", true},
                       {"trim_offsets", true},
                       {"use_regex", true}}},
                     {"model", {{"type", "BPE"}, {"vocab", vocabulary}, {"merges", {"t h"}}}}};
  change(json);
  return json.dump();
}

Tokenizer read(const std::string& json) {
  return Tokenizer::from_json(base::as_bytes(json), "tokenizer.json");
}

void expect_error(const std::string& json, ErrorKind kind, std::string_view part) {
  try {
    read(json);
    ADD_FAILURE() << "read: " << json.substr(0, 100);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), kind) << error.what();
    EXPECT_NE(std::string_view(error.what()).find(part), std::string_view::npos) << error.what();
  }
}

std::string random_utf8(std::mt19937& random) {
  std::string text;
  const auto size = random() % 30;
  for (unsigned i = 0; i < size; ++i) {
    const auto kind = random() % 4;
    if (kind == 0) {
      text += static_cast<char>(random() % 0x80);
    } else if (kind == 1) {
      text += "  'lls the\n"[random() % 11];
    } else if (kind == 2) {
      text += {static_cast<char>(0xC2 + random() % 0x1E), static_cast<char>(0x80 + random() % 64)};
    } else {
      text += {static_cast<char>(0xE1 + random() % 12), static_cast<char>(0x80 + random() % 64),
               static_cast<char>(0x80 + random() % 64)};
    }
  }
  return text;
}

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
  std::mt19937 random(7);
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

TEST(TokenizerJson, ReadsByteLevelBpe) {
  const Tokenizer tokenizer = read(small_json());
  EXPECT_EQ(tokenizer.n_text_tokens(), 257);
  EXPECT_EQ(tokenizer.encode("the").size(), 2U);
  EXPECT_EQ(tokenizer.token_bytes(256), "th");
  EXPECT_EQ(tokenizer.decode(tokenizer.encode("\r\xC2\xAD\x7F ü漢")), "\r\xC2\xAD\x7F ü漢");
}

TEST(TokenizerJson, TakesAddedTokensForPlainText) {
  const Tokenizer tokenizer = read(small_json([](base::Json& json) {
    json["added_tokens"] = {{{"id", 257},
                             {"content", "<|x|>"},
                             {"special", true},
                             {"single_word", false},
                             {"lstrip", false},
                             {"rstrip", false},
                             {"normalized", false}}};
  }));
  EXPECT_EQ(tokenizer.encode("<|x|>").size(), 5U);
  EXPECT_EQ(tokenizer.n_text_tokens(), 257);
}

TEST(TokenizerJson, NamesWhatIsWrong) {
  expect_error("", ErrorKind::Corrupt, "EOF");
  expect_error("{\"model\": 5}", ErrorKind::Corrupt, "tokenizer.json: expected a tokenizer");
  expect_error(std::string(100'000, '['), ErrorKind::Corrupt, "expected a tokenizer");
  expect_error(R"({"model": {"type": "WordPiece", "vocab": {}}})", ErrorKind::Unsupported,
               "expected a BPE tokenizer, got \"WordPiece\"");
  expect_error(small_json([](base::Json& json) { json["decoder"] = nullptr; }),
               ErrorKind::Unsupported, "byte-level");
  expect_error(small_json([](base::Json& json) { json["model"]["vocab"].erase("a"); }),
               ErrorKind::Corrupt, "byte 97");
  expect_error(small_json([](base::Json& json) { json["model"]["vocab"]["th"] = 5; }),
               ErrorKind::Corrupt, "got two");
  expect_error(small_json([](base::Json& json) { json["model"]["vocab"]["th"] = 4'000'000'000; }),
               ErrorKind::Corrupt, "ids below 257");
  expect_error(small_json([](base::Json& json) { json["model"]["merges"] = {"t x"}; }),
               ErrorKind::Corrupt, "tx");
}

// The crate slices a token by the prefix's length here, and panics.
TEST(TokenizerJson, CatchesPanics) {
  expect_error(
      small_json([](base::Json& json) { json["model"]["continuing_subword_prefix"] = "########"; }),
      ErrorKind::Corrupt, "failed");
}

// Two implementations, one result: the crate's merges and ours by rank.
TEST(TokenizerJson, EncodesAsTheEmbeddedVocabularies) {
  const std::filesystem::path models = std::filesystem::path(WHINCHAT_CACHE) / "models";
  const std::pair<const char*, Vocabulary> folders[] = {{"base", Vocabulary::Multilingual},
                                                        {"tiny.en", Vocabulary::English}};
  for (const auto& [folder, vocabulary] : folders) {
    const auto path = models / folder / "tokenizer.json";
    if (!std::filesystem::exists(path)) GTEST_SKIP() << "no " << path;
    const Tokenizer theirs =
        Tokenizer::from_json(base::FileMap::open(path)->bytes(), path.string());
    const Tokenizer ours(vocabulary);
    for (int32_t id = 0; id < 50256; ++id) {
      ASSERT_EQ(ours.token_bytes(id), theirs.token_bytes(id)) << id;
    }
    std::mt19937 random(11);
    for (int i = 0; i < 2000; ++i) {
      const std::string text = random_utf8(random);
      ASSERT_EQ(ours.encode(text), theirs.encode(text)) << text;
    }
    for (const base::Json& row : oracle()["encode"]) {
      EXPECT_EQ(ours.encode(text_of(row["text"])), theirs.encode(text_of(row["text"])));
    }
  }
}

}  // namespace
}  // namespace whinchat::text
