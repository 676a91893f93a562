// The plain layers of the oracle's graph, and how a layer of either form is held.
#pragma once

#include <mlx/array.h>
#include <mlx/dtype.h>

#include <memory>
#include <optional>
#include <variant>

#include "ops/parameter.h"

namespace whinchat::ops {

struct Linear {
  mx::array weight_t;             // [in, out], a transposed view of the checkpoint's [out, in]
  std::optional<mx::array> bias;  // [out]
};

struct Norm {
  mx::array weight;  // [C]
  mx::array bias;    // [C]
  float eps = kNormEps;
};

Linear make_linear(const LinearParameters& parameters, mx::Dtype dtype);
Norm make_norm(const NormParameters& parameters, mx::Dtype dtype);

mx::array apply(const Linear& layer, const mx::array& x);
mx::array apply(const Norm& layer, const mx::array& x);

// x * (1 + erf(x / √2)) / 2. The oracle compiles it, and so it is on a GPU. On a CPU it is plain,
// with the same bits (WhisperParity.CompiledAndPlainGeluAreEqual): MLX would call a compiler at run
// time there, and fall back silently where there is none.
mx::array gelu(const mx::array& x);

// A layer is plain, or packed for the kernels of a CPU's fast path.
template <typename Plain, typename Packed>
using Forms = std::variant<Plain, std::shared_ptr<const Packed>>;

// The packed form, or null.
template <typename Plain, typename Packed>
std::shared_ptr<const Packed> packed(const Forms<Plain, Packed>& layer) {
  const auto* form = std::get_if<std::shared_ptr<const Packed>>(&layer);
  return form != nullptr ? *form : nullptr;
}

}  // namespace whinchat::ops
