// Rounding of f32 vectors to bf16, on every Highway target: include it after highway.h in a file
// that foreach_target.h compiles.

#if defined(WHINCHAT_KERNELS_BF16_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef WHINCHAT_KERNELS_BF16_INL_H_
#undef WHINCHAT_KERNELS_BF16_INL_H_
#else
#define WHINCHAT_KERNELS_BF16_INL_H_
#endif

#include <hwy/highway.h>

#include <cstdint>

HWY_BEFORE_NAMESPACE();
namespace whinchat::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// To the nearest, ties to even; NaN becomes the quiet one. `to` on any even address.
template <class D>
HWY_INLINE void store_bf16(D d, hn::Vec<D> value, uint16_t* to) {
  const hn::RebindToUnsigned<D> du;
  const hn::RebindToSigned<D> di;
  const hn::Rebind<uint16_t, D> d16;
  const auto bits = hn::BitCast(du, value);
  const auto odd = hn::And(hn::ShiftRight<16>(bits), hn::Set(du, 1));
  const auto rounded = hn::Add(bits, hn::Add(odd, hn::Set(du, 0x7FFF)));
  const auto quiet = hn::BitCast(d, hn::Set(du, 0x7FC00000));
  const auto upper = hn::IfThenElse(hn::IsNaN(value), quiet, hn::BitCast(d, rounded));
  const auto half = hn::ShiftRight<16>(hn::BitCast(du, upper));
  hn::StoreU(hn::DemoteTo(d16, hn::BitCast(di, half)), d16, to);
}

}  // namespace whinchat::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
