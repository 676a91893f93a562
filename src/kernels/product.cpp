#include "kernels/product.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <variant>

#include "base/error.h"
#include "kernels/element.h"
#include "kernels/onednn_product.h"
#include "kernels/panels.h"
#include "kernels/team.h"

namespace whinchat::kernels {

struct PackedWeights::Layout {
  std::variant<Panels, OneDnnWeights> weights;

  const Panels* panels() const { return std::get_if<Panels>(&weights); }
  const OneDnnWeights& blocks() const { return std::get<OneDnnWeights>(weights); }
};

PackedWeights PackedWeights::pack(std::span<const WeightView> parts, RowsPerCall rows,
                                  Precision precision, Team& team) {
  for (const WeightView& part : parts) {
    if (part.in == parts[0].in) continue;
    base::fail(ErrorKind::Internal, "[kernels.pack] expected parts of {} inputs, got one of {}",
               parts[0].in, part.in);
  }
  if (precision == Precision::BF16 && !has_bf16_products()) {
    base::fail(ErrorKind::Unsupported,
               "expected a processor and a build that multiply in bf16, got neither");
  }
  // A step's single row waits for memory: halves are as short as bf16 there, and exact.
  if (precision == Precision::BF16 && rows == RowsPerCall::Many) {
    return PackedWeights(std::make_shared<const Layout>(Layout{OneDnnWeights(parts, team)}));
  }
  return PackedWeights(std::make_shared<const Layout>(Layout{pack_panels(parts, team)}));
}

int PackedWeights::in() const {
  const Panels* panels = layout_->panels();
  return panels != nullptr ? panels->in : layout_->blocks().in();
}

int PackedWeights::out() const {
  const Panels* panels = layout_->panels();
  return panels != nullptr ? panels->out : layout_->blocks().out();
}

Element PackedWeights::input_type() const {
  return layout_->panels() != nullptr ? Element::F32 : Element::BF16;
}

size_t PackedWeights::bytes() const {
  const Panels* panels = layout_->panels();
  return panels != nullptr ? panels->bytes : layout_->blocks().bytes();
}

void PackedWeights::copy_row(int output, float* row) const {
  const Panels& panels = *layout_->panels();
  const int64_t first =
      int64_t{output / kPanelWidth} * panels.in * kPanelWidth + output % kPanelWidth;
  for (int k = 0; k < panels.in; ++k) {
    const int64_t at = first + int64_t{k} * kPanelWidth;
    row[k] = panels.type == Element::F16
                 ? static_cast<float>(reinterpret_cast<const _Float16*>(panels.data.get())[at])
                 : reinterpret_cast<const float*>(panels.data.get())[at];
  }
}

void PackedWeights::multiply(const Product& product, Team& team) const {
  if (product.rows == 0) return;
  if (const Panels* panels = layout_->panels()) {
    multiply_panels(product, *panels, team);
  } else {
    layout_->blocks().multiply(product, team);
  }
}

}  // namespace whinchat::kernels
