#include "kernels/isa.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/isa_test.cpp"
#include <hwy/detect_targets.h>
#include <hwy/foreach_target.h>
// Behind foreach_target.h, as Highway has it.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace whinchat::kernels::HWY_NAMESPACE {

int64_t target() { return HWY_TARGET; }

}  // namespace whinchat::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace whinchat::kernels {
namespace {

HWY_EXPORT(target);

class IsaTest : public testing::TestWithParam<Isa> {
 protected:
  void TearDown() override { limit_isa(Isa::Amx); }
};

int64_t target_of(Isa isa) {
  switch (isa) {
    case Isa::Portable:
      return HWY_STATIC_TARGET;
    case Isa::Sse4:
      return HWY_SSE4;
    case Isa::Avx2:
      return HWY_AVX2;
    default:
      return HWY_AVX3;
  }
}

TEST_P(IsaTest, LimitChangesWhatHighwayDispatchesTo) {
  limit_isa(GetParam());
  EXPECT_EQ(isa_in_use(), GetParam());
  EXPECT_EQ(HWY_DYNAMIC_DISPATCH(target)(), target_of(GetParam()));
  limit_isa(Isa::Amx);
  EXPECT_EQ(HWY_DYNAMIC_DISPATCH(target)(), target_of(detected_isa()));
}

TEST_P(IsaTest, LimitBelowAnotherLeavesTheDetectedOneAsItWas) {
  const Isa detected = detected_isa();
  limit_isa(GetParam());
  EXPECT_EQ(detected_isa(), detected);
  EXPECT_EQ(usable_isas().back(), detected);
}

INSTANTIATE_TEST_SUITE_P(EveryIsa, IsaTest, testing::ValuesIn(usable_isas()),
                         [](const auto& tested) { return std::string(name_of(tested.param)); });

TEST(Isa, LimitAboveTheDetectedOneUsesTheDetectedOne) {
  limit_isa(Isa::Amx);
  EXPECT_EQ(isa_in_use(), detected_isa());
}

TEST(Isa, UsableOnesGoFromPortableUpWithoutGaps) {
  const auto usable = usable_isas();
  ASSERT_FALSE(usable.empty());
  EXPECT_EQ(usable.front(), Isa::Portable);
  EXPECT_EQ(usable.size(), static_cast<size_t>(detected_isa()) + 1);
  EXPECT_TRUE(std::ranges::is_sorted(usable));
}

TEST(Isa, NamesReadBackAndUnknownOnesDoNot) {
  for (const Isa isa : {Isa::Portable, Isa::Sse4, Isa::Avx2, Isa::Avx512, Isa::Avx512Vnni,
                        Isa::Avx512Bf16, Isa::Amx}) {
    EXPECT_EQ(isa_named(name_of(isa)), isa);
  }
  EXPECT_EQ(isa_named("avx"), std::nullopt);
  EXPECT_EQ(isa_named(""), std::nullopt);
}

TEST(Isa, AmxIsDetectedOnlyWhereTilesAreGranted) {
  EXPECT_TRUE(request_amx_tiles() || detected_isa() < Isa::Amx);
}

}  // namespace
}  // namespace whinchat::kernels

#endif  // HWY_ONCE
