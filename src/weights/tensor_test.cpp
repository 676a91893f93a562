#include "weights/tensor.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "weights/fixture.h"

namespace whinchat::weights {
namespace {

Tensor view_of(const Stored& stored) {
  return {stored.dtype, stored.shape, base::as_bytes(stored.bytes), nullptr};
}

TEST(Tensor, SizeOverflowIsNoSize) {
  EXPECT_EQ(byte_count(DType::F16, std::vector<int64_t>{3, 5}), 30u);
  EXPECT_EQ(byte_count(DType::F32, std::vector<int64_t>{}), 4u);
  EXPECT_EQ(byte_count(DType::F32, std::vector<int64_t>{INT64_MAX, 0}), std::nullopt);
  EXPECT_EQ(byte_count(DType::U8, std::vector<int64_t>{4'294'967'296, 4'294'967'296}),
            std::nullopt);
  EXPECT_EQ(byte_count(DType::U8, std::vector<int64_t>{-1}), std::nullopt);
}

TEST(Tensor, RowsAreSlicesOfTheSameBytes) {
  const Stored stored = make_stored("a", {6, 4});
  const Tensor tensor = view_of(stored);
  const Tensor rows = slice_rows(tensor, 2, 4);
  EXPECT_EQ(rows.shape, (std::vector<int64_t>{2, 4}));
  EXPECT_EQ(rows.bytes.data(), tensor.bytes.data() + 16);
  EXPECT_EQ(rows.bytes.size(), 16u);
}

TEST(Tensor, SwapsItsLastAxes) {
  const Stored stored{"a", DType::I16, {1, 2, 3}, std::string("a.b.c.d.e.f.")};
  const Tensor swapped = swap_last_axes(view_of(stored));
  EXPECT_EQ(swapped.shape, (std::vector<int64_t>{1, 3, 2}));
  EXPECT_EQ(base::as_text(swapped.bytes), "a.d.b.e.c.f.");
}

TEST(Tensor, SwapsElementsOfEverySize) {
  for (const auto& [type, size] : {std::pair(DType::I8, 1), {DType::F32, 4}, {DType::F64, 8}}) {
    std::string bytes;
    std::string swapped;
    for (const char letter : std::string("abcdefgh")) bytes.append(size, letter);
    for (const char letter : std::string("acbdegfh")) swapped.append(size, letter);
    const Stored stored{"a", type, {2, 2, 2}, bytes};
    EXPECT_EQ(base::as_text(swap_last_axes(view_of(stored)).bytes), swapped) << size;
  }
}

TEST(Tensor, SwapsEmptyAxesWithoutCountingThem) {
  const Stored stored{"a", DType::I16, {1, 0, 1'000'000'000'000'000}, ""};
  EXPECT_EQ(swap_last_axes(view_of(stored)).shape,
            (std::vector<int64_t>{1, 1'000'000'000'000'000, 0}));
}

// Rows of `width` elements that are their own index in the whole.
Tensor counted(std::vector<int64_t> shape, int64_t width) {
  return computed_tensor(
      std::move(shape), [width](int64_t begin, int64_t end, std::span<float> elements) {
        ASSERT_EQ(elements.size(), static_cast<size_t>((end - begin) * width));
        for (size_t i = 0; i < elements.size(); ++i) {
          elements[i] = static_cast<float>(begin * width) + static_cast<float>(i);
        }
      });
}

std::vector<float> elements_of(const Tensor& tensor) {
  const Tensor stored = decoded(tensor);
  std::vector<float> elements(stored.bytes.size() / sizeof(float));
  std::memcpy(elements.data(), stored.bytes.data(), stored.bytes.size());
  return elements;
}

TEST(Tensor, ComputedRowsAreDecodedOnDemand) {
  const Tensor tensor = counted({3, 2}, 2);
  EXPECT_TRUE(tensor.bytes.empty());
  EXPECT_FALSE(tensor.is_placeholder());
  EXPECT_EQ(elements_of(tensor), (std::vector<float>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(decoded(tensor).decoder, nullptr);
  EXPECT_TRUE((Tensor{DType::F32, {3, 2}, {}, nullptr}).is_placeholder());
}

TEST(Tensor, SlicesOfComputedRowsCompose) {
  const Tensor rows = slice_rows(slice_rows(counted({6, 2}, 2), 1, 5), 2, 4);
  EXPECT_TRUE(rows.bytes.empty());
  EXPECT_EQ(rows.shape, (std::vector<int64_t>{2, 2}));
  EXPECT_EQ(elements_of(rows), (std::vector<float>{6, 7, 8, 9}));
}

TEST(Tensor, ComputedRowsAreWhatOthersAskAbout) {
  const Tensor tensor = counted({1, 2, 2}, 4);
  EXPECT_EQ(elements_of(swap_last_axes(tensor)), (std::vector<float>{0, 2, 1, 3}));
  EXPECT_FALSE(is_all_zero(tensor));
  EXPECT_TRUE(is_all_zero(slice_rows(counted({2, 1}, 1), 0, 1)));
}

TEST(Tensor, ZeroHasTwoSigns) {
  const std::string zeros("\x00\x00\x00\x80", 4);
  EXPECT_TRUE(is_all_zero(view_of({"a", DType::F16, {2}, zeros})));
  EXPECT_FALSE(is_all_zero(view_of({"a", DType::F16, {2}, std::string("\x00\x00\x01\x80", 4)})));
  EXPECT_FALSE(is_all_zero(view_of({"a", DType::F16, {2}, std::string("\x00\x00\x80\x00", 4)})));
}

TEST(Tensor, ReadsIntegersOfEveryWidth) {
  const Stored stored{"a", DType::I16, {2}, std::string("\xff\xff\x02\x00", 4)};
  EXPECT_EQ(read_integers(view_of(stored), 2, "a"), (std::vector<int64_t>{-1, 2}));
  const Stored unsigned_one{"a", DType::U32, {1}, std::string("\xff\xff\xff\xff", 4)};
  EXPECT_EQ(read_integers(view_of(unsigned_one), 1, "a"), (std::vector<int64_t>{4294967295}));
  EXPECT_NE(message_of([&] { read_integers(view_of(stored), 1, "heads"); }).find("heads"),
            std::string::npos);
  const Stored floats = make_stored("a", {2});
  EXPECT_NE(message_of([&] { read_integers(view_of(floats), 2, "heads"); }).find("f16"),
            std::string::npos);
}

}  // namespace
}  // namespace whinchat::weights
