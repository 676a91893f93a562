#include "models/whisper/decoder.h"

#include <mlx/array.h>
#include <mlx/ops.h>

#include <cstddef>
#include <limits>
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
#include "ops/mlp.h"

namespace whinchat::models::whisper {
namespace {

namespace mx = mlx::core;

// The oracle's mask: the lowest finite f32 above the diagonal, −∞ once cast to f16.
mx::array causal_mask(int length, mx::Dtype dtype) {
  const mx::array positions = mx::arange(length);
  const mx::array later = mx::less(mx::reshape(positions, {length, 1}), positions);
  const mx::array lowest(std::numeric_limits<float>::lowest());
  return mx::astype(mx::multiply(mx::astype(later, mx::float32), lowest), dtype);
}

}  // namespace

Decoder::Decoder(nn::Source source, const ModelDimensions& dims)
    : dims_(dims),
      embedding_(nn::load_array(source, "decoder.token_embedding.weight",
                                {dims.n_vocab, dims.n_text_state})),
      positions_(nn::load_array(source, "decoder.positional_embedding",
                                {dims.n_text_ctx, dims.n_text_state})),
      mask_(causal_mask(dims.n_text_ctx, source.dtype)),
      ln_(nn::load_norm(source, "decoder.ln", dims.n_text_state)) {
  const int width = dims.n_text_state;
  for (int i = 0; i < dims.n_text_layer; ++i) {
    const std::string scope = "decoder.blocks." + std::to_string(i);
    blocks_.push_back({nn::load_norm(source, scope + ".attn_ln", width),
                       load_attention(source, scope + ".attn", width),
                       nn::load_norm(source, scope + ".cross_attn_ln", width),
                       load_attention(source, scope + ".cross_attn", width),
                       load_mlp(source, scope, width)});
  }
}

std::vector<ops::KeyValue> Decoder::cross(const mx::array& features) const {
  std::vector<const ops::AttentionLayer*> layers;
  layers.reserve(blocks_.size());
  for (const Block& block : blocks_) layers.push_back(&block.cross_attn);
  return ops::cross_kv(features, layers);
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
  mx::array x = ops::embed(tokens, embedding_, positions_, cache.offset() + shift);
  show(options.trace, "embedding", x);
  std::vector<mx::array> cross_qk;
  for (size_t i = 0; i < blocks_.size(); ++i) {
    const Block& block = blocks_[i];
    KvCache::Layer& past = cache.layer(i);
    ops::Qkv qkv = ops::norm_qkv(x, block.attn_ln, block.attn);
    const ops::KeyValue& so_far = ops::append(past.self, std::move(qkv.kv));
    const ops::Attended self = ops::attend(qkv.query, so_far, dims_.n_text_head, &mask_);
    x = ops::project_add(self.out, block.attn.out, x);

    const mx::array query = ops::norm_query(x, block.cross_attn_ln, block.cross_attn);
    const ops::Attended cross = ops::attend(query, past.cross, dims_.n_text_head, nullptr);
    x = ops::project_add(cross.out, block.cross_attn.out, x);
    if (options.want_cross_qk) cross_qk.push_back(cross.qk);

    x = ops::mlp(x, block.mlp);
    show(options.trace, "block" + std::to_string(i), x);
  }
  return {ops::norm_logits(x, ln_, embedding_), std::move(cross_qk)};
}

}  // namespace whinchat::models::whisper
