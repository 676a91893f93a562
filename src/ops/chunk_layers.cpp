#include "ops/chunk_layers.h"

#include <mlx/array.h>
#include <mlx/dtype.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/error.h"
#include "kernels/element.h"
#include "kernels/lstm.h"
#include "kernels/pointwise.h"
#include "kernels/product.h"
#include "kernels/team.h"
#include "ops/fast/cpu.h"
#include "ops/fast/layer_node.h"
#include "ops/fast/layers.h"
#include "ops/fast/primitive.h"
#include "ops/parameter.h"
#include "ops/profile.h"
#include "ops/runtime.h"

namespace whinchat::ops {

struct ChunkSpectrum : fast::Layer {
  fast::Linear basis;
  ChunkFrames shape;

  int frame() const { return basis.weights.in(); }
  int bins() const { return basis.weights.out() / 2; }
  int heard() const { return shape.context + shape.chunk; }  // samples
  int frames() const { return (heard() + shape.reflected - frame()) / shape.hop + 1; }
};

struct ChunkConv : fast::Layer {
  fast::Linear taps;  // [out, 3 · in]: a convolution is a product with overlapping rows
  int stride;

  int in() const { return taps.weights.in() / kTaps; }
  int frames(int of_input) const { return (of_input - 1) / stride + 1; }
  static constexpr int kTaps = 3;
};

struct Lstm : fast::Layer {
  fast::Linear input;
  kernels::Lstm cell;
};

namespace {

using fast::Operand;
using fast::Operands;

// Chunks that a thread takes at a time.
constexpr int64_t kGrain = 16;

const std::shared_ptr<fast::Cpu>& cpu_of(const Runtime& runtime) {
  if (!runtime.cpu || runtime.cpu->precision(RowsPerCall::Many) != kernels::Precision::F32) {
    base::fail(ErrorKind::Internal, "[ops.chunk_layers] expected a CPU's fast path in f32");
  }
  return runtime.cpu;
}

// The rows before and behind the frames of chunk n.
void clear_padding(const Operand& out, int64_t n) {
  const int64_t width = out.width();
  float* first = out.as<float>() + n * out.shape[1] * width;
  std::fill_n(first, width, 0.0F);
  std::fill_n(first + (out.shape[1] - 1) * width, width, 0.0F);
}

class SpectrumNode : public fast::LayerNode<ChunkSpectrum> {
 public:
  using LayerNode::LayerNode;
  const char* name() const override { return "chunk_spectrum"; }

 protected:
  void run(Operands inputs, Operands outputs, kernels::Team& team) const override {
    const auto* signal = inputs[0].as<float>();
    const Operand& out = outputs[0];
    const int64_t chunks = out.shape[0];
    const int64_t frames = layer().frames();
    const int64_t bins = layer().bins();
    const kernels::Arena::Scope scope(team.arena());
    auto* parts = team.arena().take<float>(static_cast<size_t>(chunks * frames * 2 * bins));
    for (int64_t t = 0; t < frames; ++t) {
      layer().basis.weights.multiply({.rows = chunks,
                                      .x = frames_at(signal, t, chunks, team.arena()),
                                      .y = {parts + t * 2 * bins, frames * 2 * bins}},
                                     team);
    }
    team.split(chunks, kGrain, [&](int64_t begin, int64_t end, int /*thread*/) {
      for (int64_t n = begin; n < end; ++n) {
        clear_padding(out, n);
        for (int64_t t = 0; t < frames; ++t) {
          const float* part = parts + (n * frames + t) * 2 * bins;
          kernels::magnitudes(part, part + bins, bins,
                              out.as<float>() + (n * (frames + 2) + 1 + t) * bins);
        }
      }
    });
  }

  Work work(Operands /*inputs*/, Operands outputs) const override {
    return layer().basis.work(int64_t{outputs[0].shape[0]} * layer().frames());
  }

 private:
  // Frame t of every chunk: in the signal, or copied where a part of it is mirrored.
  kernels::ConstRows frames_at(const float* signal, int64_t t, int64_t chunks,
                               kernels::Arena& arena) const {
    const int64_t begin = t * layer().shape.hop;
    const int64_t frame = layer().frame();
    const int64_t known = layer().heard() - begin;
    if (known >= frame) return {signal + begin, layer().shape.chunk};
    auto* mirrored = arena.take<float>(static_cast<size_t>(chunks * frame));
    for (int64_t n = 0; n < chunks; ++n) {
      const float* from = signal + n * layer().shape.chunk + begin;
      float* to = std::copy_n(from, known, mirrored + n * frame);
      std::reverse_copy(from + 2 * known - 1 - frame, from + known - 1, to);
    }
    return {mirrored, frame};
  }
};

class ConvNode : public fast::LayerNode<ChunkConv> {
 public:
  using LayerNode::LayerNode;
  const char* name() const override { return "chunk_conv_relu"; }

