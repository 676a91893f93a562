#include "ops/fast/attention.h"

#include <mlx/array.h>
#include <mlx/dtype.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "kernels/attention.h"
#include "kernels/bf16.h"
#include "kernels/element.h"
#include "kernels/layer_norm.h"
#include "kernels/product.h"
#include "kernels/team.h"
#include "ops/attention.h"
#include "ops/fast/cpu.h"
#include "ops/fast/layer_node.h"
#include "ops/fast/layers.h"
#include "ops/fast/primitive.h"
#include "ops/key_value.h"
#include "ops/parameter.h"
#include "ops/profile.h"

namespace whinchat::ops::fast {
namespace {

// y = linear(norm(x)).
void project_normed(const Norm& norm, const Linear& linear, const Operand& x, const Operand& y,
                    kernels::Team& team) {
  const kernels::LayerNorm kernel = norm.kernel();
  linear.weights.multiply({.rows = x.rows(),
                           .x = x.as_rows(),
                           .y = y.as_rows(),
                           .norm = &kernel,
                           .bias = linear.bias.data()},
                          team);
}

// x → query, key, value: three views of one [B · T, 3C].
class NormQkv : public LayerNode<SelfAttention> {
 public:
  using LayerNode::LayerNode;
  const char* name() const override { return "norm_qkv"; }

 protected:
  void allocate(const std::vector<mx::array>& inputs, std::vector<mx::array>& outputs) override {
    const mx::Shape& shape = inputs[0].shape();
    const int width = shape[2];
    mx::array all({shape[0], shape[1], 3 * width}, outputs[0].dtype(), nullptr, {});
    cpu().buffers().allocate(all);
    for (size_t i = 0; i < outputs.size(); ++i) {
      outputs[i].copy_shared_buffer(all, all.strides(), {false, false, false}, all.data_size(),
                                    static_cast<int64_t>(i) * width);
    }
  }

  void run(Operands inputs, Operands outputs, kernels::Team& team) const override {
    project_normed(layer().norm, layer().qkv, inputs[0], outputs[0], team);
  }

  Work work(Operands inputs, Operands /*outputs*/) const override {
    return layer().qkv.work(inputs[0].rows());
  }
};

// The queries of batch row b of q [B, T, C], and where their results go; keys and values are
// missing.
kernels::Attention queries_of(const Operand& q, const Operand& out, int heads, int b) {
  const int64_t row = int64_t{b} * q.shape[1];
  return {.queries = q.shape[1],
          .heads = heads,
          .head_size = q.width() / heads,
          .q = q.as_rows(row),
          .out = out.as_rows(row)};
}

// Of queries that see `seen` keys together, over `positions` of keys like those of `key`: scores
// and sums of values.
Work attention_work(int64_t seen, int64_t positions, const Operand& key) {
  const int64_t row_bytes = int64_t{key.width()} * mx::size_of(key.dtype);
  return {4 * seen * key.width(), 2 * positions * row_bytes};
}

class Attend : public LayerNode<SelfAttention> {
 public:
  using LayerNode::LayerNode;
  const char* name() const override { return "attend"; }

 protected:
  void run(Operands inputs, Operands outputs, kernels::Team& team) const override {
    const int64_t length = inputs[0].shape[1];
    for (int b = 0; b < inputs[0].shape[0]; ++b) {
      kernels::Attention call = queries_of(inputs[0], outputs[0], layer().heads, b);
      call.keys = call.queries;
      call.k = inputs[1].as_rows(b * length);
      call.v = inputs[2].as_rows(b * length);
      kernels::attend(call, team);
    }
  }

  Work work(Operands inputs, Operands /*outputs*/) const override {
    const int64_t rows = inputs[0].rows();
    return attention_work(rows * inputs[0].shape[1], rows, inputs[1]);
  }
};

// Key and value [B, T, C] of new positions into the cache [2, B, context, C], whose rows take a new
// order before.
class Append : public LayerNode<SelfAttention> {
 public:
  Append(SelfPtr layer, int offset, RowOrder order)
      : LayerNode(std::move(layer)), offset_(offset), order_(std::move(order)) {}
  const char* name() const override { return "append"; }

 protected:
  void allocate(const std::vector<mx::array>& inputs, std::vector<mx::array>& outputs) override {
    const bool has_rows = inputs.size() == 3 && inputs[2].shape() == outputs[0].shape();
    if (!has_rows) return allocate_donatable(outputs[0]);
    Cpu::Appends& appends = cpu().appends();
    ++(allocate_over(inputs[2], outputs[0]) ? appends.in_place : appends.copied);
  }

