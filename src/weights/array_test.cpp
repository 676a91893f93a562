#include "weights/array.h"

#include <gtest/gtest.h>
#include <mlx/array.h>
#include <mlx/dtype.h>
#include <mlx/types/half_types.h>

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "ops/parameter.h"
#include "weights/fixture.h"
#include "weights/tensor.h"

namespace whinchat::weights {
namespace {

namespace mx = mlx::core;

mx::array to_array(const Tensor& tensor, mx::Dtype dtype) {
  return ops::to_array(to_parameter(tensor), dtype);
}

// The bytes sit on an odd address.
struct Unaligned {
  explicit Unaligned(const std::string& bytes) : buffer(bytes.size() + 16, '.') {
    const auto address = reinterpret_cast<uintptr_t>(buffer.data());
    begin = address % 2 == 0 ? 1 : 0;
    std::memcpy(buffer.data() + begin, bytes.data(), bytes.size());
    size = bytes.size();
  }
  base::Bytes bytes() const { return base::as_bytes(buffer).subspan(begin, size); }

  std::string buffer;
  size_t begin = 0;
  size_t size = 0;
};

TEST(Array, CopiesFromOddAddresses) {
  const std::vector<float> values = {1.5f, -2.25f, 1e-30f, 0.0f, 3.0f, 4.0f};
  const Unaligned file(std::string(reinterpret_cast<const char*>(values.data()), 24));
  mx::array array = to_array({DType::F32, {2, 3}, file.bytes(), nullptr}, mx::float32);
  EXPECT_EQ(array.shape(), (mx::Shape{2, 3}));
  const float* copied = array.data<float>();
  EXPECT_EQ(std::vector<float>(copied, copied + 6), values);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(array.data<float>()) % alignof(float), 0u);
}

TEST(Array, WidensHalfPrecisionExactly) {
  // f16: 1, -2, the smallest subnormal, the largest; bf16: 1, -2.
  const Unaligned halves(std::string("\x00\x3c\x00\xc0\x01\x00\xff\x7b", 8));
  mx::array array = to_array({DType::F16, {4}, halves.bytes(), nullptr}, mx::float32);
  array.eval();
  const float* values = array.data<float>();
  EXPECT_EQ(std::vector<float>(values, values + 4),
            (std::vector<float>{1.0f, -2.0f, 0x1p-24f, 65504.0f}));
  const Unaligned brains(std::string("\x80\x3f\x00\xc0", 4));
  mx::array wide = to_array({DType::BF16, {2}, brains.bytes(), nullptr}, mx::float32);
  wide.eval();
  EXPECT_EQ(wide.data<float>()[0], 1.0f);
  EXPECT_EQ(wide.data<float>()[1], -2.0f);
}

TEST(Array, NarrowsToTheNearestHalf) {
  const std::vector<float> values = {1.0f + 0x1p-11f, 1.0f + 0x1.8p-10f};  // ties go to even
  const Unaligned file(std::string(reinterpret_cast<const char*>(values.data()), 8));
  mx::array array = to_array({DType::F32, {2}, file.bytes(), nullptr}, mx::float16);
  array.eval();
  EXPECT_EQ(array.dtype(), mx::float16);
  const auto* bits = reinterpret_cast<const uint16_t*>(array.data<mx::float16_t>());
  EXPECT_EQ(bits[0], 0x3c00);
  EXPECT_EQ(bits[1], 0x3c02);
}

TEST(Array, AParameterOwnsItsComputedRows) {
  mx::array array = to_array(
      computed_tensor({2}, [](int64_t, int64_t, std::span<float> out) { out[0] = out[1] = 2.5F; }),
      mx::float32);
  EXPECT_EQ(array.shape(), (mx::Shape{2}));
  EXPECT_EQ(array.data<float>()[1], 2.5F);
}

TEST(Array, APlaceholderTakesNoMemoryUntilItIsEvaluated) {
  const Tensor placeholder{DType::F32, {1'000'000, 1'000'000}, {}, nullptr};
  const mx::array array = to_array(placeholder, mx::float16);
  EXPECT_EQ(array.size(), 1'000'000'000'000u);
  EXPECT_EQ(array.dtype(), mx::float16);
  mx::array small = to_array({DType::F32, {2}, {}, nullptr}, mx::float32);
  EXPECT_EQ(small.status(), mx::array::Status::unscheduled);
  small.eval();
  EXPECT_EQ(small.data<float>()[1], 0.0f);
}

TEST(Array, RefusesDimensionsBeyondMlx) {
  const Tensor tensor{DType::F32, {2'147'483'648, 0}, {}, nullptr};
  EXPECT_NE(message_of([&] { to_array(tensor, mx::float32); }).find("[2147483648, 0]"),
            std::string::npos);
}

}  // namespace
}  // namespace whinchat::weights
