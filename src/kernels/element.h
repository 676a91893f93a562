// Element types of kernels' operands.
#pragma once

#include <cstddef>
#include <cstdint>

namespace whinchat::kernels {

enum class Element { F32, F16, BF16 };  // IEEE single, IEEE half, the upper half of a single

constexpr size_t size_of(Element type) { return type == Element::F32 ? 4 : 2; }

// Rows of a matrix in memory: row r starts at data + r * stride elements. Elements of a row are
// contiguous and aligned to their size; rows may overlap (frames of a signal).
struct ConstRows {
  const void* data;
  int64_t stride;
  Element type = Element::F32;
};

struct Rows {
  void* data;
  int64_t stride;
  Element type = Element::F32;

  operator ConstRows() const { return {data, stride, type}; }
};

}  // namespace whinchat::kernels
