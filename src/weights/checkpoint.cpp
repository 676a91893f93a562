#include "weights/checkpoint.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/json.h"
#include "base/text.h"
#include "weights/formats/ctranslate2.h"
#include "weights/formats/mlx_quantised.h"
#include "weights/formats/npz.h"
#include "weights/formats/safetensors.h"
#include "weights/json_file.h"
#include "weights/names/whisper_config.h"
#include "weights/names/whisper_ct2.h"
#include "weights/names/whisper_hf.h"
#include "weights/names/whisper_mlx.h"
#include "weights/tensor.h"
#include "weights/weight_map.h"
#include "whinchat/error.h"

namespace whinchat::weights {
namespace {

namespace fs = std::filesystem;

bool is_file(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

void require_folder(const fs::path& folder) {
  std::error_code error;
  const fs::file_status status = fs::status(folder, error);
  if (status.type() == fs::file_type::not_found) {
    base::fail(ErrorKind::NotFound, "expected a model's folder, got {}, which does not exist",
               folder.string());
  }
  if (status.type() != fs::file_type::directory) {
    base::fail(ErrorKind::BadInput, "expected a model's folder, got {}, which is not a folder",
               folder.string());
  }
}

void add_heads_of_file(base::Json& config, const fs::path& file) {
  if (is_file(file)) add_alignment_heads(config, load_json(file), file.string());
}

Checkpoint load_ct2(const fs::path& folder) {
  const WeightMap variables = load_ctranslate2(folder / "model.bin");
  WeightMap weights = name_whisper_ct2(variables);
  base::Json config = whisper_ct2_config(variables);
  add_heads_of_file(config, folder / "config.json");
  return {std::move(weights), std::move(config), variables.source(), std::nullopt};
}

Checkpoint load_hf(const fs::path& folder, const WeightMap& tensors) {
  const fs::path file = folder / "config.json";
  const base::Json json = load_json(file);
  base::Json config = read_hf_config(json, file.string());
  add_alignment_heads(config, json, file.string());
  add_heads_of_file(config, folder / "generation_config.json");
  return {name_whisper_hf(tensors), std::move(config), file.string(), std::nullopt};
}

Checkpoint load_mlx(const fs::path& folder, WeightMap tensors) {
  const fs::path file = folder / "config.json";
  const base::Json json = load_json(file);
  base::Json config = read_mlx_config(json, file.string());
  const std::optional<MlxQuantisation> quantisation = read_mlx_quantisation(json, file.string());
  if (quantisation) tensors = with_computed_rows(tensors, *quantisation);
  const std::optional<std::vector<int64_t>> heads = read_alignment_heads(tensors);
  if (heads) add_alignment_heads(config, *heads, tensors.source());
  tolerate_whisper_mlx(tensors);
  return {std::move(tensors), std::move(config), file.string(), std::nullopt};
}

Checkpoint load_named(const fs::path& folder, WeightMap tensors) {
  if (has_whisper_hf_names(tensors)) return load_hf(folder, tensors);
  if (has_whisper_mlx_names(tensors)) return load_mlx(folder, std::move(tensors));
  std::vector<std::string> names = tensors.names();
  names.resize(std::min<size_t>(names.size(), 3));
  base::fail(ErrorKind::Unsupported,
             "{}: expected the tensors of a Whisper model, as Hugging Face or mlx-community name "
             "them, got names such as {}",
             tensors.source(), names.empty() ? "none" : base::join(names, ", "));
}

Checkpoint load_by_content(const fs::path& folder) {
  for (const char* name : {"model.safetensors", "weights.safetensors"}) {
    if (is_file(folder / name)) {
      return load_named(folder, load_safetensors(folder / name));
    }
  }
  const fs::path index = folder / "model.safetensors.index.json";
  if (is_file(index)) return load_named(folder, load_sharded_safetensors(index));
  if (is_file(folder / "weights.npz")) {
    return load_named(folder, load_npz(folder / "weights.npz"));
  }
  if (is_file(folder / "model.bin")) return load_ct2(folder);
  for (const char* name : {"pytorch_model.bin", "model.pt"}) {
    if (is_file(folder / name)) {
      base::fail(ErrorKind::Unsupported,
                 "{}: {} cannot be read yet: expected safetensors or a "
                 "CTranslate2 model.bin",
                 folder.string(), name);
    }
  }
  base::fail(ErrorKind::NotFound,
             "{}: expected model.safetensors, weights.safetensors, model.safetensors.index.json, "
             "weights.npz or model.bin, got a folder with none of them",
             folder.string());
}

// The integers of a checkpoint of ours are no weights: they are quantised, or not Whisper's.
void require_weight_types(const WeightMap& weights) {
  for (const std::string& name : weights.names()) {
    const Tensor& tensor = *weights.find(name);
    if (name != "alignment_heads" && !is_weight_type(tensor.dtype)) {
      base::fail(ErrorKind::Unsupported, "{}: expected f32, f16 or bf16 for {}, got {}",
                 weights.source(), name, name_of(tensor.dtype));
    }
  }
}

bool has_computed_rows(const WeightMap& weights) {
  return std::ranges::any_of(weights.names(), [&](const std::string& name) {
    return weights.find(name)->decoder != nullptr;
  });
}

}  // namespace

Checkpoint load_checkpoint(const fs::path& folder) {
  require_folder(folder);
  Checkpoint checkpoint = load_by_content(folder);
  require_weight_types(checkpoint.weights);
  checkpoint.is_quantised = has_computed_rows(checkpoint.weights);
  const fs::path tokenizer = folder / "tokenizer.json";
  if (is_file(tokenizer)) checkpoint.tokenizer_json = tokenizer;
  return checkpoint;
}

}  // namespace whinchat::weights
