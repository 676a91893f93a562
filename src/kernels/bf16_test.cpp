#include "kernels/bf16.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "kernels/element.h"
#include "kernels/isa.h"

namespace whinchat::kernels {
namespace {

class ConversionTest : public testing::TestWithParam<Isa> {
 protected:
  void SetUp() override { limit_isa(GetParam()); }
  void TearDown() override { limit_isa(Isa::Amx); }
};

// Every f16, at an odd address, in pieces of odd sizes.
TEST_P(ConversionTest, OfEveryHalfIsExact) {
  constexpr int kCount = 1 << 16;
  std::vector<std::byte> file(2 * kCount + 1);
  for (int64_t i = 0; i < kCount; ++i) {
    const auto bits = static_cast<uint16_t>(i);
    std::memcpy(file.data() + 1 + 2 * i, &bits, sizeof bits);
  }
  std::vector<float> floats(kCount, -1.0F);
  for (int64_t begin = 0; begin < kCount; begin += 1021) {
    to_f32(file.data() + 1 + 2 * begin, Element::F16, floats.data() + begin,
           std::min<int64_t>(1021, kCount - begin));
  }
  for (int i = 0; i < kCount; ++i) {
    const auto expected =
        static_cast<float>(__builtin_bit_cast(_Float16, static_cast<uint16_t>(i)));
    // No weight is one of these, and Highway leaves them undefined where there is no F16C.
    if (!std::isfinite(expected) && GetParam() < Isa::Avx2) continue;
    if (std::isnan(expected)) {
      EXPECT_TRUE(std::isnan(floats[static_cast<size_t>(i)])) << i;
    } else {
      ASSERT_EQ(floats[static_cast<size_t>(i)], expected) << i;
    }
  }
}

TEST_P(ConversionTest, ToBf16RoundsTiesToEven) {
  const std::vector<float> values = {1.0F,
                                     1.0F + 0x1p-8F,
                                     1.0F + 0x1.8p-7F,
                                     -0x1.fep127F,
                                     0x1.ffp127F,
                                     0.0F,
                                     -0.0F,
                                     std::numeric_limits<float>::quiet_NaN(),
                                     3.0e-40F};
  std::vector<uint16_t> halves(values.size());
  to_bf16(values.data(), Element::F32, halves.data(), static_cast<int64_t>(values.size()));
  for (size_t i = 0; i < values.size(); ++i) {
    if (std::isnan(values[i])) {
      EXPECT_TRUE(std::isnan(from_bf16(halves[i])));
    } else {
      EXPECT_EQ(halves[i], to_bf16(values[i])) << values[i];
    }
  }
  EXPECT_EQ(from_bf16(halves[1]), 1.0F);
  EXPECT_EQ(from_bf16(halves[2]), 1.0F + 0x1p-6F);
  std::vector<float> back(halves.size());
  to_f32(halves.data(), Element::BF16, back.data(), static_cast<int64_t>(back.size()));
  EXPECT_EQ(back[3], -0x1.fep127F);
}

INSTANTIATE_TEST_SUITE_P(EveryIsa, ConversionTest, testing::ValuesIn(usable_isas()),
                         [](const auto& info) { return std::string(name_of(info.param)); });

}  // namespace
}  // namespace whinchat::kernels
