// The tokenizer.json of OpenAI's checkpoints, whole and with one thing changed.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/file_map.h"
#include "base/json.h"
#include "text/oracle_test.h"
#include "text/tokenizer.h"
#include "whinchat/error.h"

namespace whinchat::text {
namespace {

struct Checkpoint {
  const char* folder;
  Vocabulary vocabulary;
};

constexpr Checkpoint kBase{"base", Vocabulary::Multilingual};
constexpr Checkpoint kTinyEnglish{"tiny.en", Vocabulary::English};

std::string json_of(const Checkpoint& checkpoint) {
  const auto folder = std::filesystem::path(WHINCHAT_CACHE) / "models" / checkpoint.folder;
  const auto file = base::FileMap::open(folder / "tokenizer.json");
  return std::string(base::as_text(file->bytes()));
}

// The first `from` becomes `to`.
std::string changed(std::string json, std::string_view from, std::string_view to) {
  const size_t place = json.find(from);
  if (place == std::string::npos) throw std::logic_error("not there: " + std::string(from));
  return json.replace(place, from.size(), to);
}

Tokenizer read(std::string_view json) {
  return Tokenizer::from_json(base::as_bytes(json), "tokenizer.json");
}

std::string error_of(std::string_view json) {
  try {
    read(json);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

class TokenizerCheckpoint : public testing::Test {
 protected:
  void SetUp() override {
    for (const Checkpoint& checkpoint : {kBase, kTinyEnglish}) {
      const auto folder = std::filesystem::path(WHINCHAT_CACHE) / "models" / checkpoint.folder;
      if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no " << folder;
    }
  }
};

TEST_F(TokenizerCheckpoint, IsTheEmbeddedOneWhereItSaysTheSame) {
  for (const Checkpoint& checkpoint : {kBase, kTinyEnglish}) {
    const Tokenizer tokenizer = read(json_of(checkpoint));
    EXPECT_TRUE(tokenizer.is_embedded()) << checkpoint.folder;
    const Tokenizer embedded(checkpoint.vocabulary);
    EXPECT_EQ(tokenizer.n_text_tokens(), embedded.n_text_tokens());
    EXPECT_EQ(tokenizer.token_bytes(50255), embedded.token_bytes(50255));
  }
}

// What the encoding does not depend on, or another spelling of the same.
TEST_F(TokenizerCheckpoint, IsTheEmbeddedOneWhereTheSameIsWrittenOtherwise) {
  const std::string json = json_of(kBase);
  EXPECT_TRUE(read(changed(json, "\"version\": \"1.0\"", "\"version\": \"2\"")).is_embedded());
  EXPECT_TRUE(read(changed(json, "\"type\": \"Temp", "\"type\": \"Other")).is_embedded());
  EXPECT_TRUE(read(changed(json, "\"!\": 0", "\"\\u0021\": 0")).is_embedded());
  EXPECT_TRUE(
      read(changed(json, ",\n    \"use_regex\": true\n  },\n  \"post", "},\"post")).is_embedded());
  EXPECT_TRUE(
      read(changed(json, "\"\": 50256", "\"\": 50256, \"<|endoftext|>\": 50257")).is_embedded());
}

struct Change {
  const char* name;
  Checkpoint checkpoint;
  std::string_view from;
  std::string_view to;
};

// clang-format off
constexpr Change kChanges[] = {
    {"the ids of two tokens", kBase,
     "\"Ġ('\": 50254,\n      \"åľº\": 50255", "\"åľº\": 50254,\n      \"Ġ('\": 50255"},
    {"the order of two tokens, each with its id", kBase,
     "\"Ġ('\": 50254,\n      \"åľº\": 50255", "\"åľº\": 50255,\n      \"Ġ('\": 50254"},
    {"one token less", kBase, ",\n      \"\": 50256", ""},
    {"one token more", kBase, "\"\": 50256", "\"\": 50256, \"ĠĠx\": 50257"},
    {"the end of the text among the tokens, twice", kBase,
     "\"\": 50256", "\"\": 50256, \"<|endoftext|>\": 50257, \"<|endoftext|>\": 50258"},
    {"another token after the last", kTinyEnglish, "\"<|endoftext|>\": 50256", "\"ĠĠx\": 50256"},
    {"the order of two merges", kBase,
     "\"t\"\n      ],\n      [\n        \"Ġ\",\n        \"a\"",
     "\"a\"\n      ],\n      [\n        \"Ġ\",\n        \"t\""},
    {"the order of two merges, joined", kTinyEnglish,
     "\"Ġ t\",\n      \"Ġ a\"", "\"Ġ a\",\n      \"Ġ t\""},
    {"a token merged of other parts", kTinyEnglish, "\"Ġt he\"", "\"Ġ the\""},
    {"one merge less", kTinyEnglish, ",\n      \"Ġg azed\"", ""},
    {"one merge more", kTinyEnglish, "\"Ġg azed\"", "\"Ġg azed\", \"Ġg azed\""},
    {"a normalizer", kBase, "\"normalizer\": null", "\"normalizer\": {\"type\": \"NFC\"}"},
    {"another pattern", kBase,
     "\"pre_tokenizer\": {\n    \"type\": \"ByteLevel\",\n    \"add_prefix_space\": false,\n"
     "    \"trim_offsets\": true,\n    \"use_regex\": true\n  }",
     R"("pre_tokenizer": {"type": "Sequence", "pretokenizers": [
        {"type": "Split", "pattern": {"Regex": "\\p{L}+|\\s+"}, "behavior": "Isolated",
         "invert": false},
        {"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true,
         "use_regex": false}]})"},
    {"no pattern", kBase, "\"use_regex\": true", "\"use_regex\": false"},
    {"a space before the text", kBase,
     "\"type\": \"ByteLevel\",\n    \"add_prefix_space\": false",
     "\"type\": \"ByteLevel\",\n    \"add_prefix_space\": true"},
    {"no pre-tokenizer", kBase, "\"pre_tokenizer\": {", "\"pre_tokenizer\": null, \"x\": {"},
    {"an added token's id", kBase, "\"id\": 51864", "\"id\": 51999"},
    {"an added token beyond the last", kBase, "\"special\": false\n    }\n  ],\n  \"normalizer\"",
     "\"special\": false}, {\"id\": 51865, \"content\": \"<|x|>\"}],\n  \"normalizer\""},
    {"the first added token", kBase, "\"content\": \"<|endoftext|>\"", "\"content\": \"<|x|>\""},
    {"no added tokens", kBase, "\"added_tokens\": [", "\"added_tokens\": [], \"x\": ["},
    {"merges ignored", kBase, "\"ignore_merges\": false", "\"ignore_merges\": true"},
    {"bytes for unknown tokens", kBase, "\"byte_fallback\": false", "\"byte_fallback\": true"},
    {"unknown tokens fused", kBase, "\"fuse_unk\": false", "\"fuse_unk\": true"},
    {"an unknown token", kBase, "\"unk_token\": null", "\"unk_token\": \"!\""},
    {"dropout", kBase, "\"dropout\": null", "\"dropout\": 0.5"},
    {"a suffix", kBase, "\"end_of_word_suffix\": \"\"", "\"end_of_word_suffix\": \"!\""},
};
// clang-format on

TEST_F(TokenizerCheckpoint, IsReadAsItIsWhereItDiffers) {
  for (const Change& change : kChanges) {
    const std::string json = changed(json_of(change.checkpoint), change.from, change.to);
    EXPECT_NO_THROW(EXPECT_FALSE(read(json).is_embedded()) << change.name) << change.name;
  }
}

TEST_F(TokenizerCheckpoint, IsHonouredWhereItDiffers) {
  const auto& [name, checkpoint, from, to] = kChanges[0];
  const std::string json = json_of(checkpoint);
  const Tokenizer swapped = read(changed(json, from, to));
  const Tokenizer whole = read(json);
  EXPECT_EQ(swapped.token_bytes(50254), whole.token_bytes(50255));
  EXPECT_EQ(swapped.encode(" ('"), std::vector<int32_t>{50255});
  EXPECT_EQ(whole.encode(" ('"), std::vector<int32_t>{50254});
}

struct Damage {
  std::string_view from;
  std::string_view to;
  std::string_view error;
};

constexpr std::string_view kBadJson = "tokenizer.json: expected a tokenizer in JSON, got: ";

// After kBadJson, in the words of serde_json and of the crate.
// clang-format off
constexpr Damage kDamages[] = {
    {"\n  }\n}", "\n  }", "EOF while parsing an object at line 264852 column 3"},
    {"\n  }\n}", "\n  }\n}}", "trailing characters at line 264853 column 2"},
    {"\"a\": 64", "\"a\": -1", "invalid value: integer `-1`, expected u32 at line 14656 column 13"},
    {"\"åľº\": 50255", "\"\xE5\": 50255", "invalid unicode code point at line 64847 column 8"},
    {"\n        \"Ġ\",\n        \"t\"\n", "\"Ġ\"",
     "data did not match any variant of untagged enum MergeType at line 264849 column 3"},
    {"[\n        \"Ġ\",\n        \"t\"\n      ]", "\"Ġ t\"",
     "data did not match any variant of untagged enum MergeType at line 264849 column 3"},
    {"\"dropout\": null", "\"dropped\": null", "expected `,` or `}` at line 14584 column 14"},
    {"\"continuing_subword_prefix\": \"\"", "\"continuing_subword_prefix\": \"!\"",
     "Token `Ġyu` out of vocabulary at line 264852 column 3"},
    {"\"model\": {", "\"model\": {}, \"model\": {", "Missing vocab/merges at line 14582 column 13"},
    {"\"type\": \"ByteLevel\",\n    \"add_prefix_space\": false",
     "\"type\": \"Other\",\n    \"add_prefix_space\": false",
     "data did not match any variant of untagged enum PreTokenizerUntagged at line 14485 column 3"},
    {"\"type\": \"ByteLevel\",\n    \"add_prefix_space\": true",
     "\"type\": \"Other\",\n    \"add_prefix_space\": true",
     "data did not match any variant of untagged enum DecoderUntagged at line 14581 column 3"},
};
// clang-format on

TEST_F(TokenizerCheckpoint, IsRefusedWhereItIsDamaged) {
  const std::string json = json_of(kBase);
  for (const auto& [from, to, error] : kDamages) {
    EXPECT_EQ(error_of(changed(json, from, to)), std::string(kBadJson) + std::string(error));
  }
  EXPECT_EQ(error_of(changed(json, "\"type\": \"BPE\"", "\"type\": \"Unigram\"")),
            "tokenizer.json: expected a BPE tokenizer, got \"Unigram\"");
}

// From a table's name to the bracket that closes it.
std::string_view table_of(std::string_view json, std::string_view name, char bracket) {
  const size_t begin = json.find(name);
  const size_t end = json.find(std::string("\n    ") + bracket, begin);
  return json.substr(begin, end - begin);
}

TEST_F(TokenizerCheckpoint, IsRefusedWhereItMixesTwo) {
  const std::string json = json_of(kBase);
  const std::string other = json_of(kTinyEnglish);
  for (const auto& [name, bracket] : {std::pair("\"vocab\"", '}'), {"\"merges\"", ']'}}) {
    const std::string mixed =
        changed(json, table_of(json, name, bracket), table_of(other, name, bracket));
    EXPECT_NE(error_of(mixed).find("out of vocabulary"), std::string::npos) << name;
  }
}

// Two implementations, one result: the crate's merges and ours by rank.
TEST_F(TokenizerCheckpoint, EncodesInEitherImplementationTheSame) {
  for (const Checkpoint& checkpoint : {kBase, kTinyEnglish}) {
    // Another name of an added token changes nothing but who reads the file.
    const Tokenizer theirs = read(
        changed(json_of(checkpoint), "\"content\": \"<|endoftext|>\"", "\"content\": \"<|x|>\""));
    ASSERT_FALSE(theirs.is_embedded());
    const Tokenizer ours(checkpoint.vocabulary);
    for (int32_t id = 0; id < 50256; ++id) {
      ASSERT_EQ(ours.token_bytes(id), theirs.token_bytes(id)) << id;
    }
    std::mt19937 random = repeatable_random();
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
