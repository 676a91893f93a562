#include "text/languages.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "base/json.h"
#include "text/oracle_test.h"
#include "whinchat/error.h"

namespace whinchat::text {
namespace {

std::string message_for(std::string_view wanted) {
  try {
    find_language(wanted);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::BadInput);
    return error.what();
  }
  return "found";
}

TEST(Languages, EqualTheOracle) {
  const base::Json& expected = oracle()["languages"];
  ASSERT_EQ(languages().size(), expected.size());
  // Their order is that of their tokens, which WhisperTokens' tests compare.
  for (const Language& language : languages()) {
    EXPECT_EQ(language.name, text_of(expected.at(std::string(language.code))));
  }
}

TEST(Languages, AliasesEqualTheOracle) {
  const base::Json& expected = oracle()["aliases"];
  ASSERT_EQ(language_aliases().size(), expected.size());
  for (const auto& [name, code] : expected.items()) EXPECT_EQ(find_language(name), text_of(code));
}

TEST(Languages, AreFoundByCodeAndNameInAnyCase) {
  EXPECT_EQ(find_language("de"), "de");
  EXPECT_EQ(find_language("DE"), "de");
  EXPECT_EQ(find_language("German"), "de");
  EXPECT_EQ(find_language("Haitian Creole"), "ht");
  EXPECT_EQ(find_language("VALENCIAN"), "ca");
}

TEST(Languages, SuggestTheNearestName) {
  EXPECT_NE(message_for("Germann").find("did you mean german?"), std::string::npos);
  EXPECT_NE(message_for("frensh").find("did you mean french?"), std::string::npos);
  EXPECT_NE(message_for("japnese").find("did you mean japanese?"), std::string::npos);
  EXPECT_NE(message_for("mandarine").find("did you mean mandarin?"), std::string::npos);
  EXPECT_LT(message_for(std::string(1'000'000, 'x')).size(), 150U);
  EXPECT_NE(message_for(""), "found");
}

}  // namespace
}  // namespace whinchat::text
