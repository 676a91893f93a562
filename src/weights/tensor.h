// A tensor as it lies in a file: row-major, little-endian, on any address. The bytes belong to
// `owner` (a mapped file or a buffer), which every slice shares; copies are cheap. The rows of a
// quantised one are computed when somebody needs them (computed_tensor, decoded).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"

namespace whinchat::weights {

enum class DType { F64, F32, F16, BF16, I8, U8, I16, U16, I32, U32, I64, U64 };

size_t item_size(DType dtype);
std::string_view name_of(DType dtype);
bool is_weight_type(DType dtype);  // f32, f16 or bf16

// Writes the elements of the rows [begin, end) of the first axis to `elements`, which has just room
// for them. Safe from any thread, as nothing changes but `elements`.
using RowDecoder = std::function<void(int64_t begin, int64_t end, std::span<float> elements)>;

struct Tensor {
  DType dtype = DType::F32;
  std::vector<int64_t> shape;
  base::Bytes bytes;
  std::shared_ptr<const void> owner;
  std::shared_ptr<const RowDecoder> decoder = nullptr;  // of computed rows: f32, without bytes

  // Stands for a missing tensor: a shape without bytes (WeightMap::take).
  bool is_placeholder() const;
};

using Shape = std::span<const int64_t>;

// An f32 tensor of at least one axis whose rows `decoder` computes; it owns what it reads.
Tensor computed_tensor(std::vector<int64_t> shape, RowDecoder decoder);

// The same elements in bytes: a buffer of its own for computed rows, else the tensor itself.
Tensor decoded(const Tensor& tensor);

// The size of a tensor; nothing when a dimension is negative or the product overflows.
std::optional<uint64_t> byte_count(DType dtype, Shape shape);

std::string shape_text(Shape shape);  // "[512, 80, 3]"

// Rows [begin, end) of the first axis, neither copied nor computed. The caller has checked the
// range.
Tensor slice_rows(const Tensor& tensor, int64_t begin, int64_t end);

// [A, B, C] → [A, C, B] in a buffer of its own; `tensor` has three axes.
Tensor swap_last_axes(const Tensor& tensor);

// True when every element is 0 or -0; `tensor` holds a weight type.
bool is_all_zero(const Tensor& tensor);

// The elements of an integer tensor of at most `max_count` elements.
// Throws Error{Corrupt} naming `what` for another type, more elements or a value beyond int64.
std::vector<int64_t> read_integers(const Tensor& tensor, size_t max_count, std::string_view what);

}  // namespace whinchat::weights
