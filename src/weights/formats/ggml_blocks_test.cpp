#include "weights/formats/ggml_blocks.h"

#include <gtest/gtest.h>

#include <bit>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/json.h"
#include "weights/json_file.h"

namespace whinchat::weights {
namespace {

std::vector<std::byte> from_hex(std::string_view digits) {
  std::vector<std::byte> bytes;
  bytes.reserve(digits.size() / 2);
  for (size_t i = 0; i + 1 < digits.size(); i += 2) {
    uint8_t byte = 0;
    std::from_chars(digits.data() + i, digits.data() + i + 2, byte, 16);
    bytes.push_back(std::byte{byte});
  }
  return bytes;
}

const BlockFormat* find_by_name(std::string_view name) {
  for (uint32_t code = 0; code < 64; ++code) {
    const BlockFormat* format = find_block_format(code);
    if (format != nullptr && format->name == name) return format;
  }
  return nullptr;
}

// oracles/ggml_blocks.py wrote random blocks and what the package gguf decodes them to.
TEST(GgmlBlocks, EveryTypeEqualsTheOracleInEveryBit) {
  const base::Json golden =
      load_json(std::filesystem::path(WHINCHAT_TEST_DATA) / "ggml_blocks.json");
  ASSERT_EQ(golden["types"].size(), 10);
  for (const auto& [name, row] : golden["types"].items()) {
    const BlockFormat* format = find_by_name(name);
    ASSERT_NE(format, nullptr) << name;
    const std::vector<std::byte> blocks = from_hex(row[0].get<std::string>());
    const std::vector<std::byte> expected = from_hex(row[1].get<std::string>());
    const size_t count = blocks.size() / format->block_bytes;
    const auto elements = static_cast<size_t>(format->block_elements);
    ASSERT_EQ(count * format->block_bytes, blocks.size()) << name;
    ASSERT_EQ(count * elements * sizeof(float), expected.size()) << name;
    std::vector<float> decoded(count * elements);
    for (size_t i = 0; i < count; ++i) {
      format->decode(blocks.data() + i * format->block_bytes, decoded.data() + i * elements);
    }
    for (size_t i = 0; i < decoded.size(); ++i) {
      const auto bits = base::load_unaligned<uint32_t>(expected.data() + i * sizeof(float));
      ASSERT_EQ(std::bit_cast<uint32_t>(decoded[i]), bits) << name << " element " << i;
    }
  }
}

TEST(GgmlBlocks, KnowsNoTypesThatFilesDoNotHave) {
  for (const uint32_t code : {0, 1, 4, 5, 9, 15, 16, 30, 1000}) {
    EXPECT_EQ(find_block_format(code), nullptr) << code;
  }
}

}  // namespace
}  // namespace whinchat::weights
