// Weights of our own layout and their products: panels of 16 outputs, in which the weights of one
// input lie side by side, so that a register tile of rows × 16 reads them in order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/element.h"
#include "kernels/product.h"
#include "kernels/team.h"
#include "kernels/tiles.h"

namespace whinchat::kernels {

struct Panels {
  int in, out;
  Element type;  // F16 or F32
  size_t bytes;
  PanelMemory data;  // [⌈out / 16⌉, in, 16], zeros beyond `out`

  int64_t count() const { return panels_for(out); }
};

// F16 where all parts are, else F32. As PackedWeights::pack.
Panels pack_panels(std::span<const WeightView> parts, Team& team);

// x and y are f32.
void multiply_panels(const Product& product, const Panels& panels, Team& team);

void copy_panel_row(const Panels& panels, int output, float* row);

}  // namespace whinchat::kernels
