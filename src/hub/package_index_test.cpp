#include "hub/package_index.h"

#include <gtest/gtest.h>

#include <string>

#include "base/error.h"

namespace whinchat::hub {
namespace {

PackageLink find(const std::string& page, const std::string& type = "text/html") {
  try {
    return find_package_link(page, type, "a_b-1.0.whl", "the package a-b");
  } catch (const Error& error) {
    return {"", error.what()};
  }
}

TEST(PackageIndex, FindsAFileInJson) {
  const PackageLink link =
      find(R"({"files":[{"filename":"a_b-0.9.whl","url":"x","hashes":{}},)"
           R"({"filename":"a_b-1.0.whl","url":"../f/a_b-1.0.whl","hashes":{"sha256":"00"}}]})",
           "application/vnd.pypi.simple.v1+json");
  EXPECT_EQ(link.address, "../f/a_b-1.0.whl");
  EXPECT_EQ(link.sha256, "00");
}

TEST(PackageIndex, FindsAFileInHtml) {
  const PackageLink link = find(
      "<a href=\"https://f/x/a_b-0.9.whl#sha256=99\">a_b-0.9.whl</a>\n"
      "<a data-x='1' href='https://f/x/a_b-1.0.whl?k=1&amp;l=2#sha256=00'>a_b-1.0.whl</a>");
  EXPECT_EQ(link.address, "https://f/x/a_b-1.0.whl?k=1&l=2");
  EXPECT_EQ(link.sha256, "00");
  EXPECT_EQ(find("<a href=\"a_b-1.0.whl\">").address, "a_b-1.0.whl");
  EXPECT_EQ(find("<a href=\"a_b-1.0.whl\">").sha256, "");
}

TEST(PackageIndex, SaysThatThereIsNoSuchFile) {
  const std::string sentence = "the package a-b: there is no file a_b-1.0.whl";
  EXPECT_EQ(find("").sha256, sentence);
  EXPECT_EQ(find("href=").sha256, sentence);
  EXPECT_EQ(find("<a href=\"a_b-1.0.whl").sha256, sentence) << "a page that was cut";
  EXPECT_EQ(find("<a href=a_b-1.0.whl>").sha256, sentence);
  EXPECT_EQ(find(R"({"files":[]})", "application/json").sha256, sentence);
  EXPECT_EQ(
      find(R"({"files":[1,{"filename":3},{"filename":"a_b-1.0.whl"}]})", "application/json").sha256,
      sentence);
  EXPECT_NE(find(R"({"files":)", "application/json").sha256.find("expected JSON"),
            std::string::npos);
}

}  // namespace
}  // namespace whinchat::hub
