#include "kernels/bf16.h"

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "kernels/element.h"

namespace whinchat::kernels {
namespace {

template <typename Stored>
Stored read_at(const void* from, int64_t index) {
  Stored value;
  std::memcpy(&value, static_cast<const std::byte*>(from) + index * int64_t{sizeof value},
              sizeof value);
  return value;
}

}  // namespace

void to_bf16(const void* from, Element type, uint16_t* to, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    switch (type) {
      case Element::F32:
        to[i] = to_bf16(read_at<float>(from, i));
        break;
      case Element::F16:
        to[i] = to_bf16(static_cast<float>(read_at<_Float16>(from, i)));
        break;
      case Element::BF16:
        to[i] = read_at<uint16_t>(from, i);
    }
  }
}

void to_f32(const void* from, Element type, float* to, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    switch (type) {
      case Element::F32:
        to[i] = read_at<float>(from, i);
        break;
      case Element::F16:
        to[i] = static_cast<float>(read_at<_Float16>(from, i));
        break;
      case Element::BF16:
        to[i] = from_bf16(read_at<uint16_t>(from, i));
    }
  }
}

}  // namespace whinchat::kernels
