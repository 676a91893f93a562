#include "weights/tensor.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/error.h"
#include "whinchat/error.h"

namespace whinchat::weights {
namespace {

int64_t load_integer(DType dtype, const std::byte* source) {
  switch (dtype) {
    case DType::I8:
      return base::load_unaligned<int8_t>(source);
    case DType::U8:
      return base::load_unaligned<uint8_t>(source);
    case DType::I16:
      return base::load_unaligned<int16_t>(source);
    case DType::U16:
      return base::load_unaligned<uint16_t>(source);
    case DType::I32:
      return base::load_unaligned<int32_t>(source);
    case DType::U32:
      return base::load_unaligned<uint32_t>(source);
    default:
      return base::load_unaligned<int64_t>(source);
  }
}

// An element's size is a constant, so that its copy is no call.
template <size_t kSize>
void swap_axes(const std::byte* source, std::byte* target, int64_t b_count, int64_t c_count) {
  for (int64_t c = 0; c < c_count; ++c) {
    for (int64_t b = 0; b < b_count; ++b, target += kSize) {
      std::memcpy(target, source + (b * c_count + c) * kSize, kSize);
    }
  }
}

bool is_integer(DType dtype) { return dtype != DType::F64 && !is_weight_type(dtype); }

}  // namespace

size_t item_size(DType dtype) {
  switch (dtype) {
    case DType::F64:
    case DType::I64:
    case DType::U64:
      return 8;
    case DType::F32:
    case DType::I32:
    case DType::U32:
      return 4;
    case DType::F16:
    case DType::BF16:
    case DType::I16:
    case DType::U16:
      return 2;
    case DType::I8:
    case DType::U8:
      return 1;
  }
  base::fail(ErrorKind::Internal, "[weights.item_size] expected a type, got {}",
             static_cast<int>(dtype));
}

std::string_view name_of(DType dtype) {
  constexpr std::string_view kNames[] = {"f64", "f32", "f16", "bf16", "i8",  "u8",
                                         "i16", "u16", "i32", "u32",  "i64", "u64"};
  return kNames[static_cast<size_t>(dtype)];
}

bool is_weight_type(DType dtype) {
  return dtype == DType::F32 || dtype == DType::F16 || dtype == DType::BF16;
}

bool Tensor::is_placeholder() const {
  return bytes.empty() && decoder == nullptr && std::ranges::find(shape, 0) == shape.end();
}

Tensor computed_tensor(std::vector<int64_t> shape, RowDecoder decoder) {
  return {DType::F32,
          std::move(shape),
          {},
          nullptr,
          std::make_shared<const RowDecoder>(std::move(decoder))};
}

Tensor decoded(const Tensor& tensor) {
  if (tensor.decoder == nullptr) return tensor;
  const uint64_t bytes = byte_count(DType::F32, tensor.shape).value();
  const auto buffer = std::make_shared<std::vector<float>>(bytes / sizeof(float));
  (*tensor.decoder)(0, tensor.shape[0], *buffer);
  return {DType::F32, tensor.shape, std::as_bytes(std::span(*buffer)), buffer};
}

std::optional<uint64_t> byte_count(DType dtype, Shape shape) {
  constexpr uint64_t kMax = std::numeric_limits<int64_t>::max();
  uint64_t count = item_size(dtype);
  for (const int64_t dimension : shape) {
    if (dimension < 0) return std::nullopt;
    const auto factor = static_cast<uint64_t>(dimension);
    if (factor != 0 && count > kMax / factor) return std::nullopt;
    count *= factor;
  }
  return count;
}

std::string shape_text(Shape shape) { return fmt::format("[{}]", fmt::join(shape, ", ")); }

Tensor slice_rows(const Tensor& tensor, int64_t begin, int64_t end) {
  Tensor rows = tensor;
  rows.shape[0] = end - begin;
  if (tensor.decoder != nullptr) {
    return computed_tensor(rows.shape, [whole = tensor.decoder, begin](int64_t first, int64_t last,
                                                                       std::span<float> elements) {
      (*whole)(begin + first, begin + last, elements);
    });
  }
  const size_t row_bytes = tensor.shape[0] == 0 ? 0 : tensor.bytes.size() / tensor.shape[0];
  rows.bytes = tensor.bytes.subspan(begin * row_bytes, (end - begin) * row_bytes);
  return rows;
}

Tensor swap_last_axes(const Tensor& stored) {
  const Tensor tensor = decoded(stored);
  const int64_t a_count = tensor.shape[0];
  const int64_t b_count = tensor.shape[1];
  const int64_t c_count = tensor.shape[2];
  const auto buffer = std::make_shared<std::vector<std::byte>>(tensor.bytes.size());
  Tensor result{tensor.dtype, {a_count, c_count, b_count}, *buffer, buffer};
  if (buffer->empty()) return result;  // its other axes may be of any length
  const size_t size = item_size(tensor.dtype);
  const auto swap = size == 8   ? swap_axes<8>
                    : size == 4 ? swap_axes<4>
                    : size == 2 ? swap_axes<2>
                                : swap_axes<1>;
  for (int64_t a = 0; a < a_count; ++a) {
    const int64_t begin = a * b_count * c_count * static_cast<int64_t>(size);
    swap(tensor.bytes.data() + begin, buffer->data() + begin, b_count, c_count);
  }
  return result;
}

bool is_all_zero(const Tensor& stored) {
  const Tensor tensor = decoded(stored);
  const size_t size = item_size(tensor.dtype);
  constexpr std::byte kSign{0x80};
  for (size_t i = 0; i < tensor.bytes.size(); ++i) {
    const bool is_top_byte = i % size == size - 1;
    const std::byte value = is_top_byte ? tensor.bytes[i] & ~kSign : tensor.bytes[i];
    if (value != std::byte{0}) return false;
  }
  return true;
}

std::vector<int64_t> read_integers(const Tensor& tensor, size_t max_count, std::string_view what) {
  const size_t size = item_size(tensor.dtype);
  const size_t count = tensor.bytes.size() / size;
  if (!is_integer(tensor.dtype) || count > max_count) {
    base::fail(ErrorKind::Corrupt, "{}: expected at most {} integers, got {} elements of type {}",
               what, max_count, count, name_of(tensor.dtype));
  }
  std::vector<int64_t> values(count);
  for (size_t i = 0; i < count; ++i) {
    values[i] = load_integer(tensor.dtype, tensor.bytes.data() + i * size);
    if (tensor.dtype == DType::U64 && values[i] < 0) {
      base::fail(ErrorKind::Corrupt, "{}: expected integers below 2^63, got a larger one", what);
    }
  }
  return values;
}

}  // namespace whinchat::weights
