#include "kernels/panels.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <span>

#include "kernels/bf16.h"
#include "kernels/element.h"
#include "kernels/layer_norm.h"
#include "kernels/panel_tiles.h"
#include "kernels/product.h"
#include "kernels/team.h"

namespace whinchat::kernels {
namespace {

// Rows whose x stays in the L2 cache while every panel passes by.
constexpr int64_t kBlockBytes = int64_t{192} << 10U;
constexpr int64_t kMostBlockRows = 60;

// Row `row` of a part → column `column` of its panel, by way of `line` [in].
template <typename Stored>
void scatter(const Stored* line, int in, Stored* panel, int column) {
  for (int k = 0; k < in; ++k) panel[k * kPanelWidth + column] = line[k];
}

void pack_row(const WeightView& part, int64_t row, Element type, std::byte* panel, int column,
              void* line) {
  const auto row_bytes = static_cast<size_t>(part.in) * size_of(part.type);
  const std::byte* from =
      static_cast<const std::byte*>(part.data) + static_cast<size_t>(row) * row_bytes;
  if (type == Element::F16) {
    std::memcpy(line, from, row_bytes);
    scatter(static_cast<const uint16_t*>(line), part.in, reinterpret_cast<uint16_t*>(panel),
            column);
  } else {
    to_f32(from, part.type, static_cast<float*>(line), part.in);
    scatter(static_cast<const float*>(line), part.in, reinterpret_cast<float*>(panel), column);
  }
}

// The panel of outputs [first, first + 16) of all parts together.
void pack_panel(std::span<const WeightView> parts, int64_t first, Element type, std::byte* panel,
                void* line) {
  int64_t before = 0;  // outputs of the parts before
  for (const WeightView& part : parts) {
    const int64_t from = std::max(first, before);
    const int64_t to = std::min(first + kPanelWidth, before + part.out);
    for (int64_t row = from; row < to; ++row) {
      pack_row(part, row - before, type, panel, static_cast<int>(row - first), line);
    }
    before += part.out;
  }
}

int64_t block_rows(const Product& product, int in) {
  const int64_t fitting = kBlockBytes / (int64_t{4} * in);
  const int64_t rows =
      std::clamp<int64_t>(fitting / kTileRows * kTileRows, kTileRows, kMostBlockRows);
  return std::min(rows, product.rows);
}

const float* row_of(const float* base, int64_t row, int64_t stride) {
  return base == nullptr ? nullptr : base + row * stride;
}

// Rows [begin, end) of y, all or some of its panels, by one thread.
void multiply_rows(const Product& product, const Panels& panels, int64_t begin, int64_t end,
                   PanelRange range, Arena& arena) {
  const int64_t step = block_rows(product, panels.in);
  for (int64_t row = begin; row < end; row += step) {
    const Arena::Scope scope(arena);
    const int64_t rows = std::min(step, end - row);
    const auto* x = static_cast<const float*>(product.x.data) + row * product.x.stride;
    int64_t x_stride = product.x.stride;
    if (product.norm != nullptr) {
      auto* normed = arena.take<float>(static_cast<size_t>(rows * panels.in));
      layer_norm(*product.norm, rows, {x, x_stride}, {normed, panels.in});
      x = normed;
      x_stride = panels.in;
    }
    multiply_tiles({.rows = rows,
                    .x = x,
                    .x_stride = x_stride,
                    .y = static_cast<float*>(product.y.data) + row * product.y.stride,
                    .y_stride = product.y.stride,
                    .bias = product.bias,
                    .residual = row_of(product.residual, row, product.y.stride),
                    .gelu = product.gelu},
                   panels, range);
  }
}

}  // namespace

Panels pack_panels(std::span<const WeightView> parts, Team& team) {
  const bool halves =
      std::ranges::all_of(parts, [](const WeightView& part) { return part.type == Element::F16; });
  Panels panels{.in = parts[0].in, .type = halves ? Element::F16 : Element::F32};
  for (const WeightView& part : parts) panels.out += part.out;
  const auto count = static_cast<size_t>(panels.count());
  const size_t panel_bytes = static_cast<size_t>(panels.in) * kPanelWidth * size_of(panels.type);
  panels.bytes = count * panel_bytes;
  panels.data.reset(static_cast<std::byte*>(std::aligned_alloc(64, (panels.bytes + 63) / 64 * 64)));
  if (panels.data == nullptr) throw std::bad_alloc();

  team.split(panels.count(), 1, [&](int64_t begin, int64_t end, int thread) {
    const Arena::Scope scope(team.arena(thread));
    auto* line = team.arena(thread).take<float>(static_cast<size_t>(panels.in));
    for (int64_t p = begin; p < end; ++p) {
      std::byte* panel = panels.data.get() + static_cast<size_t>(p) * panel_bytes;
      std::memset(panel, 0, panel_bytes);
      pack_panel(parts, p * kPanelWidth, panels.type, panel, line);
    }
  });
  return panels;
}

void multiply_panels(const Product& product, const Panels& panels, Team& team) {
  const int64_t count = panels.count();
  if (product.rows >= int64_t{4} * kTileRows * team.size()) {
    team.split(product.rows, kTileRows, [&](int64_t begin, int64_t end, int thread) {
      multiply_rows(product, panels, begin, end, {0, count}, team.arena(thread));
    });
    return;
  }
  // Few rows: what costs is reading the weights, so the threads share those out.
  team.split(count, 1, [&](int64_t begin, int64_t end, int thread) {
    multiply_rows(product, panels, 0, product.rows, {begin, end}, team.arena(thread));
  });
}

}  // namespace whinchat::kernels
