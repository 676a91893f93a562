#include "models/whisper/encoder.h"

#include <mlx/array.h>
#include <mlx/ops.h>

#include <cmath>
#include <cstddef>
#include <string>

#include "base/error.h"
#include "models/whisper/dimensions.h"
#include "models/whisper/layers.h"
#include "models/whisper/trace.h"
#include "nn/load.h"
#include "ops/attention.h"
#include "ops/key_value.h"
#include "ops/layers.h"
#include "ops/mlp.h"

namespace whinchat::models::whisper {
namespace {

namespace mx = mlx::core;

// [length, channels] f32: sines beside cosines over geometrically spaced time scales.
mx::array sinusoids(int length, int channels) {
  const int half = channels / 2;
  const auto increment = static_cast<float>(-std::log(10000.0) / (half - 1));
  const mx::array scales = mx::exp(mx::multiply(mx::array(increment), mx::arange(half)));
  const mx::array angles =
      mx::multiply(mx::reshape(mx::arange(length), {length, 1}), mx::reshape(scales, {1, half}));
  return mx::concatenate({mx::sin(angles), mx::cos(angles)}, 1);
}

ops::ConvParameters load_conv(nn::Source source, const std::string& scope, int in, int out,
                              int stride) {
  return {nn::load_parameter(source, scope + ".weight", {out, 3, in}),
          nn::load_parameter(source, scope + ".bias", {out}), stride, /*padding=*/1};
}

}  // namespace

Encoder::Encoder(nn::Source source, const ModelDimensions& dims)
    : dims_(dims),
      conv1_(ops::make_conv(
          source.runtime, load_conv(source, "encoder.conv1", dims.n_mels, dims.n_audio_state, 1))),
      conv2_(ops::make_conv(source.runtime, load_conv(source, "encoder.conv2", dims.n_audio_state,
                                                      dims.n_audio_state, 2))),
      positions_(mx::astype(sinusoids(dims.n_audio_ctx, dims.n_audio_state), source.runtime.dtype)),
      ln_post_(ops::make_norm_layer(source.runtime,
                                    nn::load_norm(source, "encoder.ln_post", dims.n_audio_state))) {
  const int width = dims.n_audio_state;
  for (int i = 0; i < dims.n_audio_layer; ++i) {
    const std::string scope = "encoder.blocks." + std::to_string(i);
    ops::SelfAttentionParameters attn = load_self_attention(source, scope, width);
    attn.heads = dims.n_audio_head;
    blocks_.push_back({ops::make_self_attention(source.runtime, attn),
                       ops::make_mlp(source.runtime, load_mlp(source, scope, width))});
  }
}

mx::array Encoder::encode(const mx::array& mel, const Trace& trace) const {
  const bool fits = mel.ndim() == 3 && mel.shape(1) >= 2 && mel.shape(1) % 2 == 0 &&
                    mel.shape(1) <= 2 * dims_.n_audio_ctx && mel.shape(2) == dims_.n_mels;
  if (!fits) {
    base::fail(ErrorKind::Internal, "[whisper.encode] expected mel [B, ≤ {}, {}], got {} axes [{}]",
               2 * dims_.n_audio_ctx, dims_.n_mels, mel.ndim(), fmt::join(mel.shape(), ", "));
  }
  mx::array x = ops::conv_gelu(mel, conv1_);
  show(trace, "conv1", x);
  const int length = mel.shape(1) / 2;
  const bool is_whole = length == dims_.n_audio_ctx;
  x = ops::conv_gelu_add(
      x, conv2_,
      is_whole ? positions_ : mx::slice(positions_, {0, 0}, {length, dims_.n_audio_state}));
  show(trace, "conv2_positions", x);
  for (size_t i = 0; i < blocks_.size(); ++i) {
    const Block& block = blocks_[i];
    const ops::Qkv qkv = ops::norm_qkv(x, block.attn);
    x = ops::project_add(ops::attend(qkv, block.attn), block.attn, x);
    x = ops::mlp(x, block.mlp);
    show(trace, "block" + std::to_string(i), x);
    // A CPU's nodes get their memory before the first one runs: a block's is to serve the next one.
    if (ops::packed(block.mlp)) x.eval();
  }
  return ops::norm(x, ln_post_);
}

}  // namespace whinchat::models::whisper
