#include "models/whisper/decoder.h"

#include <mlx/array.h>
#include <mlx/ops.h>

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/mutation.h"
#include "models/whisper/dimensions.h"
#include "models/whisper/kv_cache.h"
#include "models/whisper/layers.h"
#include "models/whisper/trace.h"
#include "nn/load.h"
#include "ops/attention.h"
#include "ops/key_value.h"
#include "ops/layers.h"
#include "ops/logits.h"
#include "ops/mlp.h"
#include "ops/parameter.h"

namespace whinchat::models::whisper {
namespace {

namespace mx = mlx::core;

ops::CrossAttentionParameters load_cross_attention(nn::Source source, const std::string& scope,
                                                   const ModelDimensions& dims) {
  const int width = dims.n_text_state;
  return {.norm = nn::load_norm(source, scope + ".cross_attn_ln", width),
          .query = nn::load_linear(source, scope + ".cross_attn.query", width, width),
          .out = nn::load_linear(source, scope + ".cross_attn.out", width, width),
          .heads = dims.n_text_head};
}

ops::CrossKeyValue load_cross_kv(nn::Source source, const ModelDimensions& dims) {
  const int width = dims.n_text_state;
  std::vector<ops::KeyValueParameters> layers;
  for (int i = 0; i < dims.n_text_layer; ++i) {
    const std::string scope = "decoder.blocks." + std::to_string(i) + ".cross_attn";
    layers.push_back({nn::load_linear_without_bias(source, scope + ".key", width, width),
                      nn::load_linear(source, scope + ".value", width, width)});
  }
  return ops::make_cross_key_value(source.runtime, layers);
}

ops::Vocabulary load_vocabulary(nn::Source source, const ModelDimensions& dims) {
  const int width = dims.n_text_state;
  return ops::make_vocabulary(
      source.runtime,
      {nn::load_parameter(source, "decoder.token_embedding.weight", {dims.n_vocab, width}),
       nn::load_parameter(source, "decoder.positional_embedding", {dims.n_text_ctx, width}),
       nn::load_norm(source, "decoder.ln", width)});
}

}  // namespace

Decoder::Decoder(nn::Source source, const ModelDimensions& dims)
    : dims_(dims),
      vocabulary_(load_vocabulary(source, dims)),
      cross_kv_(load_cross_kv(source, dims)) {
  const int width = dims.n_text_state;
  for (int i = 0; i < dims.n_text_layer; ++i) {
    const std::string scope = "decoder.blocks." + std::to_string(i);
    ops::SelfAttentionParameters attn = load_self_attention(source, scope, width);
    attn.heads = dims.n_text_head;
    attn.context = dims.n_text_ctx;
    ops::MlpParameters mlp = load_mlp(source, scope, width);
    mlp.rows = ops::RowsPerCall::Few;
    blocks_.push_back(
        {ops::make_self_attention(source.runtime, attn),
         ops::make_cross_attention(source.runtime, load_cross_attention(source, scope, dims)),
         ops::make_mlp(source.runtime, mlp)});
  }
}

std::vector<ops::KeyValue> Decoder::cross(const mx::array& features) const {
  return ops::cross_kv(features, cross_kv_);
}

Decoder::Step Decoder::step(const mx::array& tokens, KvCache& cache,
                            const StepOptions& options) const {
  if (tokens.ndim() != 2 || cache.size() != blocks_.size() ||
      cache.offset() + tokens.shape(1) > dims_.n_text_ctx) {
    base::fail(ErrorKind::Internal,
               "[whisper.step] expected tokens [B, T] with {} + T ≤ {}, got [{}] over {} layers",
               cache.offset(), dims_.n_text_ctx, fmt::join(tokens.shape(), ", "), cache.size());
  }
  const auto shift = static_cast<int>(base::mutable_constant("decoder.position_shift", 0));
  mx::array x = ops::embed(tokens, vocabulary_, cache.offset() + shift);
  show(options.trace, "embedding", x);
  const bool is_prompt = tokens.shape(1) > 1;
  std::map<int, mx::array> cross_qk;
  for (size_t i = 0; i < blocks_.size(); ++i) {
    const Block& block = blocks_[i];
    KvCache::Layer& past = cache.layer(i);
    const mx::array self = ops::append_attend(ops::norm_qkv(x, block.attn), past.self, block.attn);
    x = ops::project_add(self, block.attn, x);

    const mx::array query = ops::norm_query(x, block.cross_attn);
    const bool want_qk = options.cross_qk_layers.contains(static_cast<int>(i));
    ops::Attended cross = ops::cross_attend(query, past.cross, block.cross_attn, want_qk);
    x = ops::project_add(cross.out, block.cross_attn, x);
    if (want_qk) cross_qk.emplace(static_cast<int>(i), std::move(cross.qk).value());

    x = ops::mlp(x, block.mlp);
    show(options.trace, "block" + std::to_string(i), x);
    if (is_prompt && ops::packed(block.mlp)) x.eval();  // as in the encoder
  }
  return {ops::norm_logits(x, vocabulary_), std::move(cross_qk)};
}

}  // namespace whinchat::models::whisper
