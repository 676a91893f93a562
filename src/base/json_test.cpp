#include "base/json.h"

#include <gtest/gtest.h>

#include <string>

#include "base/error.h"

namespace whinchat::base {
namespace {

std::string error_of(const std::string& text, const std::string& field) {
  try {
    require_integer(parse_json(text, "config.json"), field, "config.json", 1, 100);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::Corrupt);
    return error.what();
  }
  return "";
}

TEST(Json, ReadsWholeNumbersInRange) {
  EXPECT_EQ(require_integer(parse_json(R"({"n":80})", "c"), "n", "c", 1, 100), 80);
  EXPECT_EQ(require_integer(parse_json(R"({"n":80.0})", "c"), "n", "c", 1, 100), 80);
}

TEST(Json, NamesTheFieldThatIsMissingOrNotAWholeNumber) {
  EXPECT_NE(error_of("{}", "n_mels").find("n_mels is missing"), std::string::npos);
  for (const char* bad : {R"("80")", "null", "1.5", "[80]", "true", "1e300", "0", "101", "-1"}) {
    const std::string message = error_of(std::string(R"({"n_mels":)") + bad + "}", "n_mels");
    EXPECT_NE(message.find("n_mels"), std::string::npos) << bad;
  }
}

TEST(Json, RefusesBrokenAndDeeplyNestedDocuments) {
  EXPECT_THROW(parse_json("{", "c"), Error);
  EXPECT_THROW(parse_json("", "c"), Error);
  EXPECT_THROW(parse_json(std::string(100000, '['), "c"), Error);
  EXPECT_THROW(require_integer(parse_json("[1]", "c"), "n", "c", 0, 1), Error);
}

TEST(Json, RefusesNumbersThatNoDoubleHolds) {
  EXPECT_EQ(error_of(R"({"n_mels":5e864})", "n_mels"),
            "config.json: expected numbers that a double can hold, got a larger one");
}

}  // namespace
}  // namespace whinchat::base
