#include "ops/fast/logits.h"

#include <mlx/array.h>
#include <mlx/dtype.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/error.h"
#include "kernels/choose.h"
#include "kernels/element.h"
#include "kernels/layer_norm.h"
#include "kernels/product.h"
#include "kernels/team.h"
#include "ops/choose.h"
#include "ops/fast/cpu.h"
#include "ops/fast/layer_node.h"
#include "ops/fast/layers.h"
#include "ops/fast/primitive.h"
#include "ops/logits.h"
#include "ops/parameter.h"
#include "ops/profile.h"

namespace whinchat::ops::fast {
namespace {

class Embed : public LayerNode<Vocabulary> {
 public:
  Embed(std::shared_ptr<const Vocabulary> layer, int offset)
      : LayerNode(std::move(layer)), offset_(offset) {}
  const char* name() const override { return "embed"; }

 protected:
  void run(Operands inputs, Operands outputs, kernels::Team& /*team*/) const override {
    const Operand& tokens = inputs[0];
    const Operand& y = outputs[0];
    const int length = tokens.shape[1];
    for (int64_t i = 0; i < y.rows(); ++i) {
      const int32_t token = tokens.as<int32_t>()[i / length * tokens.stride + i % length];
      if (token < 0 || token >= layer().embedding.weights.out()) {
        base::fail(ErrorKind::Internal, "[ops.embed] expected tokens below {}, got {}",
                   layer().embedding.weights.out(), token);
      }
      float* row = y.as<float>() + i * y.stride;
      layer().embedding.weights.copy_row(token, row);
      const float* position =
          layer().positions.data() + (offset_ + i % length) * int64_t{y.width()};
      for (int c = 0; c < y.width(); ++c) row[c] += position[c];
    }
  }

 private:
  int offset_;
};

// Rows of x → rows of logits.
void multiply(const Vocabulary& layer, int64_t rows, kernels::ConstRows x, float* logits,
              kernels::Team& team) {
  const kernels::LayerNorm norm = layer.norm.kernel();
  layer.embedding.weights.multiply(
      {.rows = rows, .x = x, .y = {logits, layer.embedding.weights.out()}, .norm = &norm}, team);
}

class NormLogits : public LayerNode<Vocabulary> {
 public:
  using LayerNode::LayerNode;
  const char* name() const override { return "norm_logits"; }

 protected:
  void run(Operands inputs, Operands outputs, kernels::Team& team) const override {
    multiply(layer(), inputs[0].rows(), inputs[0].as_rows(), outputs[0].as<float>(), team);
  }

  Work work(Operands inputs, Operands /*outputs*/) const override {
    return layer().embedding.work(inputs[0].rows());
  }
};

// The logits of one position of every row of x [B, T, C], in scratch memory.
class AtPosition : public LayerNode<Vocabulary> {
 public:
  AtPosition(std::shared_ptr<const Vocabulary> layer, int position)
      : LayerNode(std::move(layer)), position_(position) {}

 protected:
  void run(Operands inputs, Operands outputs, kernels::Team& team) const override {
    const Operand& x = inputs[0];
    const auto vocabulary = static_cast<size_t>(layer().embedding.weights.out());
    const int batch = x.shape[0];
    const kernels::Arena::Scope scope(team.arena());
    auto* logits = team.arena().take<float>(static_cast<size_t>(batch) * vocabulary);
    kernels::Rows rows = x.as_rows(position_);
    rows.stride = x.stride * x.shape[1];
    multiply(layer(), batch, rows, logits, team);
    team.each(batch, [&](int64_t row, int /*thread*/) {
      finish({logits + static_cast<size_t>(row) * vocabulary, vocabulary}, row, outputs);
    });
  }

  Work work(Operands inputs, Operands /*outputs*/) const override {
    return layer().embedding.work(inputs[0].shape[0]);
  }

  virtual void finish(std::span<float> logits, int64_t row, Operands outputs) const = 0;

 private:
  int position_;
};

// The masks of a node, which outlives those that it was made with.
class KeptMasks {
 public:
  explicit KeptMasks(LogitMasks masks) {
    for (const LogitMask& mask : masks) {
      rows_.push_back({mask, {mask.suppressed.begin(), mask.suppressed.end()}});
    }
  }

