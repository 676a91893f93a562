// The inner loops of products with panels, for the instruction set in use.
#pragma once

#include <cstdint>

#include "kernels/tiles.h"

namespace whinchat::kernels {

struct Panels;

struct TileProduct {
  int64_t rows;
  const float* x;  // [rows, in]
  int64_t x_stride;
  TileResults results;
};

// The columns of y that belong to the panels of `range`, on the calling thread.
void multiply_tiles(const TileProduct& product, const Panels& panels, PanelRange range);

}  // namespace whinchat::kernels
