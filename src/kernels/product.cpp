#include "kernels/product.h"

#include <cstddef>
#include <memory>
#include <span>
#include <variant>

#include "base/error.h"
#include "kernels/byte_panels.h"
#include "kernels/element.h"
#include "kernels/onednn_product.h"
#include "kernels/panels.h"
#include "kernels/team.h"

namespace whinchat::kernels {

struct PackedWeights::Layout {
  std::variant<Panels, BytePanels, OneDnnWeights> weights;
};

namespace {

int in_of(const Panels& panels) { return panels.in; }
int in_of(const BytePanels& panels) { return panels.in; }
int in_of(const OneDnnWeights& blocks) { return blocks.in(); }
int out_of(const Panels& panels) { return panels.out; }
int out_of(const BytePanels& panels) { return panels.out; }
int out_of(const OneDnnWeights& blocks) { return blocks.out(); }
size_t bytes_of(const Panels& panels) { return panels.bytes; }
size_t bytes_of(const BytePanels& panels) { return panels.bytes; }
size_t bytes_of(const OneDnnWeights& blocks) { return blocks.bytes(); }

void multiply_by(const Panels& panels, const Product& product, Team& team) {
  multiply_panels(product, panels, team);
}
void multiply_by(const BytePanels& panels, const Product& product, Team& team) {
  multiply_byte_panels(product, panels, team);
}
void multiply_by(const OneDnnWeights& blocks, const Product& product, Team& team) {
  blocks.multiply(product, team);
}

}  // namespace

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
  if (precision == Precision::Int8) {
    return PackedWeights(std::make_shared<const Layout>(Layout{pack_byte_panels(parts, team)}));
  }
  return PackedWeights(std::make_shared<const Layout>(Layout{pack_panels(parts, team)}));
}

int PackedWeights::in() const {
  return std::visit([](const auto& weights) { return in_of(weights); }, layout_->weights);
}

int PackedWeights::out() const {
  return std::visit([](const auto& weights) { return out_of(weights); }, layout_->weights);
}

size_t PackedWeights::bytes() const {
  return std::visit([](const auto& weights) { return bytes_of(weights); }, layout_->weights);
}

Element PackedWeights::input_type() const {
  return std::holds_alternative<OneDnnWeights>(layout_->weights) ? Element::BF16 : Element::F32;
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
  std::visit([&](const auto& weights) { multiply_by(weights, product, team); }, layout_->weights);
}

}  // namespace whinchat::kernels
