#include "weights/fixture.h"

#include <stdlib.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <ios>
#include <map>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/error.h"
#include "base/json.h"
#include "weights/names/whisper_tensors.h"
#include "weights/tensor.h"
#include "weights/weight_map.h"
#include "whinchat/error.h"

namespace whinchat::weights {
namespace {

constexpr int64_t kWidth = 4;

template <typename T>
void append(std::string& file, T value) {
  file.append(reinterpret_cast<const char*>(&value), sizeof(T));
}

void append_text(std::string& file, const std::string& text) {
  append(file, static_cast<uint16_t>(text.size() + 1));
  file.append(text.c_str(), text.size() + 1);
}

uint8_t ct2_code(DType dtype) {
  const std::map<DType, uint8_t> codes = {{DType::F32, 0}, {DType::I8, 1},  {DType::I16, 2},
                                          {DType::I32, 3}, {DType::F16, 4}, {DType::BF16, 5}};
  return codes.at(dtype);
}

Stored renamed(const Stored& stored, const std::string& name) {
  Stored copy = stored;
  copy.name = name;
  return copy;
}

std::string with_replaced(std::string text,
                          const std::vector<std::pair<std::string, std::string>>& replacements) {
  for (const auto& [from, to] : replacements) {
    const size_t at = text.find(from);
    if (at != std::string::npos) text.replace(at, from.size(), to);
  }
  return text;
}

class Ct2Model {
 public:
  explicit Ct2Model(const std::vector<Stored>& mlx) {
    for (const Stored& stored : mlx) ours_[stored.name] = stored;
  }

  std::vector<Stored> run() {
    for (const std::string side : {"encoder", "decoder"}) {
      const std::string ours = side + ".blocks.0.";
      const std::string theirs = side + "/layer_0/";
      fuse(theirs + "self_attention/linear_0", ours + "attn.", {"query", "key", "value"});
      copy_linear(theirs + "self_attention/linear_1", ours + "attn.out");
      copy_norm(theirs + "self_attention/layer_norm", ours + "attn_ln");
      if (side == "decoder") {
        copy_linear(theirs + "attention/linear_0", ours + "cross_attn.query");
        fuse(theirs + "attention/linear_1", ours + "cross_attn.", {"key", "value"});
        copy_linear(theirs + "attention/linear_2", ours + "cross_attn.out");
        copy_norm(theirs + "attention/layer_norm", ours + "cross_attn_ln");
      }
      copy_norm(theirs + "ffn/layer_norm", ours + "mlp_ln");
      copy_linear(theirs + "ffn/linear_0", ours + "mlp1");
      copy_linear(theirs + "ffn/linear_1", ours + "mlp2");
      copy_norm(side + "/layer_norm", side + (side == "encoder" ? ".ln_post" : ".ln"));
      theirs_.push_back(make_flag(side + "/num_heads", 2));
    }
    for (const std::string conv : {"conv1", "conv2"}) {
      const std::string name = "encoder/" + conv;
      theirs_.push_back(
          renamed(with_swapped_axes(ours_.at("encoder." + conv + ".weight")), name + "/weight"));
      copy(name + "/bias", "encoder." + conv + ".bias");
    }
    copy("decoder/embeddings/weight", "decoder.token_embedding.weight");
    copy("decoder/position_encodings/encodings", "decoder.positional_embedding");
    theirs_.push_back(make_stored("encoder/position_encodings/encodings", {7, kWidth}));
    theirs_.push_back(make_flag("decoder/pre_norm", 1));
    return theirs_;
  }

 private:
  void copy(const std::string& theirs, const std::string& ours) {
    theirs_.push_back(renamed(ours_.at(ours), theirs));
  }
  void copy_linear(const std::string& theirs, const std::string& ours) {
    copy(theirs + "/weight", ours + ".weight");
    copy(theirs + "/bias", ours + ".bias");
  }
  void copy_norm(const std::string& theirs, const std::string& ours) {
    copy(theirs + "/gamma", ours + ".weight");
    copy(theirs + "/beta", ours + ".bias");
  }
  void fuse(const std::string& theirs, const std::string& ours,
            const std::vector<std::string>& parts) {
    const auto rows = static_cast<int64_t>(parts.size()) * kWidth;
    Stored weight{theirs + "/weight", DType::F16, {rows, kWidth}, ""};
    Stored bias{theirs + "/bias", DType::F16, {rows}, ""};
    for (const std::string& part : parts) {
      weight.bytes += ours_.at(ours + part + ".weight").bytes;
      bias.bytes +=
          part == "key" ? std::string(kWidth * 2, '\0') : ours_.at(ours + part + ".bias").bytes;
    }
    theirs_.push_back(weight);
    theirs_.push_back(bias);
  }

