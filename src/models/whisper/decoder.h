// Whisper's text decoder (mlx-whisper 0.4.3, whisper.py). Engine thread only.
#pragma once

#include <mlx/array.h>

#include <map>
#include <set>
#include <vector>

#include "models/whisper/dimensions.h"
#include "models/whisper/kv_cache.h"
#include "models/whisper/trace.h"
#include "nn/load.h"
#include "ops/attention.h"
#include "ops/key_value.h"
#include "ops/logits.h"
#include "ops/mlp.h"

namespace whinchat::models::whisper {

class Decoder {
 public:
  struct StepOptions {
    std::set<int> cross_qk_layers;  // whose scores are wanted
    Trace trace;                    // embedding, block0 …
  };
  struct Step {
    ops::Logits logits;                        // [B, T, n_vocab]
    std::map<int, mlx::core::array> cross_qk;  // by layer, [B, H, T, n_audio_ctx]
  };

  Decoder(nn::Source source, const ModelDimensions& dims);

  // Cross-attention keys and values of every layer for features [1, n_audio_ctx, n_audio_state].
  std::vector<ops::KeyValue> cross(const mlx::core::array& features) const;

  // tokens [B, T] int32, appended to `cache`. Throws Error{Internal} when the cache and T together
  // exceed n_text_ctx or when tokens has another shape.
  Step step(const mlx::core::array& tokens, KvCache& cache, const StepOptions& options) const;
  Step step(const mlx::core::array& tokens, KvCache& cache) const {
    return step(tokens, cache, {});
  }

 private:
  struct Block {
    ops::SelfAttention attn;
    ops::CrossAttention cross_attn;
    ops::Mlp mlp;
  };

  ModelDimensions dims_;
  ops::Vocabulary vocabulary_;
  std::vector<Block> blocks_;
  ops::CrossKeyValue cross_kv_;
};

}  // namespace whinchat::models::whisper
