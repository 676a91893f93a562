#include "ops/fast/layers.h"

#include <mlx/dtype.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/file_map.h"
#include "kernels/bf16.h"
#include "kernels/element.h"
#include "kernels/layer_norm.h"
#include "kernels/product.h"
#include "kernels/team.h"
#include "ops/fast/cpu.h"
#include "ops/fast/primitive.h"
#include "ops/parameter.h"
#include "ops/profile.h"

namespace whinchat::ops::fast {
namespace {

kernels::WeightView view_of(const Parameter& weight) {
  return {weight.data, element_of(weight.dtype), weight.shape[0], weight.shape[1]};
}

// What is packed is not read again.
void release(const Parameter& weight) {
  const base::FileMap* map = base::FileMap::of(weight.owner);
  if (map != nullptr) map->release({weight.data, weight.size() * mlx::core::size_of(weight.dtype)});
}

}  // namespace

kernels::LayerNorm Norm::kernel() const {
  return {weight.data(), bias.data(), static_cast<int>(weight.size()), kNormEps};
}

mlx::core::Dtype Linear::activation() const {
  return weights.input_type() == kernels::Element::BF16 ? mlx::core::bfloat16 : mlx::core::float32;
}

Work Linear::work(int64_t rows) const {
  return {2 * rows * weights.in() * weights.out(), static_cast<int64_t>(weights.bytes())};
}

std::vector<float> floats_of(const Parameter& parameter) {
  // A missing tensor ends loading before anything is computed with it.
  if (parameter.data == nullptr) return {};
  std::vector<float> floats(parameter.size());
  kernels::to_f32(parameter.data, element_of(parameter.dtype), floats.data(),
                  static_cast<int64_t>(floats.size()));
  return floats;
}

Norm make_norm(const NormParameters& parameters) {
  return {floats_of(parameters.weight), floats_of(parameters.bias)};
}

Linear make_linear(Cpu& cpu, std::span<const LinearParameters> parts, kernels::RowsPerCall rows) {
  Linear layer;
  std::vector<kernels::WeightView> views;
  for (const LinearParameters& part : parts) {
    if (part.weight.data == nullptr) return {};
    views.push_back(view_of(part.weight));
    std::vector<float> bias;
    if (part.bias) bias = floats_of(*part.bias);
    bias.resize(static_cast<size_t>(part.weight.shape[0]), 0.0F);
    layer.bias.insert(layer.bias.end(), bias.begin(), bias.end());
  }
  cpu.run([&](kernels::Team& team) {
    layer.weights = kernels::PackedWeights::pack(views, rows, cpu.precision(rows), team);
  });
  for (const LinearParameters& part : parts) release(part.weight);
  return layer;
}

}  // namespace whinchat::ops::fast
