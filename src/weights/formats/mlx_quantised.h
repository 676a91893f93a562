// MLX's affine quantisation: `NAME.weight` holds codes of a few bits in u32, row by row from the
// lowest bit up; a group of them in a row shares an element of `NAME.scales` and of `NAME.biases`.
// An element is code · scale + bias, rounded after each step to the scales' type.
// Source: mx.dequantize of MLX 0.32.4, on a CPU.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/json.h"
#include "weights/tensor.h"
#include "weights/weight_map.h"

namespace whinchat::weights {

struct MlxQuantisation {
  int64_t group_size = 64;
  int64_t bits = 4;  // 2, 3, 4, 5, 6 or 8
};

// The field `quantization` of a config.json, where there is one. Throws Error{Corrupt} for values
// that cannot be, Error{Unsupported} for another mode than affine.
std::optional<MlxQuantisation> read_mlx_quantisation(const base::Json& config,
                                                     const std::string& source);

// The same tensors, those that have scales with computed rows and without scales and biases.
// Throws Error{Corrupt} where the three do not fit each other.
WeightMap with_computed_rows(const WeightMap& tensors, const MlxQuantisation& quantisation);

struct MlxQuantised {
  Tensor codes, scales, biases;
};

// As mx.quantize: scales and biases in the tensor's type. [rows, columns]; the columns are whole
// groups.
MlxQuantised quantise(const Tensor& tensor, const MlxQuantisation& quantisation);

}  // namespace whinchat::weights
