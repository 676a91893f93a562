#include "base/bytes.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "base/error.h"

namespace whinchat::base {
namespace {

TEST(ByteReader, ReadsLittleEndianAtOddAddresses) {
  const std::string file("\x01\x34\x12\x78\x56\x34\x12", 7);
  ByteReader reader(as_bytes(file), "test");
  EXPECT_EQ(reader.read<uint8_t>(), 1);
  EXPECT_EQ(reader.read<uint16_t>(), 0x1234);
  EXPECT_EQ(reader.read<uint32_t>(), 0x12345678u);
  EXPECT_EQ(reader.remaining(), 0u);
}

TEST(ByteReader, NamesThePositionOfAReadPastTheEnd) {
  ByteReader reader(as_bytes("abc"), "model.bin");
  reader.read<uint16_t>();
  try {
    reader.read_bytes(UINT64_MAX);
    FAIL() << "expected an error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::Corrupt);
    EXPECT_NE(std::string(error.what()).find("model.bin"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("position 2"), std::string::npos);
  }
}

}  // namespace
}  // namespace whinchat::base