  void run(Operands inputs, Operands outputs, kernels::Team& team) const override {
    const Operand& cache = outputs[0];
    if (inputs.size() == 3) {
      if (inputs[2].data == cache.data) {
        move_rows(cache, team.arena());
      } else {
        copy_rows(inputs[2], cache);
      }
    }
    for (int part = 0; part < 2; ++part) {
      const Operand& fresh = inputs[static_cast<size_t>(part)];
      const int length = fresh.shape[1];
      for (int64_t row = 0; row < fresh.rows(); ++row) {
        std::memcpy(at(cache, part, row / length, offset_ + row % length),
                    fresh.as<float>() + row * fresh.stride, bytes(cache, 1));
      }
    }
  }

 private:
  static float* at(const Operand& cache, int part, int64_t row, int64_t position) {
    const int64_t rows = cache.shape[1];
    const int64_t context = cache.shape[2];
    return cache.as<float>() + ((part * rows + row) * context + position) * cache.width();
  }

  static size_t bytes(const Operand& cache, int positions) {
    return static_cast<size_t>(positions) * static_cast<size_t>(cache.width()) * sizeof(float);
  }

  void copy_rows(const Operand& from, const Operand& to) const {
    for (int part = 0; part < 2; ++part) {
      for (int row = 0; row < to.shape[1]; ++row) {
        const int origin = order_.rows.empty() ? row : order_.rows[static_cast<size_t>(row)];
        std::memcpy(at(to, part, row, 0), at(from, part, origin, 0), bytes(to, offset_));
      }
    }
  }

  // Only what rows do not share with their origins, all of it read before any of it is written.
  void move_rows(const Operand& cache, kernels::Arena& arena) const {
    struct Move {
      const float* from;
      float *staged, *to;
      size_t bytes;
    };
    const kernels::Arena::Scope scope(arena);
    std::vector<Move> moves;
    for (size_t i = 0; i < order_.rows.size(); ++i) {
      const int begin = order_.shared[i];
      const size_t size = bytes(cache, offset_ - begin);
      if (size == 0) continue;
      for (int part = 0; part < 2; ++part) {
        moves.push_back({at(cache, part, order_.rows[i], begin),
                         arena.take<float>(size / sizeof(float)),
                         at(cache, part, static_cast<int64_t>(i), begin), size});
      }
    }
    for (const Move& move : moves) std::memcpy(move.staged, move.from, move.bytes);
    for (const Move& move : moves) std::memcpy(move.to, move.staged, move.bytes);
  }

  int offset_;  // positions in the cache before these
  RowOrder order_;
};

// Query [B, T, C] over the cache, the last query being its last position.
class AttendPast : public LayerNode<SelfAttention> {
 public:
  AttendPast(SelfPtr layer, int length) : LayerNode(std::move(layer)), length_(length) {}
  const char* name() const override { return "attend_past"; }

 protected:
  void run(Operands inputs, Operands outputs, kernels::Team& team) const override {
    const Operand& query = inputs[0];
    const Operand& cache = inputs[1];
    const int batch = query.shape[0];
    const int64_t context = cache.shape[2];
    for (int b = 0; b < batch; ++b) {
      kernels::Attention call = queries_of(query, outputs[0], layer().heads, b);
      call.keys = length_;
      call.k = cache.as_rows(b * context);
      call.v = cache.as_rows((batch + b) * context);
      call.first_position = length_ - call.queries;
      kernels::attend(call, team);
    }
  }

  // A query sees what is before it, and itself.
  Work work(Operands inputs, Operands /*outputs*/) const override {
    const int64_t batch = inputs[0].shape[0];
    const int64_t queries = inputs[0].shape[1];
    const int64_t seen = queries * (length_ - queries) + queries * (queries + 1) / 2;
    return attention_work(batch * seen, batch * length_, inputs[1]);
  }

 private:
  int length_;  // positions in the cache
};

class NormQuery : public LayerNode<CrossAttention> {
 public:
  using LayerNode::LayerNode;
  const char* name() const override { return "norm_query"; }

 protected:
  void run(Operands inputs, Operands outputs, kernels::Team& team) const override {
    project_normed(layer().norm, layer().query, inputs[0], outputs[0], team);
  }

