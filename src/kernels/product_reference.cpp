#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <numbers>
#include <vector>

#include "kernels/bf16.h"
#include "kernels/element.h"
#include "kernels/layer_norm.h"
#include "kernels/product.h"

namespace whinchat::kernels {
namespace {

double element(const void* data, Element type, int64_t index) {
  const auto* at = static_cast<const std::byte*>(data) + static_cast<size_t>(index) * size_of(type);
  if (type == Element::F32) {
    float value = 0;
    std::memcpy(&value, at, sizeof value);
    return value;
  }
  uint16_t bits = 0;
  std::memcpy(&bits, at, sizeof bits);
  if (type == Element::BF16) return from_bf16(bits);
  return static_cast<double>(__builtin_bit_cast(_Float16, bits));
}

}  // namespace

void multiply_reference(const Product& product, const WeightView& weights) {
  std::vector<float> row(static_cast<size_t>(weights.in));
  for (int64_t r = 0; r < product.rows; ++r) {
    for (int k = 0; k < weights.in; ++k) {
      row[static_cast<size_t>(k)] =
          static_cast<float>(element(product.x.data, product.x.type, r * product.x.stride + k));
    }
    if (product.norm != nullptr) {
      const Rows in_place{row.data(), weights.in};
      layer_norm_reference(*product.norm, 1, in_place, in_place);
    }
    for (int n = 0; n < weights.out; ++n) {
      double sum = product.bias != nullptr ? product.bias[n] : 0.0;
      for (int k = 0; k < weights.in; ++k) {
        sum += row[static_cast<size_t>(k)] *
               element(weights.data, weights.type, int64_t{n} * weights.in + k);
      }
      if (product.gelu) sum *= 0.5 * std::erfc(-sum / std::numbers::sqrt2);
      const int64_t at = r * product.y.stride + n;
      if (product.residual != nullptr) sum += product.residual[at];
      if (product.y.type == Element::BF16) {
        static_cast<uint16_t*>(product.y.data)[at] = to_bf16(static_cast<float>(sum));
      } else {
        static_cast<float*>(product.y.data)[at] = static_cast<float>(sum);
      }
    }
  }
}

}  // namespace whinchat::kernels
