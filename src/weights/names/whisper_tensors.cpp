#include "weights/names/whisper_tensors.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/json.h"

namespace whinchat::weights {
namespace {

class List {
 public:
  void add(std::string name, std::vector<int64_t> shape) {
    tensors_.push_back({std::move(name), std::move(shape)});
  }

  void add_linear(const std::string& name, int64_t out, int64_t in) {
    add(name + ".weight", {out, in});
    add(name + ".bias", {out});
  }

  void add_norm(const std::string& name, int64_t width) {
    add(name + ".weight", {width});
    add(name + ".bias", {width});
  }

  // Keys have no bias.
  void add_attention(const std::string& name, int64_t width) {
    add(name + ".key.weight", {width, width});
    for (const char* part : {".query", ".value", ".out"}) add_linear(name + part, width, width);
    add_norm(name + "_ln", width);
  }

  void add_block(const std::string& block, int64_t width, bool has_cross_attention) {
    add_attention(block + ".attn", width);
    if (has_cross_attention) add_attention(block + ".cross_attn", width);
    add_linear(block + ".mlp1", 4 * width, width);
    add_linear(block + ".mlp2", width, 4 * width);
    add_norm(block + ".mlp_ln", width);
  }

  std::vector<NamedShape> take() { return std::move(tensors_); }

 private:
  std::vector<NamedShape> tensors_;
};

}  // namespace

std::vector<NamedShape> whisper_tensors(const base::Json& config) {
  const auto value = [&](const char* field) { return config.at(field).get<int64_t>(); };
  const int64_t width = value("n_audio_state");
  List list;
  for (const std::string side : {"encoder", "decoder"}) {
    const int64_t layers = value(side == "encoder" ? "n_audio_layer" : "n_text_layer");
    for (int64_t layer = 0; layer < layers; ++layer) {
      list.add_block(side + ".blocks." + std::to_string(layer), width, side == "decoder");
    }
  }
  list.add("encoder.conv1.weight", {width, 3, value("n_mels")});
  list.add("encoder.conv1.bias", {width});
  list.add("encoder.conv2.weight", {width, 3, width});
  list.add("encoder.conv2.bias", {width});
  list.add_norm("encoder.ln_post", width);
  list.add_norm("decoder.ln", width);
  list.add("decoder.token_embedding.weight", {value("n_vocab"), width});
  list.add("decoder.positional_embedding", {value("n_text_ctx"), width});
  return list.take();
}

}  // namespace whinchat::weights