  Work work(Operands inputs, Operands /*outputs*/) const override {
    return layer().query.work(inputs[0].rows());
  }
};

// One window's features → key and value of every decoder layer.
class CrossKv : public LayerNode<CrossKeyValue> {
 public:
  using LayerNode::LayerNode;
  const char* name() const override { return "cross_kv"; }

 protected:
  void run(Operands inputs, Operands outputs, kernels::Team& team) const override {
    const kernels::Arena::Scope scope(team.arena());
    kernels::ConstRows features = inputs[0].as_rows();
    // Once for all, where every product would round them anew.
    if (layer().layers[0].weights.input_type() == kernels::Element::BF16) {
      features = kernels::round_rows(inputs[0].rows(), inputs[0].width(), features, team);
    }
    for (size_t i = 0; i < outputs.size(); ++i) {
      const Linear& linear = layer().layers[i];
      linear.weights.multiply({.rows = inputs[0].rows(),
                               .x = features,
                               .y = outputs[i].as_rows(),
                               .bias = linear.bias.data()},
                              team);
    }
  }

  Work work(Operands inputs, Operands /*outputs*/) const override {
    Work sum;
    for (const Linear& linear : layer().layers) sum = sum + linear.work(inputs[0].rows());
    return sum;
  }
};

class CrossAttend : public LayerNode<CrossAttention> {
 public:
  using LayerNode::LayerNode;
  const char* name() const override { return "cross_attend"; }

 protected:
  void run(Operands inputs, Operands outputs, kernels::Team& team) const override {
    const Operand& query = inputs[0];
    const Operand& key = inputs[1];
    const bool wants_qk = outputs.size() == 2;
    const bool shares_keys = key.shape[0] == 1;
    const int batch = query.shape[0];
    const int64_t keys = key.shape[1];
    const auto attend_row = [&](int b, int queries) {
      kernels::Attention call = queries_of(query, outputs[0], layer().heads, b);
      call.queries = queries;
      call.keys = key.shape[1];
      call.k = key.as_rows(shares_keys ? 0 : b * keys);
      call.v = inputs[2].as_rows(shares_keys ? 0 : b * keys);
      if (wants_qk) call.scores = outputs[1].as<float>() + int64_t{b} * call.heads * queries * keys;
      kernels::attend(call, team);
    };
    // Beams that share their keys are as many queries; their scores lie apart.
    if (shares_keys && !wants_qk) return attend_row(0, batch * query.shape[1]);
    for (int b = 0; b < batch; ++b) attend_row(b, query.shape[1]);
  }

  Work work(Operands inputs, Operands /*outputs*/) const override {
    const Operand& key = inputs[1];
    return attention_work(inputs[0].rows() * key.shape[1], key.rows(), key);
  }
};

// attended, residual → residual + out(attended).
template <typename L>
class ProjectAdd : public LayerNode<L> {
 public:
  using LayerNode<L>::LayerNode;
  const char* name() const override { return "project_add"; }

 protected:
  void allocate(const std::vector<mx::array>& inputs, std::vector<mx::array>& outputs) override {
    this->allocate_over(inputs[1], outputs[0]);
  }

  void run(Operands inputs, Operands outputs, kernels::Team& team) const override {
    const Linear& out = this->layer().out;
    out.weights.multiply({.rows = inputs[0].rows(),
                          .x = inputs[0].as_rows(),
                          .y = outputs[0].as_rows(),
                          .bias = out.bias.data(),
                          .residual = inputs[1].as<float>()},
                         team);
  }

