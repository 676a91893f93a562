#include "text/whisper_tokens.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string_view>

#include "base/json.h"
#include "text/oracle_test.h"
#include "whinchat/error.h"

namespace whinchat::text {
namespace {

TEST(WhisperTokens, EqualTheOracleInAllLayouts) {
  ASSERT_EQ(oracle()["layouts"].size(), 3U);
  for (const base::Json& row : oracle()["layouts"]) {
    const auto tokens = WhisperTokens::from_n_vocab(row["n_vocab"].get<int64_t>());
    EXPECT_EQ(tokens.n_vocab, row["n_vocab"]);
    EXPECT_EQ(tokens.multilingual, row["multilingual"]);
    EXPECT_EQ(tokens.eot, row["eot"]);
    EXPECT_EQ(tokens.sot, row["sot"]);
    EXPECT_EQ(tokens.translate, row["translate"]);
    EXPECT_EQ(tokens.transcribe, row["transcribe"]);
    EXPECT_EQ(tokens.sot_lm, row["sot_lm"]);
    EXPECT_EQ(tokens.sot_prev, row["sot_prev"]);
    EXPECT_EQ(tokens.no_speech, row["no_speech"]);
    EXPECT_EQ(tokens.no_timestamps, row["no_timestamps"]);
    EXPECT_EQ(tokens.timestamp_begin, row["timestamp_begin"]);
  }
}

TEST(WhisperTokens, LanguagesEqualTheOracle) {
  for (const base::Json& row : oracle()["layouts"]) {
    const auto tokens = WhisperTokens::from_n_vocab(row["n_vocab"].get<int64_t>());
    EXPECT_EQ(tokens.n_languages, row["language_tokens"].size());
    for (const auto& [code, token] : row["language_tokens"].items()) {
      EXPECT_EQ(tokens.language_token(code), token);
      EXPECT_EQ(tokens.language_of(token.get<int32_t>()), code);
    }
  }
}

TEST(WhisperTokens, NamesEqualTheOracle) {
  for (const base::Json& row : oracle()["layouts"]) {
    const auto tokens = WhisperTokens::from_n_vocab(row["n_vocab"].get<int64_t>());
    int32_t token = tokens.eot;
    for (const base::Json& name : row["names"]) EXPECT_EQ(tokens.name_of(token++), text_of(name));
    EXPECT_EQ(token, tokens.n_vocab);
  }
}

TEST(WhisperTokens, RefuseOtherSizesByNamingTheKnown) {
  for (const int64_t n_vocab : {int64_t{0}, int64_t{-1}, int64_t{50257}, int64_t{51863},
                                int64_t{51867}, int64_t{51865 + 0x100000000}}) {
    try {
      WhisperTokens::from_n_vocab(n_vocab);
      ADD_FAILURE() << n_vocab;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::Unsupported);
      const std::string_view message = error.what();
      for (const char* known : {"51864", "51865", "51866"}) {
        EXPECT_NE(message.find(known), std::string_view::npos) << message;
      }
    }
  }
}

TEST(WhisperTokens, RefuseUnknownLanguagesAndTokens) {
  const auto tokens = WhisperTokens::from_n_vocab(51865);
  EXPECT_THROW(tokens.language_token("xx"), Error);
  EXPECT_THROW(tokens.language_token("yue"), Error);
  EXPECT_EQ(WhisperTokens::from_n_vocab(51866).language_token("yue"), 50358);
  EXPECT_THROW(tokens.language_of(tokens.sot), Error);
  EXPECT_THROW(tokens.language_of(tokens.translate), Error);
  EXPECT_THROW(tokens.name_of(tokens.eot - 1), Error);
  EXPECT_THROW(tokens.name_of(tokens.n_vocab), Error);
}

}  // namespace
}  // namespace whinchat::text
