// Weights of our own layout and their products: panels of 16 outputs, in which the weights of one
// input lie side by side, so that a register tile of rows × 16 reads them in order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>

#include "kernels/element.h"
#include "kernels/product.h"
#include "kernels/team.h"

namespace whinchat::kernels {

constexpr int kPanelWidth = 16;

struct Panels {
  struct Free {
    void operator()(void* memory) const { std::free(memory); }
  };

  int in, out;
  Element type;  // F16 or F32
  size_t bytes;
  std::unique_ptr<std::byte, Free>
      data;  // [⌈out / 16⌉, in, 16], zeros beyond `out`, 64-byte aligned

  int64_t count() const { return (out + kPanelWidth - 1) / kPanelWidth; }
};

// F16 where all parts are, else F32. As PackedWeights::pack.
Panels pack_panels(std::span<const WeightView> parts, Team& team);

// x and y are f32.
void multiply_panels(const Product& product, const Panels& panels, Team& team);

}  // namespace whinchat::kernels
