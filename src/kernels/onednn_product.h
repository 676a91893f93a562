// Products in bf16 by oneDNN. A build without oneDNN has no_onednn_product.cpp in its place.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "kernels/product.h"
#include "kernels/team.h"

namespace whinchat::kernels {

class OneDnnWeights {
 public:
  // Rounds the stacked parts to bf16 in the layout that oneDNN wants for windows of many rows.
  OneDnnWeights(std::span<const WeightView> parts, Team& team);
  ~OneDnnWeights();
  OneDnnWeights(OneDnnWeights&&) noexcept;

  int in() const;
  int out() const;
  size_t bytes() const;

  // x: f32, or bf16 without norm. y: f32 or bf16. Keeps what it makes for a shape for later calls.
  void multiply(const Product& product, Team& team) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace whinchat::kernels