  void apply(int64_t row, std::span<float> logits) const {
    const Row& mask = rows_.size() == 1 ? rows_.front() : rows_.at(static_cast<size_t>(row));
    const LogitMask& rest = mask.rest;
    kernels::apply_filters({.suppressed = mask.suppressed,
                            .forbidden = rest.forbidden,
                            .timestamp_begin = rest.timestamp_begin,
                            .repetition = {rest.repeated, rest.repetition_penalty}},
                           logits);
  }

 private:
  struct Row {
    LogitMask rest;  // whose span of suppressed tokens is not to be used
    std::vector<int32_t> suppressed;
  };
  std::vector<Row> rows_;
};

// Of a position's logits, what the masks leave.
class Masked : public AtPosition {
 public:
  Masked(std::shared_ptr<const Vocabulary> layer, int position, LogitMasks masks)
      : AtPosition(std::move(layer), position), masks_(masks) {}

 protected:
  void finish(std::span<float> logits, int64_t row, Operands outputs) const final {
    masks_.apply(row, logits);
    choose(logits, row, outputs);
  }

  virtual void choose(std::span<const float> logits, int64_t row, Operands outputs) const = 0;

 private:
  KeptMasks masks_;
};

class ChooseGreedy : public Masked {
 public:
  using Masked::Masked;
  const char* name() const override { return "logits_choose"; }

 protected:
  void choose(std::span<const float> logits, int64_t row, Operands outputs) const override {
    const kernels::Chosen chosen = kernels::choose_likeliest(logits);
    outputs[0].as<int32_t>()[row] = chosen.token;
    outputs[1].as<float>()[row] = chosen.logprob;
  }
};

class ChooseTopK : public Masked {
 public:
  using Masked::Masked;
  const char* name() const override { return "logits_top_k"; }

 protected:
  void choose(std::span<const float> logits, int64_t row, Operands outputs) const override {
    std::vector<kernels::Chosen> best(static_cast<size_t>(outputs[0].width()));
    kernels::choose_top_k(logits, best);
    for (size_t i = 0; i < best.size(); ++i) {
      const auto at = row * static_cast<int64_t>(best.size()) + static_cast<int64_t>(i);
      outputs[0].as<int32_t>()[at] = best[i].token;
      outputs[1].as<float>()[at] = best[i].logprob;
    }
  }
};

class FilteredLogprobs : public Masked {
 public:
  using Masked::Masked;
  const char* name() const override { return "logits_filter"; }

 protected:
  void choose(std::span<const float> logits, int64_t row, Operands outputs) const override {
    const float sum = kernels::log_sum_exp(logits);
    float* logprobs = outputs[0].as<float>() + row * static_cast<int64_t>(logits.size());
    for (size_t i = 0; i < logits.size(); ++i) logprobs[i] = logits[i] - sum;
  }
};

class ProbabilityOf : public AtPosition {
 public:
  ProbabilityOf(std::shared_ptr<const Vocabulary> layer, int position, int32_t token)
      : AtPosition(std::move(layer), position), token_(token) {}
  const char* name() const override { return "logits_probability"; }

 protected:
  void finish(std::span<float> logits, int64_t row, Operands outputs) const override {
    outputs[0].as<float>()[row] =
        std::exp(logits[static_cast<size_t>(token_)] - kernels::log_sum_exp(logits));
  }

 private:
  int32_t token_;
};

// Probabilities of tokens that are known, a position each, with the logits of a few positions at a
// time in scratch memory.
class ProbabilitiesOf : public LayerNode<Vocabulary> {
 public:
  ProbabilitiesOf(std::shared_ptr<const Vocabulary> layer, int first,
                  std::span<const int32_t> tokens, int32_t end)
      : LayerNode(std::move(layer)),
        first_(first),
        tokens_(tokens.begin(), tokens.end()),
        end_(static_cast<size_t>(end)) {}
  const char* name() const override { return "logits_probabilities"; }

