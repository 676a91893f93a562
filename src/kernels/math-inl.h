// Functions of f32 vectors, written once for every Highway target: include it after highway.h in a
// file that foreach_target.h compiles. Coefficients are minimax fits (Remez exchange in 40 digits),
// rounded to f32. math_test.cpp measures the bounds that are stated here.

// The guard is reset for each target, as Highway's own -inl.h files do.
#if defined(WHINCHAT_KERNELS_MATH_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef WHINCHAT_KERNELS_MATH_INL_H_
#undef WHINCHAT_KERNELS_MATH_INL_H_
#else
#define WHINCHAT_KERNELS_MATH_INL_H_
#endif

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace whinchat::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// e^x for x ≤ 88.72, within 2^-22 of itself; 0 where that is subnormal (x < −87.336).
template <class D, class V = hn::Vec<D>>
HWY_INLINE V exp(D d, V x) {
  const hn::RebindToSigned<D> di;
  // e^x = 2^n · e^r with |r| ≤ ln 2 / 2. Adding 1.5 · 2^23 rounds to a whole n, which is then the
  // sum's low bits. The first part of ln 2 has 9 bits: n times it is exact.
  const V rounder = hn::Set(d, 12582912.0F);
  const V sum = hn::MulAdd(x, hn::Set(d, 1.442695041F), rounder);
  const V whole = hn::Sub(sum, rounder);
  V r = hn::NegMulAdd(whole, hn::Set(d, 0.693359375F), x);
  r = hn::NegMulAdd(whole, hn::Set(d, -2.12194440e-4F), r);
  // 1 + r + r² · q(r), off by at most 1.05e-7 of itself.
  V q = hn::Set(d, 0.00831248706764F);
  q = hn::MulAdd(q, r, hn::Set(d, 0.0418901485594F));
  q = hn::MulAdd(q, r, hn::Set(d, 0.166671150566F));
  q = hn::MulAdd(q, r, hn::Set(d, 0.499992316042F));
  const V one = hn::Set(d, 1.0F);
  const V power = hn::MulAdd(hn::MulAdd(q, r, one), r, one);
  const auto scaled = hn::Add(hn::BitCast(di, power), hn::ShiftLeft<23>(hn::BitCast(di, sum)));
  return hn::IfThenZeroElse(hn::Lt(x, hn::Set(d, -87.3365448F)), hn::BitCast(d, scaled));
}

// 1 / (1 − Φ(t)) for t ≥ 0 as GELU needs it: p(t)^8 with a polynomial p, fitted so that the
// absolute error of t · (1 − Φ(t)) is least (4.8e-8). All terms of p that matter are positive, so
// nothing cancels, and far tails fade out by themselves.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V gelu_divisor(D d, V t) {
  V p = hn::Set(d, 3.19752944354e-6F);
  p = hn::MulAdd(p, t, hn::Set(d, -1.82586803332e-5F));
  p = hn::MulAdd(p, t, hn::Set(d, 1.06394647827e-4F));
  p = hn::MulAdd(p, t, hn::Set(d, 1.21474417202e-4F));
  p = hn::MulAdd(p, t, hn::Set(d, 1.06936181725e-3F));
  p = hn::MulAdd(p, t, hn::Set(d, 9.36928092157e-3F));
  p = hn::MulAdd(p, t, hn::Set(d, 4.88425206274e-2F));
  p = hn::MulAdd(p, t, hn::Set(d, 0.108759059022F));
  p = hn::MulAdd(p, t, hn::Set(d, 1.09050773267F));
  const V p2 = hn::Mul(p, p);
  const V p4 = hn::Mul(p2, p2);
  return hn::Mul(p4, p4);
}

// x · Φ(x), the exact GELU, within 2e-7 (above 1: within 2^-22 of itself); NaN for ±∞. It is
// max(x, 0) − t · (1 − Φ(t)) with t = |x|.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V gelu(D d, V x) {
  const V t = hn::Abs(x);
  return hn::Sub(hn::Max(x, hn::Zero(d)), hn::Div(t, gelu_divisor(d, t)));
}

// The same for results in bf16, without a division: off by at most 2^-11 of t · (1 − Φ(t)) more.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V rough_gelu(D d, V x) {
  const V t = hn::Abs(x);
  return hn::NegMulAdd(t, hn::ApproximateReciprocal(gelu_divisor(d, t)), hn::Max(x, hn::Zero(d)));
}

// log10(x) for normal x > 0, within 2^-23 of max(|log10(x)|, 0.5); NaN for NaN and ∞.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V log10(D d, V x) {
  const hn::RebindToSigned<D> di;
  // x = 2^n · m with m in [√½, √2).
  const auto sqrt_half = hn::Set(di, 0x3F3504F3);
  const auto offset = hn::Sub(hn::BitCast(di, x), sqrt_half);
  const auto n = hn::ShiftRight<23>(offset);
  const V m = hn::BitCast(d, hn::Add(hn::And(offset, hn::Set(di, 0x007FFFFF)), sqrt_half));
  // log10(m) = z · q(z²) with z = (m − 1) / (m + 1), off by at most 5.2e-11.
  const V one = hn::Set(d, 1.0F);
  const V z = hn::Div(hn::Sub(m, one), hn::Add(m, one));
  const V z2 = hn::Mul(z, z);
  V q = hn::Set(d, 0.130727522036F);
  q = hn::MulAdd(q, z2, hn::Set(d, 0.173569089391F));
  q = hn::MulAdd(q, z2, hn::Set(d, 0.289530880241F));
  q = hn::MulAdd(q, z2, hn::Set(d, 0.868588961084F));
  // The first part of log10(2) has 13 bits: n times it is exact.
  const V whole = hn::ConvertTo(d, n);
  const V zero_or_nan = hn::Sub(x, x);
  const V rest = hn::MulAdd(whole, hn::Set(d, 4.60503898e-6F), hn::MulAdd(z, q, zero_or_nan));
  return hn::MulAdd(whole, hn::Set(d, 0.301025390625F), rest);
}

}  // namespace whinchat::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
