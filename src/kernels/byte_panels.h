// Weights of 8 bits with a scale an output, and their products in integers: x is rounded to 16 bits
// with a scale a row, and sums are exact. `largest` bounds x's integers so that none overflows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/product.h"
#include "kernels/team.h"
#include "kernels/tiles.h"

namespace whinchat::kernels {

struct BytePanels {
  int in, out;
  int largest;
  size_t bytes;
  // Of 16 outputs each: [⌈in / 2⌉, 16, 2] of int8, pairs of inputs side by side, then 16 scales in
  // f32. Zeros beyond `in` and `out`.
  PanelMemory data;

  int64_t count() const { return panels_for(out); }
  int64_t pairs() const { return (int64_t{in} + 1) / 2; }
  int64_t weight_bytes() const { return pairs() * 2 * kPanelWidth; }  // of a panel
  int64_t panel_bytes() const { return weight_bytes() + int64_t{kPanelWidth} * 4; }
  const int8_t* weights(int64_t panel) const {
    return reinterpret_cast<const int8_t*>(data.get()) + panel * panel_bytes();
  }
};

// Rounds each output's weights to multiples of the largest of them / 127. As PackedWeights::pack;
// throws Error{Corrupt} where a weight is not finite.
BytePanels pack_byte_panels(std::span<const WeightView> parts, Team& team);

// x and y are f32. The same bits for any team.
void multiply_byte_panels(const Product& product, const BytePanels& panels, Team& team);

// The rounded weights of one output.
void copy_byte_row(const BytePanels& panels, int output, float* row);

}  // namespace whinchat::kernels
