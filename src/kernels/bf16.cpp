#include "kernels/bf16.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "kernels/element.h"
#include "kernels/team.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/bf16.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "kernels/bf16-inl.h"

HWY_BEFORE_NAMESPACE();
namespace whinchat::kernels::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// Elements that are converted at a time, by way of the stack: files hold them on any address.
constexpr size_t kChunk = 512;

using Floats = hn::CappedTag<float, 16>;

hn::Vec<Floats> as_floats(const float* from) { return hn::Load(Floats(), from); }

hn::Vec<Floats> as_floats(const hwy::float16_t* from) {
  return hn::PromoteTo(Floats(), hn::Load(hn::Rebind<hwy::float16_t, Floats>(), from));
}

hn::Vec<Floats> as_floats(const hwy::bfloat16_t* from) {
  return hn::PromoteTo(Floats(), hn::Load(hn::Rebind<hwy::bfloat16_t, Floats>(), from));
}

void store(hn::Vec<Floats> value, float* to) { hn::Store(value, Floats(), to); }

void store(hn::Vec<Floats> value, uint16_t* to) { store_bf16(Floats(), value, to); }

template <typename Stored, typename To>
void convert(const void* from, To* to, size_t count) {
  alignas(64) Stored stored[kChunk] = {};
  alignas(64) To converted[kChunk];
  const auto* bytes = static_cast<const std::byte*>(from);
  for (size_t begin = 0; begin < count; begin += kChunk) {
    const size_t size = std::min(kChunk, count - begin);
    std::memcpy(stored, bytes + begin * sizeof(Stored), size * sizeof(Stored));
    for (size_t i = 0; i < size; i += hn::Lanes(Floats()))
      store(as_floats(stored + i), converted + i);
    std::memcpy(to + begin, converted, size * sizeof(To));
  }
}

template <typename To>
void convert_any(const void* from, Element type, To* to, int64_t count) {
  switch (type) {
    case Element::F32:
      return convert<float>(from, to, static_cast<size_t>(count));
    case Element::F16:
      return convert<hwy::float16_t>(from, to, static_cast<size_t>(count));
    case Element::BF16:
      return convert<hwy::bfloat16_t>(from, to, static_cast<size_t>(count));
  }
}

void convert_to_f32(const void* from, Element type, float* to, int64_t count) {
  convert_any(from, type, to, count);
}

void convert_to_bf16(const void* from, Element type, uint16_t* to, int64_t count) {
  convert_any(from, type, to, count);
}

}  // namespace
}  // namespace whinchat::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace whinchat::kernels {

HWY_EXPORT(convert_to_f32);
HWY_EXPORT(convert_to_bf16);

void to_bf16(const void* from, Element type, uint16_t* to, int64_t count) {
  HWY_DYNAMIC_DISPATCH(convert_to_bf16)(from, type, to, count);
}

void to_f32(const void* from, Element type, float* to, int64_t count) {
  HWY_DYNAMIC_DISPATCH(convert_to_f32)(from, type, to, count);
}

Rows round_rows(int64_t rows, int64_t width, ConstRows x, Team& team) {
  auto* rounded = team.arena().take<uint16_t>(static_cast<size_t>(rows * width));
  team.split(rows, 1, [&](int64_t begin, int64_t end, int /*thread*/) {
    const auto* from = static_cast<const float*>(x.data);
    for (int64_t row = begin; row < end; ++row) {
      to_bf16(from + row * x.stride, Element::F32, rounded + row * width, width);
    }
  });
  return {rounded, width, Element::BF16};
}

}  // namespace whinchat::kernels
#endif
