// A Whisper checkpoint: its tensors under our names, its dimensions, its tokenizer. In one file,
// whisper.cpp's ggml or openai-whisper's .pt, or in a folder, where the format and the names are
// found by what lies in it: CTranslate2's model.bin; safetensors, weights.npz or pytorch_model.bin
// with Hugging Face's or mlx-community's names; or one such file.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "base/json.h"
#include "weights/weight_map.h"

namespace whinchat::weights {

struct Checkpoint {
  WeightMap weights;  // f32, f16 or bf16; mapped from the files, which must not change meanwhile
  base::Json config;  // names/whisper_config.h lists the fields
  std::string config_source;  // the file that they come from, for messages
  std::optional<std::filesystem::path> tokenizer_json;  // where the folder has one
  bool is_quantised = false;  // weights are decoded to f32 when a layer takes them
};

// `path`: a folder or a file. Throws Error: {NotFound} when it or its model files are missing,
// {Corrupt} for files that contradict themselves, {Unsupported} for formats, names and types that
// are not read yet. Whether the tensors are complete is the model's to find, by take() and audit().
Checkpoint load_checkpoint(const std::filesystem::path& path);

}  // namespace whinchat::weights