  Work work(Operands inputs, Operands /*outputs*/) const override {
    return this->layer().out.work(inputs[0].rows());
  }
};

template <typename L>
mx::array make_project_add(const mx::array& attended, const std::shared_ptr<const L>& layer,
                           const mx::array& residual) {
  return make<ProjectAdd<L>>(residual.shape(), mx::float32, {attended, residual}, layer);
}

}  // namespace

std::shared_ptr<const SelfAttention> make_self_attention(std::shared_ptr<Cpu> cpu,
                                                         const SelfAttentionParameters& layer) {
  // A causal layer belongs to a decoder, which mostly meets a row a beam.
  const auto rows = layer.context > 0 ? kernels::RowsPerCall::Few : kernels::RowsPerCall::Many;
  const std::array qkv{layer.query, layer.key, layer.value};
  return std::make_shared<const SelfAttention>(
      SelfAttention{{cpu},
                    make_norm(layer.norm),
                    make_linear(*cpu, qkv, rows),
                    make_linear(*cpu, {&layer.out, 1}, rows),
                    layer.heads,
                    layer.context});
}

std::shared_ptr<const CrossAttention> make_cross_attention(std::shared_ptr<Cpu> cpu,
                                                           const CrossAttentionParameters& layer) {
  constexpr auto kRows = kernels::RowsPerCall::Few;
  return std::make_shared<const CrossAttention>(
      CrossAttention{{cpu},
                     make_norm(layer.norm),
                     make_linear(*cpu, {&layer.query, 1}, kRows),
                     make_linear(*cpu, {&layer.out, 1}, kRows),
                     layer.heads});
}

std::shared_ptr<const CrossKeyValue> make_cross_key_value(
    std::shared_ptr<Cpu> cpu, std::span<const KeyValueParameters> layers) {
  CrossKeyValue packed{{cpu}, {}};
  for (const KeyValueParameters& layer : layers) {
    for (const LinearParameters* part : {&layer.key, &layer.value}) {
      packed.layers.push_back(make_linear(*cpu, {part, 1}, kernels::RowsPerCall::Many));
    }
  }
  return std::make_shared<const CrossKeyValue>(std::move(packed));
}

Qkv norm_qkv(const mx::array& x, const SelfPtr& layer) {
  const mx::Dtype type = layer->qkv.activation();
  std::vector<mx::array> qkv = mx::array::make_arrays(
      {x.shape(), x.shape(), x.shape()}, {type, type, type}, std::make_shared<NormQkv>(layer), {x});
  return {std::move(qkv[0]), {std::move(qkv[1]), std::move(qkv[2])}};
}

mx::array attend(const Qkv& qkv, const SelfPtr& layer) {
  return make<Attend>(qkv.query.shape(), qkv.query.dtype(), {qkv.query, qkv.kv.key, qkv.kv.value},
                      layer);
}

mx::array append_attend(Qkv qkv, PastKeyValue& past, const SelfPtr& layer) {
  const mx::Shape& shape = qkv.query.shape();
  std::vector<mx::array> inputs{std::move(qkv.kv.key), std::move(qkv.kv.value)};
  // Moved, so that nobody else holds the memory and it may be written in place.
  if (!past.arrays.empty()) inputs.push_back(std::move(past.arrays[0]));
  past.arrays = {make<Append>({2, shape[0], layer->context, shape[2]}, mx::float32,
                              std::move(inputs), layer, past.length,
                              std::exchange(past.order, {}))};
  past.length += shape[1];
  return make<AttendPast>(shape, mx::float32, {std::move(qkv.query), past.arrays[0]}, layer,
                          past.length);
}

mx::array norm_query(const mx::array& x, const CrossPtr& layer) {
  return make<NormQuery>(x.shape(), mx::float32, {x}, layer);
}

std::vector<KeyValue> cross_kv(const mx::array& features,
                               const std::shared_ptr<const CrossKeyValue>& layers) {
  const size_t count = layers->layers.size();
  const std::vector<mx::array> arrays =
      mx::array::make_arrays(std::vector<mx::Shape>(count, features.shape()),
                             std::vector<mx::Dtype>(count, layers->layers[0].activation()),
                             std::make_shared<CrossKv>(layers), {features});
  std::vector<KeyValue> result;
  result.reserve(count / 2);
  for (size_t i = 0; i < count; i += 2) result.push_back({arrays[i], arrays[i + 1]});
  return result;
}

Attended cross_attend(const mx::array& query, const KeyValue& kv, const CrossPtr& layer,
                      bool want_qk) {
  const mx::Shape& shape = query.shape();
  const std::vector<mx::array> inputs{query, kv.key, kv.value};
  if (!want_qk) return {make<CrossAttend>(shape, mx::float32, inputs, layer), std::nullopt};
  const std::vector<mx::array> outputs = mx::array::make_arrays(
      {shape, {shape[0], layer->heads, shape[1], kv.key.shape(1)}}, {mx::float32, mx::float32},
      std::make_shared<CrossAttend>(layer), inputs);
  return {outputs[0], outputs[1]};
}

mx::array project_add(const mx::array& attended, const SelfPtr& layer, const mx::array& residual) {
  return make_project_add(attended, layer, residual);
}

mx::array project_add(const mx::array& attended, const CrossPtr& layer, const mx::array& residual) {
  return make_project_add(attended, layer, residual);
}

}  // namespace whinchat::ops::fast