 protected:
  void run(Operands inputs, Operands outputs, kernels::Team& team) const override {
    const Operand& x = inputs[0];
    const Operand& out = outputs[0];
    const int64_t chunks = out.shape[0];
    const int64_t frames = out.shape[1] - 2;
    const int64_t in = x.width();
    const int64_t width = out.width();
    for (int64_t t = 0; t < frames; ++t) {
      layer().taps.weights.multiply(
          {.rows = chunks,
           .x = {x.as<float>() + t * layer().stride * in, x.shape[1] * in},
           .y = {out.as<float>() + (1 + t) * width, out.shape[1] * width},
           .bias = layer().taps.bias.data()},
          team);
    }
    team.split(chunks, kGrain, [&](int64_t begin, int64_t end, int /*thread*/) {
      for (int64_t n = begin; n < end; ++n) {
        clear_padding(out, n);
        kernels::relu({out.as<float>() + (n * out.shape[1] + 1) * width,
                       static_cast<size_t>(frames * width)});
      }
    });
  }

  Work work(Operands /*inputs*/, Operands outputs) const override {
    return layer().taps.work(int64_t{outputs[0].shape[0]} * (outputs[0].shape[1] - 2));
  }
};

// x, h, c → every h, the last c.
class LstmNode : public fast::LayerNode<Lstm> {
 public:
  using LayerNode::LayerNode;
  const char* name() const override { return "lstm"; }

 protected:
  void run(Operands inputs, Operands outputs, kernels::Team& team) const override {
    const int64_t steps = outputs[0].rows();
    const int width = layer().cell.width();
    const kernels::Arena::Scope scope(team.arena());
    auto* gates = team.arena().take<float>(static_cast<size_t>(steps * 4 * width));
    auto* h = team.arena().take<float>(static_cast<size_t>(width));
    layer().input.weights.multiply({.rows = steps,
                                    .x = inputs[0].as_rows(),
                                    .y = {gates, int64_t{4} * width},
                                    .bias = layer().input.bias.data()},
                                   team);
    std::copy_n(inputs[1].as<float>(), width, h);
    std::copy_n(inputs[2].as<float>(), width, outputs[1].as<float>());
    layer().cell.run(gates, steps, {h, outputs[1].as<float>()}, outputs[0].as<float>(),
                     team.arena());
  }

  Work work(Operands /*inputs*/, Operands outputs) const override {
    const int64_t steps = outputs[0].rows();
    const int64_t width = layer().cell.width();
    return layer().input.work(steps) + Work{steps * 8 * width * width, 16 * width * width};
  }
};

}  // namespace

ChunkSpectrumPtr make_chunk_spectrum(const Runtime& runtime, const Parameter& basis,
                                     const ChunkFrames& frames) {
  const std::shared_ptr<fast::Cpu>& cpu = cpu_of(runtime);
  const LinearParameters linear{basis, std::nullopt};
  return std::make_shared<const ChunkSpectrum>(
      ChunkSpectrum{{cpu}, fast::make_linear(*cpu, {&linear, 1}, RowsPerCall::Many), frames});
}

ChunkConvPtr make_chunk_conv(const Runtime& runtime, const LinearParameters& taps, int stride) {
  const std::shared_ptr<fast::Cpu>& cpu = cpu_of(runtime);
  LinearParameters flat = taps;
  flat.weight.shape = {taps.weight.shape[0], taps.weight.shape[1] * taps.weight.shape[2]};
  return std::make_shared<const ChunkConv>(
      ChunkConv{{cpu}, fast::make_linear(*cpu, {&flat, 1}, RowsPerCall::Many), stride});
}

LstmPtr make_lstm(const Runtime& runtime, const LstmParameters& layer) {
  const std::shared_ptr<fast::Cpu>& cpu = cpu_of(runtime);
  fast::Linear input = fast::make_linear(*cpu, {&layer.input, 1}, RowsPerCall::Many);
  if (layer.hidden.bias) {
    const std::vector<float> bias = fast::floats_of(*layer.hidden.bias);
    std::ranges::transform(bias, input.bias, input.bias.begin(), std::plus());
  }
  kernels::Lstm cell(layer.hidden.weight.shape[1], fast::floats_of(layer.hidden.weight));
  return std::make_shared<const Lstm>(Lstm{{cpu}, std::move(input), std::move(cell)});
}

mx::array spectrum(const mx::array& signal, const ChunkSpectrumPtr& layer) {
  const int chunks = (signal.shape(0) - layer->shape.context) / layer->shape.chunk;
  return fast::make<SpectrumNode>({chunks, layer->frames() + 2, layer->bins()}, mx::float32,
                                  {signal}, layer);
}

mx::array conv_relu(const mx::array& x, const ChunkConvPtr& layer) {
  const int frames = layer->frames(x.shape(1) - 2);
  return fast::make<ConvNode>({x.shape(0), frames + 2, layer->taps.weights.out()}, mx::float32, {x},
                              layer);
}

LstmOutput lstm(const mx::array& x, const mx::array& h, const mx::array& c, const LstmPtr& layer) {
  const int width = layer->cell.width();
  std::vector<mx::array> outputs =
      mx::array::make_arrays({{x.shape(0), width}, {width}}, {mx::float32, mx::float32},
                             std::make_shared<LstmNode>(layer), {x, h, c});
  return {std::move(outputs[0]), std::move(outputs[1])};
}

}  // namespace whinchat::ops
