// Products of rows with packed weights, y = activation(norm(x) · Wᵀ + bias) + residual: a
// transformer's layers, and its convolutions over overlapping rows. Called on the
// team's thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "kernels/element.h"
#include "kernels/layer_norm.h"
#include "kernels/team.h"

namespace whinchat::kernels {

// A checkpoint's matrix [out, in], row-major, on any address.
struct WeightView {
  const void* data;
  Element type;
  int out, in;
};

// How many rows a matrix mostly meets: those of an encoder's window, or of a decoder's step.
enum class RowsPerCall { Few, Many };

// Of products: BF16 of those of many rows, where has_bf16_products(); Int8 of all: weights of 8
// bits with a scale an output, x of 16 bits with a scale a row, exact sums.
enum class Precision { F32, BF16, Int8 };

// Whether the instruction set in use multiplies in bf16.
bool has_bf16_products();

struct Product {
  int64_t rows;
  ConstRows x;                      // [rows, in]: f32, or what PackedWeights::input_type says
  Rows y;                           // [rows, out]: f32, or bf16 of bf16 products
  const LayerNorm* norm = nullptr;  // applied to x, which is f32 then
  const float* bias = nullptr;      // [out]
  bool gelu = false;                // v · Φ(v) by the error function
  const float* residual = nullptr;  // [rows, out] f32 in rows of y's stride; may be y itself
};

class PackedWeights {
 public:
  // Stacks `parts` along their outputs (q, k, v in one product) and keeps no pointer to them.
  // Weights that are halves stay halves where products are f32. Throws Error{Internal} for parts
  // of unequal `in`, Error{Unsupported} for BF16 where there is none.
  static PackedWeights pack(std::span<const WeightView> parts, RowsPerCall rows,
                            Precision precision, Team& team);

  PackedWeights() = default;  // of nothing: only to be assigned to

  int in() const;
  int out() const;
  Element input_type() const;  // BF16 for bf16 products, else F32
  size_t bytes() const;

  void multiply(const Product& product, Team& team) const;

  // The weights of one output, [in], as f32: a row of an embedding. Of few-row weights only.
  void copy_row(int output, float* row) const;

  struct Layout;  // panels of f32 or f16, or of bf16

 private:
  explicit PackedWeights(std::shared_ptr<const Layout> layout) : layout_(std::move(layout)) {}

  std::shared_ptr<const Layout> layout_;
};

// y = x · Wᵀ + bias and the rest, in double precision on one thread; W is one part.
void multiply_reference(const Product& product, const WeightView& weights);

}  // namespace whinchat::kernels
