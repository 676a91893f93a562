// A node of a packed layer: it keeps the layer alive.
#pragma once

#include <memory>
#include <span>
#include <utility>

#include "ops/fast/primitive.h"

namespace whinchat::ops::fast {

using Operands = std::span<const Operand>;

template <typename L>
class LayerNode : public Primitive {
 public:
  explicit LayerNode(std::shared_ptr<const L> layer)
      : Primitive(layer->cpu), layer_(std::move(layer)) {}

 protected:
  const L& layer() const { return *layer_; }

 private:
  std::shared_ptr<const L> layer_;
};

}  // namespace whinchat::ops::fast
