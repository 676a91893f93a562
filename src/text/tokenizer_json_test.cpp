#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "base/bytes.h"
#include "base/json.h"
#include "text/tokenizer.h"
#include "whinchat/error.h"

namespace whinchat::text {
namespace {

// The smallest byte-level tokenizer.json: 256 bytes and `th`. `change` may spoil it.
std::string small_json(void (*change)(base::Json&) = [](base::Json&) {}) {
  base::Json vocabulary = base::Json::object();
  const auto add = [&](int code) {
    const std::string token = code < 0x80 ? std::string(1, static_cast<char>(code))
                                          : std::string{static_cast<char>(0xC0 + code / 64),
                                                        static_cast<char>(0x80 + code % 64)};
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
  expect_error(small_json([](base::Json& json) { json["model"]["vocab"]["th"] = 257; }),
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

}  // namespace
}  // namespace whinchat::text
