#include "text/word_tokens.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "text/characters.h"
#include "text/oracle_test.h"
#include "text/whisper_tokenizer.h"

namespace whinchat::text {
namespace {

TEST(WordTokens, AreTheOraclesOnEveryTextAndLanguage) {
  int compared = 0;
  for (const base::Json& row : oracle()["word_tokens"]) {
    const WhisperTokenizer tokenizer(row["n_vocab"].get<int64_t>());
    const std::vector<WordTokens> words =
        split_to_word_tokens(tokenizer, ids_of(row["ids"]), text_of(row["language"]));
    ASSERT_EQ(words.size(), row["words"].size()) << row;
    for (size_t i = 0; i < words.size(); ++i) {
      EXPECT_EQ(words[i].word, text_of(row["words"][i]));
      EXPECT_EQ(words[i].tokens, ids_of(row["word_tokens"][i]));
    }
    ++compared;
  }
  EXPECT_GE(compared, 40);
}

TEST(WordTokens, AreAllKeptWhereACharacterNeverCompletes) {
  const WhisperTokenizer tokenizer(51865);
  std::vector<int32_t> ids = tokenizer.encode("好𠮷");
  ids.pop_back();
  const std::vector<WordTokens> words = split_to_word_tokens(tokenizer, ids, "zh");
  EXPECT_EQ(words.at(0).word, "好");
  std::vector<int32_t> all;
  for (const WordTokens& word : words) {
    all.insert(all.end(), word.tokens.begin(), word.tokens.end());
  }
  EXPECT_EQ(all, ids);
}

TEST(Characters, AreDecodedAndStripped) {
  EXPECT_EQ(code_points("aé好𠮷"), (std::u32string{U'a', U'é', U'好', U'𠮷'}));
  EXPECT_EQ(stripped(" \u3000\u00A0好 a\u2003\n"), "好 a");
  EXPECT_EQ(stripped("\u3000"), "");
  EXPECT_EQ(stripped("é"), "é");
}

}  // namespace
}  // namespace whinchat::text
