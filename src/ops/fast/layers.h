// Layers packed for the kernels of a CPU. Made on the stream's thread, which reads them alone.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "kernels/layer_norm.h"
#include "kernels/product.h"
#include "ops/fast/cpu.h"
#include "ops/parameter.h"
#include "ops/profile.h"

namespace whinchat::ops::fast {

struct Norm {
  std::vector<float> weight, bias;
  kernels::LayerNorm kernel() const;
};

struct Linear {
  kernels::PackedWeights weights;
  std::vector<float> bias;  // zeros where a part has none

  // The type that kernels write for one another: bf16 beside bf16 products.
  mlx::core::Dtype activation() const;

  // Of its product with so many rows.
  Work work(int64_t rows) const;
};

// Every packed layer: where it runs.
struct Layer {
  std::shared_ptr<Cpu> cpu;
};

Norm make_norm(const NormParameters& parameters);

// One product for `parts`, stacked along their outputs.
Linear make_linear(Cpu& cpu, std::span<const LinearParameters> parts, kernels::RowsPerCall rows);

std::vector<float> floats_of(const Parameter& parameter);

}  // namespace whinchat::ops::fast
