// Rows of f32, f16 or bf16 to f32 and back, for attention's kernels; include it after highway.h in
// a file that foreach_target.h compiles. Head sizes are multiples of 8, which is the most lanes
// here.

#if defined(WHINCHAT_KERNELS_ATTENTION_ROWS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef WHINCHAT_KERNELS_ATTENTION_ROWS_INL_H_
#undef WHINCHAT_KERNELS_ATTENTION_ROWS_INL_H_
#else
#define WHINCHAT_KERNELS_ATTENTION_ROWS_INL_H_
#endif

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>

#include "kernels/bf16-inl.h"
#include "kernels/element.h"

HWY_BEFORE_NAMESPACE();
namespace whinchat::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using RowTag = hn::CappedTag<float, 8>;
using RowVector = hn::Vec<RowTag>;

HWY_INLINE RowVector load_row(RowTag d, const float* at) { return hn::LoadU(d, at); }

HWY_INLINE RowVector load_row(RowTag d, const hwy::float16_t* at) {
  return hn::PromoteTo(d, hn::LoadU(hn::Rebind<hwy::float16_t, RowTag>(), at));
}

HWY_INLINE RowVector load_row(RowTag d, const hwy::bfloat16_t* at) {
  return hn::PromoteTo(d, hn::LoadU(hn::Rebind<hwy::bfloat16_t, RowTag>(), at));
}

HWY_INLINE void store_row(RowTag d, RowVector value, float* at) { hn::StoreU(value, d, at); }

HWY_INLINE void store_row(RowTag, RowVector value, hwy::float16_t* at) {
  const hn::Rebind<hwy::float16_t, RowTag> half;
  hn::StoreU(hn::DemoteTo(half, value), half, at);
}

HWY_INLINE void store_row(RowTag d, RowVector value, hwy::bfloat16_t* at) {
  store_bf16(d, value, reinterpret_cast<uint16_t*>(at));
}

template <typename T>
HWY_INLINE const T* row_of(ConstRows rows, int64_t row, int64_t column) {
  return static_cast<const T*>(rows.data) + row * rows.stride + column;
}

// Begins to fetch columns [column, column + width) of a row into the first cache.
HWY_INLINE void prefetch_row(ConstRows rows, int64_t row, int64_t column, int width) {
  constexpr int64_t kLine = 64;
  const int64_t size = static_cast<int64_t>(size_of(rows.type));
  const auto* at = static_cast<const char*>(rows.data) + (row * rows.stride + column) * size;
  for (int64_t i = 0; i < width * size; i += kLine) hwy::Prefetch(at + i);
}

template <typename T>
HWY_INLINE void copy_to_f32(const T* from, int width, float scale, float* to) {
  const RowTag d;
  const auto factor = hn::Set(d, scale);
  for (int i = 0; i < width; i += static_cast<int>(hn::Lanes(d))) {
    hn::StoreU(hn::Mul(load_row(d, from + i), factor), d, to + i);
  }
}

// Columns [column, column + width) of a row, times `scale`.
HWY_INLINE void read_row(ConstRows rows, int64_t row, int64_t column, int width, float scale,
                         float* to) {
  switch (rows.type) {
    case Element::F32:
      return copy_to_f32(row_of<float>(rows, row, column), width, scale, to);
    case Element::F16:
      return copy_to_f32(row_of<hwy::float16_t>(rows, row, column), width, scale, to);
    case Element::BF16:
      return copy_to_f32(row_of<hwy::bfloat16_t>(rows, row, column), width, scale, to);
  }
}

template <typename T>
HWY_INLINE void copy_from_f32(const float* from, int width, float scale, T* to) {
  const RowTag d;
  const auto factor = hn::Set(d, scale);
  for (int i = 0; i < width; i += static_cast<int>(hn::Lanes(d))) {
    store_row(d, hn::Mul(hn::LoadU(d, from + i), factor), to + i);
  }
}

HWY_INLINE void write_row(const float* from, int width, float scale, Rows rows, int64_t row,
                          int64_t column) {
  const int64_t at = row * rows.stride + column;
  switch (rows.type) {
    case Element::F32:
      return copy_from_f32(from, width, scale, static_cast<float*>(rows.data) + at);
    case Element::F16:
      return copy_from_f32(from, width, scale, static_cast<hwy::float16_t*>(rows.data) + at);
    case Element::BF16:
      return copy_from_f32(from, width, scale, static_cast<hwy::bfloat16_t*>(rows.data) + at);
  }
}

}  // namespace whinchat::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
