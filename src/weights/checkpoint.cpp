#include "weights/checkpoint.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/file_map.h"
#include "base/json.h"
#include "base/text.h"
#include "weights/file_kind.h"
#include "weights/formats/ctranslate2.h"
#include "weights/formats/ggml.h"
#include "weights/formats/mlx_quantised.h"
#include "weights/formats/npz.h"
#include "weights/formats/pt.h"
#include "weights/formats/safetensors.h"
#include "weights/json_file.h"
#include "weights/names/whisper_config.h"
#include "weights/names/whisper_ct2.h"
#include "weights/names/whisper_heads.h"
#include "weights/names/whisper_hf.h"
#include "weights/names/whisper_mlx.h"
#include "weights/names/whisper_openai.h"
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

std::optional<fs::path> tokenizer_in(const fs::path& folder) {
  fs::path tokenizer = folder / "tokenizer.json";
  return is_file(tokenizer) ? std::optional(std::move(tokenizer)) : std::nullopt;
}

void add_heads_of_file(base::Json& config, const fs::path& file) {
  if (is_file(file)) add_alignment_heads(config, load_json(file), file.string());
}

Checkpoint load_ct2(const fs::path& file) {
  const WeightMap variables = load_ctranslate2(file);
  WeightMap weights = name_whisper_ct2(variables);
  base::Json config = whisper_ct2_config(variables);
  const fs::path folder = file.parent_path();
  add_heads_of_file(config, folder / "config.json");
  return {std::move(weights), std::move(config), variables.source(), tokenizer_in(folder)};
}

Checkpoint load_hf(const fs::path& folder, const WeightMap& tensors) {
  const fs::path file = folder / "config.json";
  const base::Json json = load_json(file);
  base::Json config = read_hf_config(json, file.string());
  add_alignment_heads(config, json, file.string());
  add_heads_of_file(config, folder / "generation_config.json");
  return {name_whisper_hf(tensors), std::move(config), file.string(), tokenizer_in(folder)};
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
  return {std::move(tensors), std::move(config), file.string(), tokenizer_in(folder)};
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

Checkpoint load_openai(const fs::path& file, const base::Json& fields, const WeightMap& tensors) {
  base::Json config = read_whisper_config(fields, file.string());
  add_known_alignment_heads(config, file.filename().string());
  return {name_whisper_openai(tensors), std::move(config), file.string(), std::nullopt};
}

Checkpoint load_torch(const fs::path& file, const std::shared_ptr<const base::FileMap>& map) {
  TorchFile content = read_pt(map->bytes(), map, file.string());
  if (!content.dims.is_null()) return load_openai(file, content.dims, content.tensors);
  if (has_whisper_openai_names(content.tensors)) {
    base::fail(
        ErrorKind::Unsupported,
        "{}: expected dims and model_state_dict as openai-whisper saves them, got the tensors "
        "alone",
        file.string());
  }
  return load_named(file.parent_path(), std::move(content.tensors));
}

Checkpoint load_file(const fs::path& file) {
  const auto map = base::FileMap::open(file);
  switch (kind_of_file(map->bytes(), file.string())) {
    case FileKind::Ggml: {
      const GgmlFile content = read_ggml(map->bytes(), map, file.string());
      return load_openai(file, content.config, content.tensors);
    }
    case FileKind::Torch:
      return load_torch(file, map);
    case FileKind::Npz:
      return load_named(file.parent_path(), load_npz(file));
    case FileKind::CTranslate2:
      return load_ct2(file);
    case FileKind::Safetensors:
      break;
  }
  return load_named(file.parent_path(), load_safetensors(file));
}

// The model of a folder that holds nothing else of one; nothing where there is none.
std::optional<fs::path> find_single_file(const fs::path& folder) {
  std::vector<std::string> names;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    const bool is_ggml_name = name.starts_with("ggml-") && name.ends_with(".bin");
    if ((is_ggml_name || name.ends_with(".pt")) && is_file(entry.path())) names.push_back(name);
  }
  std::ranges::sort(names);
  if (names.size() > 1) {
    base::fail(ErrorKind::BadInput, "{}: expected one model, got {}: name the file",
               folder.string(), base::join(names, ", "));
  }
  if (names.empty()) return std::nullopt;
  return folder / names.front();
}

Checkpoint load_folder(const fs::path& folder) {
  for (const char* name : {"model.safetensors", "weights.safetensors"}) {
    if (is_file(folder / name)) return load_named(folder, load_safetensors(folder / name));
  }
  const fs::path index = folder / "model.safetensors.index.json";
  if (is_file(index)) return load_named(folder, load_sharded_safetensors(index));
  if (is_file(folder / "weights.npz")) return load_named(folder, load_npz(folder / "weights.npz"));
  const fs::path model = folder / "model.bin";
  if (is_file(model)) {
    return begins_with_mark(base::FileMap::open(model)->bytes()) ? load_file(model)
                                                                 : load_ct2(model);
  }
  if (is_file(folder / "pytorch_model.bin")) return load_file(folder / "pytorch_model.bin");
  if (const std::optional<fs::path> file = find_single_file(folder)) return load_file(*file);
  base::fail(ErrorKind::NotFound,
             "{}: expected model.safetensors, weights.safetensors, model.safetensors.index.json, "
             "weights.npz, model.bin, pytorch_model.bin, one ggml-*.bin or one *.pt, got a folder "
             "with none of them",
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

Checkpoint load_checkpoint(const fs::path& path) {
  std::error_code error;
  const fs::file_type type = fs::status(path, error).type();
  if (type == fs::file_type::not_found) {
    base::fail(ErrorKind::NotFound,
               "expected a model's folder or file, got {}, which does not exist", path.string());
  }
  if (type != fs::file_type::directory && type != fs::file_type::regular) {
    base::fail(ErrorKind::BadInput, "expected a model's folder or file, got {}, which is neither",
               path.string());
  }
  Checkpoint checkpoint = type == fs::file_type::directory ? load_folder(path) : load_file(path);
  require_weight_types(checkpoint.weights);
  checkpoint.is_quantised = has_computed_rows(checkpoint.weights);
  return checkpoint;
}

}  // namespace whinchat::weights
