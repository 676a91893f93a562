// The inner loops of products with panels, for the instruction set in use.
#pragma once

#include <cstdint>

namespace whinchat::kernels {

struct Panels;

constexpr int kTileRows = 6;  // rows of the largest register tile

struct PanelRange {
  int64_t begin, end;
};

struct TileProduct {
  int64_t rows;
  const float* x;  // [rows, in]
  int64_t x_stride;
  float* y;  // [rows, out]
  int64_t y_stride;
  const float* bias;      // [out] or null
  const float* residual;  // [rows, out] in y's stride, or null
  bool gelu;
};

// The columns of y that belong to the panels of `range`, on the calling thread.
void multiply_tiles(const TileProduct& product, const Panels& panels, PanelRange range);

}  // namespace whinchat::kernels