 protected:
  void run(Operands inputs, Operands outputs, kernels::Team& team) const override {
    constexpr size_t kPositions = 32;
    const auto vocabulary = static_cast<size_t>(layer().embedding.weights.out());
    const kernels::Arena::Scope scope(team.arena());
    auto* logits = team.arena().take<float>(std::min(kPositions, tokens_.size()) * vocabulary);
    for (size_t begin = 0; begin < tokens_.size(); begin += kPositions) {
      const size_t count = std::min(kPositions, tokens_.size() - begin);
      multiply(layer(), static_cast<int64_t>(count),
               inputs[0].as_rows(first_ + static_cast<int64_t>(begin)), logits, team);
      team.each(static_cast<int64_t>(count), [&](int64_t position, int /*thread*/) {
        const auto at = static_cast<size_t>(position);
        const std::span<const float> among(logits + at * vocabulary, end_);
        const auto token = static_cast<size_t>(tokens_[begin + at]);
        outputs[0].as<float>()[begin + at] = std::exp(among[token] - kernels::log_sum_exp(among));
      });
    }
  }

  Work work(Operands /*inputs*/, Operands /*outputs*/) const override {
    return layer().embedding.work(static_cast<int64_t>(tokens_.size()));
  }

 private:
  int first_;
  std::vector<int32_t> tokens_;
  size_t end_;
};

}  // namespace

std::shared_ptr<const Vocabulary> make_vocabulary(std::shared_ptr<Cpu> cpu,
                                                  const VocabularyParameters& layer) {
  const LinearParameters embedding{layer.embedding, std::nullopt};
  return std::make_shared<const Vocabulary>(
      Vocabulary{{cpu},
                 make_linear(*cpu, {&embedding, 1}, kernels::RowsPerCall::Few),
                 floats_of(layer.positions),
                 make_norm(layer.norm)});
}

mx::array embed(const mx::array& tokens, const std::shared_ptr<const Vocabulary>& layer,
                int offset) {
  return make<Embed>({tokens.shape(0), tokens.shape(1), layer->embedding.weights.in()}, mx::float32,
                     {tokens}, layer, offset);
}

mx::array values_of(const PendingLogits& logits) {
  const mx::array& x = logits.x;
  return make<NormLogits>({x.shape(0), x.shape(1), logits.vocabulary->embedding.weights.out()},
                          mx::float32, {x}, logits.vocabulary);
}

namespace {

template <typename Node>
Choice make_choice(const PendingLogits& logits, const mx::Shape& shape, int position,
                   LogitMasks masks) {
  std::vector<mx::array> chosen = mx::array::make_arrays(
      {shape, shape}, {mx::int32, mx::float32},
      std::make_shared<Node>(logits.vocabulary, position, masks), {logits.x});
  return {std::move(chosen[0]), std::move(chosen[1])};
}

}  // namespace

Choice choose_greedy(const PendingLogits& logits, int position, LogitMasks masks) {
  return make_choice<ChooseGreedy>(logits, {logits.x.shape(0)}, position, masks);
}

Choice choose_top_k(const PendingLogits& logits, int position, LogitMasks masks, int k) {
  return make_choice<ChooseTopK>(logits, {logits.x.shape(0), k}, position, masks);
}

mx::array filtered_logprobs(const PendingLogits& logits, int position, LogitMasks masks) {
  return make<FilteredLogprobs>({logits.x.shape(0), logits.vocabulary->embedding.weights.out()},
                                mx::float32, {logits.x}, logits.vocabulary, position, masks);
}

mx::array probability_of(const PendingLogits& logits, int position, int32_t token) {
  return make<ProbabilityOf>({logits.x.shape(0)}, mx::float32, {logits.x}, logits.vocabulary,
                             position, token);
}

mx::array probabilities_of(const PendingLogits& logits, int first, std::span<const int32_t> tokens,
                           int32_t end) {
  return make<ProbabilitiesOf>({static_cast<int>(tokens.size())}, mx::float32, {logits.x},
                               logits.vocabulary, first, tokens, end);
}

}  // namespace whinchat::ops::fast
