#include "text/whisper_tokenizer.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "base/json.h"
#include "text/oracle_test.h"
#include "text/tokenizer.h"
#include "text/whisper_tokens.h"
#include "whinchat/error.h"

namespace whinchat::text {
namespace {

TEST(WhisperTokenizer, DecodesAsTheOracle) {
  int compared = 0;
  for (const base::Json& row : oracle()["decode"]) {
    const WhisperTokenizer tokenizer(row["n_vocab"].get<int64_t>());
    const std::vector<int32_t> ids = ids_of(row["ids"]);
    EXPECT_EQ(tokenizer.decode(ids), text_of(row["text"])) << row["ids"];
    EXPECT_EQ(tokenizer.decode_with_timestamps(ids), text_of(row["text_with_timestamps"]));
    ++compared;
  }
  EXPECT_GE(compared, 100);
}

TEST(WhisperTokenizer, SuppressesWhatTheOracleSuppresses) {
  for (const base::Json& row : oracle()["layouts"]) {
    const WhisperTokenizer tokenizer(row["n_vocab"].get<int64_t>());
    EXPECT_EQ(tokenizer.non_speech_tokens(), ids_of(row["non_speech_tokens"]));
    EXPECT_EQ(tokenizer.blank_tokens(), ids_of(row["blank_tokens"]));
  }
}

TEST(WhisperTokenizer, StartsAsTheOracle) {
  for (const base::Json& row : oracle()["layouts"]) {
    const WhisperTokenizer tokenizer(row["n_vocab"].get<int64_t>());
    for (const base::Json& start : row["sot_sequences"]) {
      const Task task = text_of(start["task"]) == "translate" ? Task::Translate : Task::Transcribe;
      EXPECT_EQ(tokenizer.sot_sequence(text_of(start["language"]), task), ids_of(start["ids"]))
          << start;
    }
  }
}

TEST(WhisperTokenizer, RefusesIdsPastTheVocabulary) {
  const WhisperTokenizer tokenizer(51865);
  EXPECT_THROW(tokenizer.decode_with_timestamps(std::vector<int32_t>{51865}), Error);
  EXPECT_THROW(tokenizer.decode(std::vector<int32_t>{-1}), Error);
}

TEST(WhisperTokenizer, RefusesATokenizerWithTooFewTokens) {
  EXPECT_THROW(WhisperTokenizer(51865, Tokenizer(Vocabulary::English), "t"), Error);
}

TEST(WhisperTokenizer, RefusesTheOtherVocabularyOfWhisper) {
  EXPECT_NO_THROW(WhisperTokenizer(51864, Tokenizer(Vocabulary::English), "t"));
  EXPECT_NO_THROW(WhisperTokenizer(51866, Tokenizer(Vocabulary::Multilingual), "t"));
  EXPECT_THROW(WhisperTokenizer(51864, Tokenizer(Vocabulary::Multilingual), "t"), Error);
}

}  // namespace
}  // namespace whinchat::text