  std::map<std::string, Stored> ours_;
  std::vector<Stored> theirs_;
};

}  // namespace

Stored with_swapped_axes(const Stored& stored) {
  Stored result{stored.name, stored.dtype, {stored.shape[0], stored.shape[2], stored.shape[1]}, ""};
  for (int64_t a = 0; a < stored.shape[0]; ++a) {
    for (int64_t c = 0; c < stored.shape[2]; ++c) {
      for (int64_t b = 0; b < stored.shape[1]; ++b) {
        const int64_t index = (a * stored.shape[1] + b) * stored.shape[2] + c;
        result.bytes += stored.bytes.substr(index * 2, 2);
      }
    }
  }
  return result;
}

Stored make_stored(const std::string& name, std::vector<int64_t> shape, DType dtype) {
  Stored stored{name, dtype, std::move(shape), ""};
  stored.bytes.resize(byte_count(dtype, stored.shape).value_or(0));
  auto state = static_cast<uint32_t>(std::hash<std::string>{}(name)) | 1U;
  for (char& byte : stored.bytes) {
    state = state * 1664525u + 1013904223u;
    byte = static_cast<char>(state >> 24U);
  }
  return stored;
}

uint32_t crc32_of(base::Bytes bytes) {
  static const auto kTable = [] {
    std::array<uint32_t, 256> table{};
    for (uint32_t i = 0; i < table.size(); ++i) {
      table[i] = i;
      for (int bit = 0; bit < 8; ++bit) table[i] = (table[i] >> 1U) ^ (table[i] % 2 * 0xEDB88320U);
    }
    return table;
  }();
  uint32_t crc = 0xFFFFFFFFu;
  for (const std::byte byte : bytes) crc = kTable[(crc ^ uint32_t(byte)) & 255U] ^ (crc >> 8U);
  return ~crc;
}

Stored make_flag(const std::string& name, int16_t value) {
  return {name, DType::I16, {}, std::string(reinterpret_cast<const char*>(&value), 2)};
}

std::string write_ctranslate2(const std::vector<Stored>& variables, const Aliases& aliases,
                              uint32_t version) {
  std::string file;
  append(file, version);
  append_text(file, "WhisperSpec");
  append(file, uint32_t{3});
  append(file, static_cast<uint32_t>(variables.size()));
  for (const Stored& variable : variables) {
    append_text(file, variable.name);
    append(file, static_cast<uint8_t>(variable.shape.size()));
    for (const int64_t dimension : variable.shape) append(file, static_cast<uint32_t>(dimension));
    const size_t size = item_size(variable.dtype);
    append(file, version >= 4 ? ct2_code(variable.dtype) : static_cast<uint8_t>(size));
    append(file, static_cast<uint32_t>(variable.bytes.size() / (version >= 4 ? 1 : size)));
    file += variable.bytes;
  }
  if (version < 3) return file;
  append(file, static_cast<uint32_t>(aliases.size()));
  for (const auto& [alias, target] : aliases) {
    append_text(file, alias);
    append_text(file, target);
  }
  return file;
}

std::string write_safetensors(const std::vector<Stored>& tensors, int shift) {
  base::Json header = base::Json::object();
  std::string data;
  for (const Stored& tensor : tensors) {
    std::string type(name_of(tensor.dtype));
    std::ranges::transform(type, type.begin(), [](unsigned char c) { return std::toupper(c); });
    header[tensor.name] = {{"dtype", type},
                           {"shape", tensor.shape},
                           {"data_offsets", {data.size(), data.size() + tensor.bytes.size()}}};
    data += tensor.bytes;
  }
  const std::string text = header.dump() + std::string(shift, ' ');
  std::string file;
  append(file, static_cast<uint64_t>(text.size()));
  return file + text + data;
}

std::vector<Stored> make_mlx_model() {
  return make_mlx_model(base::parse_json(kMlxConfig, "config"));
}

std::vector<Stored> make_mlx_model(const base::Json& config, DType dtype) {
  std::vector<Stored> model;
  for (auto& [name, shape] : whisper_tensors(config)) {
    model.push_back(make_stored(name, std::move(shape), dtype));
  }
  return model;
}

std::vector<Stored> make_hf_model() {
  std::vector<Stored> model;
  for (const Stored& stored : make_mlx_model()) {
    const bool is_conv_weight = stored.shape.size() == 3;
    const std::string name =
        with_replaced(stored.name, {{"decoder.ln", "decoder.layer_norm"},
                                    {"cross_attn_ln", "encoder_attn_layer_norm"},
                                    {".cross_attn.", ".encoder_attn."},
                                    {".attn_ln", ".self_attn_layer_norm"},
                                    {".attn.", ".self_attn."},
                                    {"mlp_ln", "final_layer_norm"},
                                    {"ln_post", "layer_norm"},
                                    {"mlp1", "fc1"},
                                    {"mlp2", "fc2"},
                                    {".query", ".q_proj"},
                                    {".key", ".k_proj"},
                                    {".value", ".v_proj"},
                                    {".out.", ".out_proj."},
                                    {"blocks", "layers"},
                                    {"token_embedding", "embed_tokens"},
                                    {"positional_embedding", "embed_positions.weight"}});
    model.push_back(renamed(is_conv_weight ? with_swapped_axes(stored) : stored, "model." + name));
  }
  model.push_back(make_stored("model.encoder.embed_positions.weight", {7, kWidth}));
  return model;
}

Aliases tied_projection() { return {{"decoder/projection/weight", "decoder/embeddings/weight"}}; }

std::vector<Stored> make_ct2_model() { return Ct2Model(make_mlx_model()).run(); }

void take_whisper(WeightMap& weights, const base::Json& config) {
  for (const auto& [name, shape] : whisper_tensors(config)) weights.take(name, shape);
}

Folder::Folder() {
  std::string name = (std::filesystem::temp_directory_path() / "whinchat_weights_XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) {
    base::fail(ErrorKind::Internal, "cannot make a temporary folder: {}", std::strerror(errno));
  }
  path_ = name;
}

Folder::~Folder() {
  std::error_code error;
  std::filesystem::remove_all(path_, error);
}

void Folder::write(const std::string& name, std::string_view content) const {
  std::ofstream(path_ / name, std::ios::binary) << content;
}

}  // namespace whinchat::weights
