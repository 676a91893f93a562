// The quantised types of ggml: rows of blocks, each of a few scales and small integers. Decoded
// values equal those of ggml's own dequantize_row_* in every bit.
// Source: ggml's ggml-common.h (layouts) and ggml-quants.c; qntvsn 2.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace whinchat::weights {

struct BlockFormat {
  uint32_t code;  // in files
  std::string_view name;
  int64_t block_elements;
  size_t block_bytes;
  void (*decode)(const std::byte* block, float* elements);  // one block
};

const BlockFormat* find_block_format(uint32_t code);  // nullptr for any other type

// The types' names, for messages: "q4_0, q4_1, …".
std::string_view block_format_names();

}  // namespace whinchat::weights
