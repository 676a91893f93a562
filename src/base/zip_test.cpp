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
  std::string extra = "";  // of the list
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
            number(one.extra.size(), 2) + number(0, 2) + number(0, 8) + number(archive.size(), 4) +
            one.name + one.extra;
    archive += number(0x04034B50, 4) + number(20, 2) + number(one.flags, 2) +
               number(one.method, 2) + number(0, 4) + sizes + number(one.local_name.size(), 2) +
               number(0, 2) + one.local_name + one.packed;
  }
  const uint64_t position = archive.size();
  return archive + list + number(0x06054B50, 4) + number(0, 4) + number(members.size(), 2) +
         number(members.size(), 2) + number(list.size(), 4) + number(position, 4) +
         number(comment.size(), 2) + comment;
}

// The same archive with zip64's records before its end, whose own numbers then say nothing.
std::string with_zip64_end(const std::string& archive, uint64_t members, uint64_t shift = 0) {
  const std::string plain = archive.substr(archive.size() - 22);
  const uint64_t bytes = load_unaligned<uint32_t>(as_bytes(plain).data() + 12);
  const uint64_t position = load_unaligned<uint32_t>(as_bytes(plain).data() + 16);
  const std::string record = number(0x06064B50, 4) + number(44, 8) + number(0, 12) +
                             number(members, 8) + number(members, 8) + number(bytes, 8) +
                             number(position, 8);
  const std::string locator =
      number(0x07064B50, 4) + number(0, 4) + number(archive.size() - 22 + shift, 8) + number(1, 4);
  return archive.substr(0, archive.size() - 22) + record + locator + plain.substr(0, 8) +
         std::string(12, '\xFF') + number(0, 2);
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

TEST(Zip, ReadsTheRecordsOfZip64) {
  const std::string archive = archive_of({member("a", "stored", 0), member("b", long_text())});
  EXPECT_EQ(unpacked(with_zip64_end(archive, 2)), "stored" + long_text());
  EXPECT_NE(unpacked(with_zip64_end(archive, 1)).find("expected 1 members, got more"),
            std::string::npos);
  EXPECT_NE(unpacked(with_zip64_end(archive, uint64_t{1} << 62U)).find("expected 4 bytes"),
            std::string::npos);
  EXPECT_NE(unpacked(with_zip64_end(archive, 2, 1)).find("expected the zip64 end of the list"),
            std::string::npos);
}

TEST(Zip, ReadsAMembersSizesInItsZip64Field) {
  Written large = member("a", "stored", 0);
  large.bytes = 0xFFFFFFFF;
  large.extra = number(0x4246, 2) + number(1, 2) + "x" + number(1, 2) + number(8, 2) + number(6, 8);
  EXPECT_EQ(unpacked(archive_of({large})), "stored");
  large.extra.resize(large.extra.size() - 1);
  EXPECT_NE(unpacked(archive_of({large})).find("expected 8 bytes"), std::string::npos);
}

TEST(Zip, ShowsAStoredMemberWhereItLies) {
  const std::string archive = archive_of({member("a", "stored", 0), member("b", "deflated")});
  const Bytes bytes = as_bytes(archive);
  const std::vector<ZipMember> members = read_zip_members(bytes, "a.pt");
  const Bytes stored = stored_zip_member(bytes, members[0], "a.pt");
  EXPECT_EQ(as_text(stored), "stored");
  EXPECT_GE(stored.data(), bytes.data());
  EXPECT_THROW(stored_zip_member(bytes, members[1], "a.pt"), Error);
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
  EXPECT_EQ(unpacked(archive_of({big})),
            "a.whl: expected the zip64 sizes of the member a, got none");
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
