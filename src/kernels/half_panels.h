// Weights in bf16 for products of many rows, and those products: panels of 32 outputs in the order
// in which tiles of 16 × 32 read them, for AMX or the dot products of AVX-512 BF16.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/half_tiles.h"
#include "kernels/product.h"
#include "kernels/team.h"
#include "kernels/tiles.h"

namespace whinchat::kernels {

struct HalfPanels {
  int in, out;
  size_t bytes;
  // [⌈out / 32⌉, ⌈in / 32⌉, 2, 16, 16, 2]: panel, block of inputs, half of the outputs, pair of
  // inputs, output, input; zeros beyond `in` and `out`.
  PanelMemory data;

  uint16_t* weights() const { return reinterpret_cast<uint16_t*>(data.get()); }
  int64_t count() const { return (out + kHalfPanelWidth - 1) / kHalfPanelWidth; }
  int64_t depth() const { return (in + kHalfTileDepth - 1) / kHalfTileDepth * kHalfTileDepth; }
};

// Rounds all parts to bf16. As PackedWeights::pack.
HalfPanels pack_half_panels(std::span<const WeightView> parts, Team& team);

// x: f32, or bf16 without norm. y: f32 or bf16.
void multiply_half_panels(const Product& product, const HalfPanels& panels, HalfUnit unit,
                          Team& team);

}  // namespace whinchat::kernels
