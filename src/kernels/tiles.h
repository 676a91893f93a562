// Register tiles of rows × 16 outputs, whatever the weights of a panel are stored in.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <span>

#include "kernels/element.h"
#include "kernels/product.h"

namespace whinchat::kernels {

constexpr int kPanelWidth = 16;
constexpr int kTileRows = 6;  // rows of the largest register tile

constexpr int64_t panels_for(int out) { return (out + kPanelWidth - 1) / kPanelWidth; }

struct PanelRange {
  int64_t begin, end;
};

// What becomes of a tile's sums.
struct TileResults {
  float* y;  // [rows, out]
  int64_t stride;
  int64_t out;
  const float* bias;      // [out] or null
  const float* residual;  // [rows, out] in y's stride, or null
  bool gelu;
};

// Of the rows from `row` on.
inline TileResults results_from(const Product& product, int64_t row, int out) {
  const int64_t at = row * product.y.stride;
  return {.y = static_cast<float*>(product.y.data) + at,
          .stride = product.y.stride,
          .out = out,
          .bias = product.bias,
          .residual = product.residual == nullptr ? nullptr : product.residual + at,
          .gelu = product.gelu};
}

// How many of `rows` rows of so many bytes a thread takes while every panel passes by: they stay in
// the L2 cache, and no block is much lower than the others.
inline int64_t rows_in_block(int64_t row_bytes, int64_t rows) {
  constexpr int64_t kBlockBytes = int64_t{192} << 10U;
  constexpr int64_t kMostRows = 66;
  const int64_t fitting = kBlockBytes / row_bytes / kTileRows * kTileRows;
  const int64_t most = std::clamp<int64_t>(fitting, kTileRows, kMostRows);
  const int64_t blocks = (rows + most - 1) / most;
  const int64_t height = (rows + blocks - 1) / blocks;
  return std::min((height + kTileRows - 1) / kTileRows * kTileRows, rows);
}

// Whether threads share out the rows: with few of them what costs is reading the weights, and they
// share out the panels.
inline bool splits_rows(int64_t rows, int threads) {
  return rows >= int64_t{4} * kTileRows * threads;
}

// Calls use(part, row, output) for outputs [first, first + width) of all parts together: `row` is
// the part's weights of that output, which is the panel's `output`.
template <typename Use>
void each_output(std::span<const WeightView> parts, int64_t first, int64_t width, const Use& use) {
  int64_t before = 0;  // outputs of the parts before
  for (const WeightView& part : parts) {
    const auto row_bytes = static_cast<size_t>(part.in) * size_of(part.type);
    const int64_t to = std::min(first + width, before + part.out);
    for (int64_t row = std::max(first, before); row < to; ++row) {
      use(part,
          static_cast<const std::byte*>(part.data) + static_cast<size_t>(row - before) * row_bytes,
          row - first);
    }
    before += part.out;
  }
}

struct FreePanels {
  void operator()(void* memory) const { std::free(memory); }
};
using PanelMemory = std::unique_ptr<std::byte, FreePanels>;

// On a cache line's beginning. Throws std::bad_alloc.
inline PanelMemory allocate_panels(size_t bytes) {
  auto* memory = static_cast<std::byte*>(std::aligned_alloc(64, (bytes + 63) / 64 * 64));
  if (memory == nullptr) throw std::bad_alloc();
  return PanelMemory(memory);
}

}  // namespace whinchat::kernels
