// The inner loops of bf16 products with half panels.
#pragma once

#include <cstdint>

#include "kernels/element.h"

namespace whinchat::kernels {

constexpr int64_t kHalfPanelWidth = 32;  // outputs: two tiles side by side
constexpr int64_t kHalfTileDepth = 32;   // inputs a step
constexpr int64_t kHalfTileRows = 32;    // rows: two tiles

// What multiplies tiles: AMX, AVX-512's dot products of bf16, or plain loops (for tests).
enum class HalfUnit { Amx, Avx512, Plain };

// The fastest that the instruction set in use has; Plain where it has none.
HalfUnit half_unit();

struct HalfTileProduct {
  int64_t rows;       // of y
  const uint16_t* x;  // bf16 [⌈rows / 32⌉ · 32, depth]
  int64_t x_stride;
  int64_t depth;            // a multiple of 32
  const uint16_t* weights;  // the panels, as HalfPanels has them
  int64_t out;
  Rows y;                 // [rows, out], f32 or bf16
  const float* bias;      // [out] or null
  const float* residual;  // [rows, out] in y's stride, or null
  bool gelu;
};

// y, on the calling thread.
void multiply_half_tiles(const HalfTileProduct& product, HalfUnit unit);

}  // namespace whinchat::kernels
