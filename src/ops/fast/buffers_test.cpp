#include "ops/fast/buffers.h"

#include <gtest/gtest.h>
#include <mlx/array.h>
#include <mlx/dtype.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

namespace whinchat::ops::fast {
namespace {

namespace mx = mlx::core;

mx::array floats(int count) { return mx::array({count}, mx::float32, nullptr, {}); }

TEST(Buffers, GiveTheMemoryOfAnArrayThatIsGoneToTheNext) {
  const auto buffers = std::make_shared<Buffers>();
  std::optional<mx::array> first = floats(1'000'000);
  buffers->allocate(*first);
  const float* memory = first->data<float>();
  EXPECT_EQ(buffers->kept(), 0);
  first.reset();
  EXPECT_GE(buffers->kept(), 4'000'000);
  // A little shorter fits too.
  mx::array second = floats(990'000);
  buffers->allocate(second);
  EXPECT_EQ(second.data<float>(), memory);
  EXPECT_EQ(buffers->kept(), 0);
  mx::array third = floats(990'000);
  buffers->allocate(third);
  EXPECT_NE(third.data<float>(), memory);
}

TEST(Buffers, DoNotGiveWhatAnArrayStillHas) {
  const auto buffers = std::make_shared<Buffers>();
  mx::array first = floats(100'000);
  mx::array second = floats(100'000);
  buffers->allocate(first);
  buffers->allocate(second);
  EXPECT_NE(first.data<float>(), second.data<float>());
  mx::array shares = floats(100'000);
  shares.copy_shared_buffer(first);
  first = floats(1);
  EXPECT_EQ(buffers->kept(), 0);
}

TEST(Buffers, AreNotMuchLargerThanWhatIsAskedFor) {
  const auto buffers = std::make_shared<Buffers>();
  for (int count = 20'000; count < 2'000'000; count = count * 7 / 5 + 1) {
    const size_t before = buffers->kept();
    std::optional<mx::array> array = floats(count);
    buffers->allocate(*array);
    const size_t bytes = array->nbytes();
    array.reset();
    ASSERT_LE(buffers->kept() - before, bytes + bytes / 7);
  }
}

TEST(Buffers, KeepABoundedAmount) {
  const auto buffers = std::make_shared<Buffers>();
  {
    std::optional<mx::array> large = floats(static_cast<int>(Buffers::kMostKept / 4 * 3 / 4));
    std::optional<mx::array> other = floats(static_cast<int>(Buffers::kMostKept / 4 / 2));
    buffers->allocate(*large);
    buffers->allocate(*other);
  }
  EXPECT_GT(buffers->kept(), 0);
  EXPECT_LE(buffers->kept(), Buffers::kMostKept);
}

TEST(Buffers, DoNotKeepWhatNoArrayCameBackFor) {
  const auto buffers = std::make_shared<Buffers>();
  {
    mx::array rare = floats(3'000'000);
    buffers->allocate(rare);
  }
  EXPECT_GE(buffers->kept(), 12'000'000);
  for (uint64_t i = 0; i <= Buffers::kPatience + 1; ++i) {
    mx::array usual = floats(20'000);
    buffers->allocate(usual);
  }
  EXPECT_GT(buffers->kept(), 0);
  EXPECT_LT(buffers->kept(), 100'000);
}

TEST(Buffers, OutliveTheirOwnerAsLongAsAnArrayDoes) {
  auto buffers = std::make_shared<Buffers>();
  mx::array array = floats(100'000);
  buffers->allocate(array);
  buffers.reset();
  array.data<float>()[99'999] = 1;
  EXPECT_EQ(array.data<float>()[99'999], 1);
}

}  // namespace
}  // namespace whinchat::ops::fast
