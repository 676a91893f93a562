#include "ops/fast/mlp.h"

#include <mlx/array.h>
#include <mlx/dtype.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "kernels/element.h"
#include "kernels/layer_norm.h"
#include "kernels/product.h"
#include "kernels/team.h"
#include "ops/fast/cpu.h"
#include "ops/fast/layer_node.h"
#include "ops/fast/layers.h"
#include "ops/fast/primitive.h"
#include "ops/mlp.h"
#include "ops/parameter.h"
#include "ops/profile.h"

namespace whinchat::ops::fast {
namespace {

class NormNode : public LayerNode<NormLayer> {
 public:
  using LayerNode::LayerNode;
  const char* name() const override { return "norm"; }

 protected:
  void run(Operands inputs, Operands outputs, kernels::Team& team) const override {
    const kernels::LayerNorm norm = layer().norm.kernel();
    team.split(inputs[0].rows(), 1, [&](int64_t begin, int64_t end, int /*thread*/) {
      kernels::layer_norm(norm, end - begin, inputs[0].as_rows(begin), outputs[0].as_rows(begin));
    });
  }
};

class MlpNode : public LayerNode<Mlp> {
 public:
  using LayerNode::LayerNode;
  const char* name() const override { return "mlp"; }

 protected:
  // What it adds to is read until each place is written: x's memory serves.
  void allocate(const std::vector<mx::array>& inputs, std::vector<mx::array>& outputs) override {
    allocate_over(inputs[0], outputs[0]);
  }

  void run(Operands inputs, Operands outputs, kernels::Team& team) const override {
    const int64_t rows = inputs[0].rows();
    const int64_t width = layer().up.weights.out();
    const kernels::Element type = layer().down.weights.input_type();
    const kernels::Arena::Scope scope(team.arena());
    auto* memory =
        team.arena().take<std::byte>(static_cast<size_t>(rows * width) * kernels::size_of(type));
    const kernels::Rows hidden{memory, width, type};
    const kernels::LayerNorm norm = layer().norm.kernel();
    layer().up.weights.multiply({.rows = rows,
                                 .x = inputs[0].as_rows(),
                                 .y = hidden,
                                 .norm = &norm,
                                 .bias = layer().up.bias.data(),
                                 .gelu = true},
                                team);
    layer().down.weights.multiply({.rows = rows,
                                   .x = hidden,
                                   .y = outputs[0].as_rows(),
                                   .bias = layer().down.bias.data(),
                                   .residual = inputs[0].as<float>()},
                                  team);
  }

  Work work(Operands inputs, Operands /*outputs*/) const override {
    return layer().up.work(inputs[0].rows()) + layer().down.work(inputs[0].rows());
  }
};

// x [B, T, in], perhaps positions [T', out] → [B, T', out].
class ConvNode : public LayerNode<Conv> {
 public:
  using LayerNode::LayerNode;
  const char* name() const override { return "conv_gelu"; }

 protected:
  void run(Operands inputs, Operands outputs, kernels::Team& team) const override {
    const Conv& conv = layer();
    const Operand& x = inputs[0];
    const Operand& y = outputs[0];
    const int length = x.shape[1];
    const auto row_bytes = static_cast<size_t>(conv.in) * sizeof(float);
    const kernels::Arena::Scope scope(team.arena());
    const int64_t padded_length = length + 2 * conv.padding;
    auto* padded =
        team.arena().take<float>(static_cast<size_t>(padded_length) * static_cast<size_t>(conv.in));
    std::memset(padded, 0, static_cast<size_t>(padded_length) * row_bytes);
    for (int b = 0; b < x.shape[0]; ++b) {
      for (int t = 0; t < length; ++t) {
        std::memcpy(padded + int64_t{t + conv.padding} * conv.in,
                    x.as<float>() + (int64_t{b} * length + t) * x.stride, row_bytes);
      }
      conv.frames.weights.multiply(
          {.rows = y.shape[1],
           .x = {padded, int64_t{conv.stride} * conv.in},
           .y = y.as_rows(int64_t{b} * y.shape[1]),
           .bias = conv.frames.bias.data(),
           .gelu = true,
           .residual = inputs.size() == 2 ? inputs[1].as<float>() : nullptr},
          team);
    }
  }

  Work work(Operands /*inputs*/, Operands outputs) const override {
    return layer().frames.work(outputs[0].rows());
  }
};

}  // namespace

std::shared_ptr<const NormLayer> make_norm_layer(std::shared_ptr<Cpu> cpu,
                                                 const NormParameters& layer) {
  return std::make_shared<const NormLayer>(NormLayer{{std::move(cpu)}, make_norm(layer)});
}

std::shared_ptr<const Mlp> make_mlp(std::shared_ptr<Cpu> cpu, const MlpParameters& layer) {
  return std::make_shared<const Mlp>(Mlp{{cpu},
                                         make_norm(layer.norm),
                                         make_linear(*cpu, {&layer.up, 1}, layer.rows),
                                         make_linear(*cpu, {&layer.down, 1}, layer.rows)});
}

std::shared_ptr<const Conv> make_conv(std::shared_ptr<Cpu> cpu, const ConvParameters& layer) {
  const mx::Shape& shape = layer.weight.shape;
  LinearParameters frames{layer.weight, layer.bias};
  frames.weight.shape = {shape[0], shape[1] * shape[2]};
  return std::make_shared<const Conv>(
      Conv{{cpu},
           make_linear(*cpu, {&frames, 1}, kernels::RowsPerCall::Many),
           shape[2],
           shape[1],
           layer.stride,
           layer.padding});
}

mx::array norm(const mx::array& x, const std::shared_ptr<const NormLayer>& layer) {
  return make<NormNode>(x.shape(), mx::float32, {x}, layer);
}

mx::array mlp(const mx::array& x, const std::shared_ptr<const Mlp>& layer) {
  return make<MlpNode>(x.shape(), mx::float32, {x}, layer);
}

mx::array conv_gelu(const mx::array& x, const std::shared_ptr<const Conv>& layer,
                    const mx::array* positions) {
  const int length = (x.shape(1) + 2 * layer->padding - layer->kernel) / layer->stride + 1;
  std::vector<mx::array> inputs{x};
  if (positions != nullptr) inputs.push_back(*positions);
  return make<ConvNode>({x.shape(0), length, layer->frames.weights.out()}, mx::float32,
                        std::move(inputs), layer);
}

}  // namespace whinchat::ops::fast
