#include "kernels/panels.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "kernels/bf16.h"
#include "kernels/element.h"
#include "kernels/layer_norm.h"
#include "kernels/panel_tiles.h"
#include "kernels/product.h"
#include "kernels/team.h"
#include "kernels/tiles.h"

namespace whinchat::kernels {
namespace {

template <typename Stored>
void scatter(const Stored* line, int in, Stored* panel, int column) {
  for (int k = 0; k < in; ++k) panel[k * kPanelWidth + column] = line[k];
}

// A part's weights of one output → column `column` of its panel, by way of `line` [in].
void pack_row(const WeightView& part, const std::byte* row, Element type, std::byte* panel,
              int column, void* line) {
  if (type == Element::F16) {
    std::memcpy(line, row, static_cast<size_t>(part.in) * size_of(type));
    scatter(static_cast<const uint16_t*>(line), part.in, reinterpret_cast<uint16_t*>(panel),
            column);
  } else {
    to_f32(row, part.type, static_cast<float*>(line), part.in);
    scatter(static_cast<const float*>(line), part.in, reinterpret_cast<float*>(panel), column);
  }
}

// Rows [begin, end) of y, all or some of its panels, by one thread.
void multiply_rows(const Product& product, const Panels& panels, int64_t begin, int64_t end,
                   PanelRange range, Arena& arena) {
  const int64_t step = rows_in_block(int64_t{4} * panels.in, end - begin);
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
                    .results = results_from(product, row, panels.out)},
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
  panels.data = allocate_panels(panels.bytes);

  team.split(panels.count(), 1, [&](int64_t begin, int64_t end, int thread) {
    const Arena::Scope scope(team.arena(thread));
    auto* line = team.arena(thread).take<float>(static_cast<size_t>(panels.in));
    for (int64_t p = begin; p < end; ++p) {
      std::byte* panel = panels.data.get() + static_cast<size_t>(p) * panel_bytes;
      std::memset(panel, 0, panel_bytes);
      each_output(parts, p * kPanelWidth, kPanelWidth,
                  [&](const WeightView& part, const std::byte* row, int64_t output) {
                    pack_row(part, row, panels.type, panel, static_cast<int>(output), line);
                  });
    }
  });
  return panels;
}

void multiply_panels(const Product& product, const Panels& panels, Team& team) {
  const int64_t count = panels.count();
  if (splits_rows(product.rows, team.size())) {
    team.split(product.rows, kTileRows, [&](int64_t begin, int64_t end, int thread) {
      multiply_rows(product, panels, begin, end, {0, count}, team.arena(thread));
    });
  } else {
    team.split(count, 1, [&](int64_t begin, int64_t end, int thread) {
      multiply_rows(product, panels, 0, product.rows, {begin, end}, team.arena(thread));
    });
  }
}

void copy_panel_row(const Panels& panels, int output, float* row) {
  const int64_t first =
      int64_t{output / kPanelWidth} * panels.in * kPanelWidth + output % kPanelWidth;
  for (int k = 0; k < panels.in; ++k) {
    const int64_t at = first + int64_t{k} * kPanelWidth;
    row[k] = panels.type == Element::F16
                 ? static_cast<float>(reinterpret_cast<const _Float16*>(panels.data.get())[at])
                 : reinterpret_cast<const float*>(panels.data.get())[at];
  }
}

}  // namespace whinchat::kernels
