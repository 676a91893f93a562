#include "kernels/product.h"

#include <cstddef>
#include <memory>
#include <span>
#include <variant>

#include "base/error.h"
#include "kernels/byte_panels.h"
#include "kernels/element.h"
#include "kernels/half_panels.h"
#include "kernels/half_tiles.h"
#include "kernels/isa.h"
#include "kernels/panels.h"
#include "kernels/team.h"

namespace whinchat::kernels {

struct PackedWeights::Layout {
  std::variant<Panels, HalfPanels, BytePanels> weights;
};

namespace {

void multiply_by(const Panels& panels, const Product& product, Team& team) {
  multiply_panels(product, panels, team);
}
void multiply_by(const HalfPanels& panels, const Product& product, Team& team) {
  multiply_half_panels(product, panels, half_unit(), team);
}
void multiply_by(const BytePanels& panels, const Product& product, Team& team) {
  multiply_byte_panels(product, panels, team);
}

}  // namespace

bool has_bf16_products() { return half_unit() != HalfUnit::Plain; }

PackedWeights PackedWeights::pack(std::span<const WeightView> parts, RowsPerCall rows,
                                  Precision precision, Team& team) {
  for (const WeightView& part : parts) {
    if (part.in == parts[0].in) continue;
    base::fail(ErrorKind::Internal, "[kernels.pack] expected parts of {} inputs, got one of {}",
               parts[0].in, part.in);
  }
  if (precision == Precision::BF16 && !has_bf16_products()) {
    base::fail(ErrorKind::Unsupported, "expected a processor that multiplies in bf16, got {}",
               name_of(isa_in_use()));
  }
  // A step's single row waits for memory: halves are as short as bf16 there, and exact.
  if (precision == Precision::BF16 && rows == RowsPerCall::Many) {
    return PackedWeights(std::make_shared<const Layout>(Layout{pack_half_panels(parts, team)}));
  }
  if (precision == Precision::Int8) {
    return PackedWeights(std::make_shared<const Layout>(Layout{pack_byte_panels(parts, team)}));
  }
  return PackedWeights(std::make_shared<const Layout>(Layout{pack_panels(parts, team)}));
}

int PackedWeights::in() const {
  return std::visit([](const auto& panels) { return panels.in; }, layout_->weights);
}

int PackedWeights::out() const {
  return std::visit([](const auto& panels) { return panels.out; }, layout_->weights);
}

size_t PackedWeights::bytes() const {
  return std::visit([](const auto& panels) { return panels.bytes; }, layout_->weights);
}

Element PackedWeights::input_type() const {
  return std::holds_alternative<HalfPanels>(layout_->weights) ? Element::BF16 : Element::F32;
}

void PackedWeights::copy_row(int output, float* row) const {
  if (const auto* panels = std::get_if<BytePanels>(&layout_->weights)) {
    copy_byte_row(*panels, output, row);
  } else {
    copy_panel_row(std::get<Panels>(layout_->weights), output, row);
  }
}

void PackedWeights::multiply(const Product& product, Team& team) const {
  if (product.rows == 0) return;
  std::visit([&](const auto& panels) { multiply_by(panels, product, team); }, layout_->weights);
}

}  // namespace whinchat::kernels
