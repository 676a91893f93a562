// Layer norm of rows: (x − mean) / √(variance + eps) · weight + bias, statistics in f32.
#pragma once

#include <cstdint>

#include "kernels/element.h"

namespace whinchat::kernels {

struct LayerNorm {
  const float* weight;  // [width]
  const float* bias;    // [width]
  int width;
  float eps;
};

// x: `rows` rows of f32; out: f32 or bf16, may be x itself where f32. One thread's work: any
// thread.
void layer_norm(const LayerNorm& norm, int64_t rows, ConstRows x, Rows out);

void layer_norm_reference(const LayerNorm& norm, int64_t rows, ConstRows x, Rows out);

}  // namespace whinchat::kernels
