#include "hub/digest.h"

#include <gtest/gtest.h>

#include <string_view>

#include "base/bytes.h"

namespace whinchat::hub {
namespace {

Digest digest_of(std::string_view text, Digest::Kind kind) {
  Hasher hasher(kind, text.size());
  hasher.add(base::as_bytes(text.substr(0, text.size() / 2)));
  hasher.add(base::as_bytes(text.substr(text.size() / 2)));
  return hasher.finish();
}

// As sha256sum and git hash-object print them.
TEST(Digest, EqualsSha256sumAndGit) {
  EXPECT_EQ(digest_of("hello\n", Digest::Kind::Sha256).hex,
            "5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03");
  EXPECT_EQ(digest_of("hello\n", Digest::Kind::GitBlob).hex,
            "ce013625030ba8dba906f756967f9e9ca394464a");
  EXPECT_EQ(digest_of("", Digest::Kind::GitBlob).hex, "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391");
}

TEST(Digest, TakesHexInLowerCaseOfTheRightLength) {
  EXPECT_TRUE(is_hex("00ff", 4));
  EXPECT_FALSE(is_hex("00FF", 4));
  EXPECT_FALSE(is_hex("00ff0", 4));
  EXPECT_FALSE(is_hex("../f", 4));
}

}  // namespace
}  // namespace whinchat::hub
