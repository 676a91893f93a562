// Tiny checkpoints that the tests of this room write for themselves.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/json.h"
#include "weights/tensor.h"
#include "weights/weight_map.h"
#include "whinchat/error.h"

namespace whinchat::weights {

struct Stored {
  std::string name;
  DType dtype;
  std::vector<int64_t> shape;
  std::string bytes;
};

// A tensor with bytes that follow from its name.
Stored make_stored(const std::string& name, std::vector<int64_t> shape, DType dtype = DType::F16);
Stored with_swapped_axes(const Stored& stored);  // [A, B, C] of two-byte elements → [A, C, B]
Stored make_flag(const std::string& name, int16_t value);

uint32_t crc32_of(base::Bytes bytes);  // as zlib.crc32

using Aliases = std::vector<std::pair<std::string, std::string>>;
std::string write_ctranslate2(const std::vector<Stored>& variables, const Aliases& aliases = {},
                              uint32_t version = 6);
// `shift` moves the data to an odd or even address by spaces behind the header.
std::string write_safetensors(const std::vector<Stored>& tensors, int shift = 0);

// One encoder and one decoder layer: width 4, 2 heads, 3 mels, audio context 7, text context 6,
// vocabulary 5. The same values under each family's names and layouts.
std::vector<Stored> make_ct2_model();
std::vector<Stored> make_hf_model();
std::vector<Stored> make_mlx_model();
// A Whisper of any dimensions, under our names, which are mlx-community's.
std::vector<Stored> make_mlx_model(const base::Json& config, DType dtype = DType::F16);
Aliases tied_projection();
inline constexpr std::string_view kHfConfig =
    R"({"num_mel_bins":3,"max_source_positions":7,"d_model":4,"encoder_attention_heads":2,)"
    R"("encoder_layers":1,"vocab_size":5,"max_target_positions":6,"decoder_attention_heads":2,)"
    R"("decoder_layers":1})";
inline constexpr std::string_view kMlxConfig =
    R"({"n_mels":3,"n_audio_ctx":7,"n_audio_state":4,"n_audio_head":2,"n_audio_layer":1,)"
    R"("n_vocab":5,"n_text_ctx":6,"n_text_state":4,"n_text_head":2,"n_text_layer":1})";

// Takes every tensor that a Whisper model of these dimensions has.
void take_whisper(WeightMap& weights, const base::Json& config);

// The message of the error that `action` throws; empty when it throws none.
std::string message_of(auto&& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

// A temporary folder that goes with the object.
class Folder {
 public:
  Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder();

  void write(const std::string& name, std::string_view content) const;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace whinchat::weights
