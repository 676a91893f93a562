#include "base/zip.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/error.h"

namespace whinchat::base {
namespace {

std::string number(uint64_t value, int bytes) {
  std::string result;
  for (int i = 0; i < bytes; ++i) result += static_cast<char>(value >> (8U * i));
  return result;
}

std::string deflated(const std::string& text) {
  z_stream stream{};
  deflateInit2(&stream, 6, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  std::string packed(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

// A member as it is written; the fields may lie.
struct Written {
  std::string name;
  std::string packed;
  uint64_t bytes;
  uint32_t crc;
  uint16_t method = 8;
  uint16_t flags = 0;
  std::string local_name = name;
};

Written member(const std::string& name, const std::string& text, uint16_t method = 8) {
  const auto crc = static_cast<uint32_t>(
      crc32(0, reinterpret_cast<const Bytef*>(text.data()), static_cast<uInt>(text.size())));
  return {name, method == 8 ? deflated(text) : text, text.size(), crc, method};
}

std::string archive_of(const std::vector<Written>& members, const std::string& comment = "") {
  std::string archive;
  std::string list;
  for (const Written& one : members) {
    const std::string sizes =
        number(one.crc, 4) + number(one.packed.size(), 4) + number(one.bytes, 4);
    list += number(0x02014B50, 4) + number(20, 2) + number(20, 2) + number(one.flags, 2) +
            number(one.method, 2) + number(0, 4) + sizes + number(one.name.size(), 2) +
            number(0, 2) + number(0, 2) + number(0, 8) + number(archive.size(), 4) + one.name;
    archive += number(0x04034B50, 4) + number(20, 2) + number(one.flags, 2) +
               number(one.method, 2) + number(0, 4) + sizes + number(one.local_name.size(), 2) +
               number(0, 2) + one.local_name + one.packed;
  }
  const uint64_t position = archive.size();
  return archive + list + number(0x06054B50, 4) + number(0, 4) + number(members.size(), 2) +
         number(members.size(), 2) + number(list.size(), 4) + number(position, 4) +
         number(comment.size(), 2) + comment;
}

// The content of every member, joined; or the sentence of the error.
std::string unpacked(std::string_view archive) {
  std::string content;
  try {
    for (const ZipMember& one : read_zip_members(as_bytes(archive), "a.whl")) {
      unpack_zip_member(as_bytes(archive), one, "a.whl",
                        [&](Bytes piece) { content += as_text(piece); });
    }
  } catch (const Error& error) {
    return error.what();
  }
  return content;
}

std::string long_text() {
  std::string text;
  for (int i = 0; i < 200'000; ++i) text += std::to_string(i * 7919 % 100'003);
  return text;
}

TEST(Zip, UnpacksStoredAndDeflatedMembers) {
  const std::string archive = archive_of({member("a", "stored", 0), member("b", long_text())});
  EXPECT_EQ(unpacked(archive), "stored" + long_text());
  const std::vector<ZipMember> members = read_zip_members(as_bytes(archive), "a.whl");
  ASSERT_EQ(members.size(), 2);
  EXPECT_EQ(members[1].name, "b");
  EXPECT_EQ(members[1].bytes, long_text().size());
}

TEST(Zip, FindsTheListBeforeAComment) {
  const std::string comment = "a comment with PK\x05\x06 in it, longer than the record's 22 bytes";
  EXPECT_EQ(unpacked(archive_of({member("a", "text")}, comment)), "text");
  EXPECT_EQ(unpacked(archive_of({})), "");
}

TEST(Zip, RefusesAnArchiveCutAnywhere) {
  const std::string archive = archive_of({member("a", "stored", 0), member("b", "deflated text")});
  for (size_t size = 0; size < archive.size(); ++size) {
    EXPECT_EQ(unpacked(archive.substr(0, size)),
              "a.whl: expected a ZIP archive, got no end of its list of members")
        << size;
  }
}

TEST(Zip, RefusesAMemberThatEndsEarly) {
  Written cut = member("a", long_text());
  cut.packed.resize(cut.packed.size() / 2);
  EXPECT_EQ(unpacked(archive_of({cut})), "a.whl: the packed bytes of the member a are damaged");
  Written longer = member("a", "text");
  longer.packed += "rest";
  EXPECT_EQ(unpacked(archive_of({longer})), "a.whl: the packed bytes of the member a are damaged");
}

TEST(Zip, RefusesAMemberOfAnotherSizeThanListed) {
  Written more = member("a", "four");
  more.bytes = 3;
  EXPECT_EQ(unpacked(archive_of({more})), "a.whl: expected 3 bytes in the member a, got more");
  Written less = member("a", "four", 0);
  less.bytes = 5;
  EXPECT_EQ(unpacked(archive_of({less})), "a.whl: expected 5 bytes in the member a, got 4");
}

TEST(Zip, RefusesAWrongSum) {
  Written wrong = member("a", "four");
  wrong.crc ^= 1U;
  EXPECT_EQ(unpacked(archive_of({wrong})),
            "a.whl: the member a has another CRC than the list states");
}

TEST(Zip, RefusesWhatItDoesNotRead) {
  Written encrypted = member("a", "x");
  encrypted.flags = 1;
  EXPECT_EQ(unpacked(archive_of({encrypted})), "a.whl: the member a is encrypted");
  Written packed_otherwise = member("a", "x");
  packed_otherwise.method = 12;
  EXPECT_EQ(unpacked(archive_of({packed_otherwise})),
            "a.whl: the member a is packed by method 12: expected 0 or 8");
  Written big = member("a", "x");
  big.bytes = 0xFFFFFFFF;
  EXPECT_EQ(unpacked(archive_of({big})), "a.whl: expected a plain ZIP archive, got zip64");
}

TEST(Zip, RefusesAListThatContradictsTheMembers) {
  Written other = member("a", "x");
  other.local_name = "b";
  EXPECT_EQ(unpacked(archive_of({other})),
            "a.whl: the list of members and the member a contradict each other");
  std::string archive = archive_of({member("a", "x")});
  archive.insert(archive.size() - 22, "between");
  EXPECT_NE(unpacked(archive).find("expected the list of members to end at byte"),
            std::string::npos);
}

}  // namespace
}  // namespace whinchat::base
