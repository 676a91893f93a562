#include "weights/json_file.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "weights/fixture.h"
#include "whinchat/error.h"

namespace whinchat::weights {
namespace {

std::string members_of(std::string_view text) {
  std::string members;
  visit_members(text, "index.json", [&](const std::string& name, std::string_view value) {
    members += name + "=" + std::string(value) + ";";
  });
  return members;
}

TEST(JsonFile, VisitsMembersInOrderWithTheirText) {
  EXPECT_EQ(members_of(" {\"a\" : {\"b\":[1,{}]} ,\n\"c\\\"}\":\"d,}\\\"\", \"e\":1}\n"),
            "a={\"b\":[1,{}]} ;c\"}=\"d,}\\\"\";e=1;");
  EXPECT_EQ(members_of("{}"), "");
}

TEST(JsonFile, NamesTheDocumentAndThePlaceOfASyntaxError) {
  for (const char* bad :
       {"", "[]", "{", "{\"a", "{\"a\"", "{\"a\":", "{\"a\":1", "{\"a\":1,", "{\"a\":1,}",
        "{\"a\":1}}", "{a:1}", "{\"\\q\":1}", "{\"a\":\"b}", "{\"a\":[}", "{,}"}) {
    const std::string message = message_of([&] { members_of(bad); });
    EXPECT_EQ(message.find("index.json: expected"), 0u) << bad << ": " << message;
  }
}

TEST(JsonFile, RefusesDocumentsBeyondAConfig) {
  std::string keys = "{\"k\":0";
  for (int i = 0; i < 5000; ++i) keys += ",\"" + std::to_string(i) + "\":0";
  EXPECT_NE(message_of([&] { read_json(keys + "}", "config.json"); }).find("5001 keys"),
            std::string::npos);
  EXPECT_THROW(read_json("[" + std::string(2'000'000, ' ') + "]", "config.json"), Error);
  EXPECT_EQ(read_json(R"({"a":"::::","b":{"c":1}})", "config.json").size(), 2u);
}

TEST(JsonFile, AStrictObjectHoldsEachKeyOnce) {
  EXPECT_EQ(read_strict_object(R"({"a":":","b":"\":"})", "t").size(), 2u);
  for (const char* bad : {R"({"a":1,"a":2})", R"({"a":{"b":1,"b":2}})"}) {
    EXPECT_NE(message_of([&] { read_strict_object(bad, "t"); }).find("twice"), std::string::npos);
  }
  EXPECT_THROW(read_strict_object("[]", "t"), Error);
  EXPECT_THROW(read_strict_object("{}" + std::string(5000, ' '), "t"), Error);
}

}  // namespace
}  // namespace whinchat::weights
