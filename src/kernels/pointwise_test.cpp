#include "kernels/pointwise.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "kernels/isa.h"

namespace whinchat::kernels {
namespace {

class PointwiseTest : public testing::TestWithParam<Isa> {
 protected:
  void SetUp() override { limit_isa(GetParam()); }
  void TearDown() override { limit_isa(Isa::Amx); }
};

TEST_P(PointwiseTest, ReluKeepsWhatIsAboveZero) {
  for (size_t count = 0; count < 40; ++count) {
    std::vector<float> values(count);
    for (size_t i = 0; i < count; ++i) values[i] = (i % 2 == 0 ? 1.5F : -1.5F) * float(i + 1);
    if (count > 3) values[3] = std::numeric_limits<float>::quiet_NaN();
    relu(values);
    for (size_t i = 0; i < count; ++i) {
      ASSERT_EQ(values[i], i % 2 == 0 ? 1.5F * float(i + 1) : 0.0F) << i << " of " << count;
    }
  }
}

TEST_P(PointwiseTest, MagnitudesAreThoseOfComplexNumbers) {
  for (int count = 0; count < 40; ++count) {
    std::vector<float> real(count), imaginary(count), out(count + 1, -7.0F);
    for (int i = 0; i < count; ++i) real[i] = 3.0F * float(i), imaginary[i] = -4.0F * float(i);
    magnitudes(real.data(), imaginary.data(), count, out.data());
    for (int i = 0; i < count; ++i) ASSERT_EQ(out[i], 5.0F * float(i));
    ASSERT_EQ(out[count], -7.0F);
  }
}

INSTANTIATE_TEST_SUITE_P(EveryIsa, PointwiseTest, testing::ValuesIn(usable_isas()),
                         [](const auto& info) { return std::string(name_of(info.param)); });

}  // namespace
}  // namespace whinchat::kernels
