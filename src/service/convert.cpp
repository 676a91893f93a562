#include <cstdint>
#include <exception>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/json.h"
#include "hub/model_folder.h"
#include "hub/part_file.h"
#include "service/ct2_description.h"
#include "service/engine.h"
#include "weights/checkpoint.h"
#include "weights/formats/ctranslate2_writer.h"
#include "weights/formats/mlx_quantised.h"
#include "weights/formats/output_file.h"
#include "weights/formats/planned_tensor.h"
#include "weights/formats/safetensors_writer.h"
#include "weights/names/whisper_ct2_plan.h"
#include "weights/names/whisper_mlx_plan.h"
#include "weights/tensor.h"
#include "whinchat/error.h"
#include "whinchat/models.h"

namespace whinchat {
namespace {

namespace fs = std::filesystem;

constexpr int kIndent = 2;  // of JSON files

// DESTINATION.part, which becomes DESTINATION or goes.
class PartFolder {
 public:
  explicit PartFolder(fs::path destination) : destination_(std::move(destination)) {
    if (!destination_.has_filename()) destination_ = destination_.parent_path();
    path_ = destination_;
    path_ += ".part";
    std::error_code error;
    if (fs::exists(fs::symlink_status(destination_, error))) {
      base::fail(ErrorKind::BadInput, "{} is there already: expected the name of a folder to make",
                 destination_.string());
    }
    if (!fs::create_directory(path_, error)) {
      base::fail(ErrorKind::BadInput, "cannot make the folder {}: {}", path_.string(),
                 error ? error.message() : "it is there already, from another conversion");
    }
  }
  PartFolder(const PartFolder&) = delete;
  PartFolder& operator=(const PartFolder&) = delete;
  ~PartFolder() {
    std::error_code error;
    if (!is_whole_) fs::remove_all(path_, error);
  }

  const fs::path& path() const { return path_; }

  void finish() {
    std::error_code error;
    fs::rename(path_, destination_, error);
    if (error) {
      base::fail(ErrorKind::Internal, "cannot rename {}: {}", path_.string(), error.message());
    }
    is_whole_ = true;
  }

 private:
  fs::path destination_;
  fs::path path_;
  bool is_whole_ = false;
};

weights::DType dtype_of(WeightType type) {
  if (type == WeightType::F32) return weights::DType::F32;
  return type == WeightType::BF16 ? weights::DType::BF16 : weights::DType::F16;
}

std::optional<weights::MlxQuantisation> quantisation_of(WeightType type) {
  if (type != WeightType::Bits4 && type != WeightType::Bits8) return std::nullopt;
  return weights::MlxQuantisation{.bits = type == WeightType::Bits4 ? 4 : 8};
}

class Conversion {
 public:
  Conversion(const fs::path& source, const fs::path& folder, const ConvertOptions& options)
      : source_(source),
        folder_(folder),
        options_(options),
        checkpoint_(weights::load_checkpoint(source)) {}

  // False: stopped.
  bool run() {
    const bool is_whole = options_.format == ModelFormat::Mlx ? write_mlx() : write_ct2();
    if (!is_whole) return false;
    for (const char* name : {"tokenizer.json", "preprocessor_config.json"}) copy(name);
    return true;
  }

 private:
  bool write_mlx() {
    const auto quantisation = quantisation_of(options_.type);
    const auto plan = weights::plan_whisper_mlx(checkpoint_.weights, checkpoint_.config,
                                                dtype_of(options_.type), quantisation);
    begin(plan);
    write_json("config.json", weights::whisper_mlx_config(checkpoint_.config, quantisation));
    return weights::write_safetensors(folder_ / "weights.safetensors", plan, told());
  }

  bool write_ct2() {
    const base::Json& config = checkpoint_.config;
    const auto plan =
        weights::plan_whisper_ct2(checkpoint_.weights, config, dtype_of(options_.type));
    begin(plan);
    write_json("config.json", service::ct2_config(config));
    write_json("vocabulary.json", service::ct2_vocabulary(config.at("n_vocab").get<int64_t>()));
    write_json("preprocessor_config.json",
               service::feature_config(config.at("n_mels").get<int64_t>()));
    return weights::write_ctranslate2(folder_ / "model.bin", plan, weights::whisper_ct2_aliases(),
                                      told());
  }

  void begin(const std::vector<weights::PlannedTensor>& plan) {
    for (const weights::PlannedTensor& tensor : plan) total_bytes_ += tensor.bytes();
    hub::require_free_space(folder_, total_bytes_);
  }

  weights::OnWritten told() {
    return [this](uint64_t bytes) {
      done_bytes_ += bytes;
      if (options_.on_progress) options_.on_progress(done_bytes_, total_bytes_);
      return !options_.stop.stop_requested();
    };
  }

  void write_json(const char* name, const base::Json& json) {
    weights::write_file(folder_ / name, json.dump(kIndent) + "\n");
  }

  void copy(const char* name) {
    std::error_code error;
    if (!fs::is_regular_file(source_ / name, error)) return;
    fs::copy_file(source_ / name, folder_ / name, fs::copy_options::overwrite_existing, error);
    if (error) base::fail(ErrorKind::Internal, "cannot copy {}: {}", name, error.message());
  }

  fs::path source_;
  fs::path folder_;
  const ConvertOptions& options_;
  weights::Checkpoint checkpoint_;
  uint64_t total_bytes_ = 0;
  uint64_t done_bytes_ = 0;
};

}  // namespace

bool convert_model(const std::string& name, const fs::path& destination,
                   const ConvertOptions& options) {
  if (options.format == ModelFormat::CTranslate2 && quantisation_of(options.type)) {
    base::fail(ErrorKind::BadInput,
               "expected weights of f16, bf16 or f32 for CTranslate2, which quantises them itself "
               "when it loads a model (compute_type), got codes of MLX's");
  }
  const fs::path source = hub::find_model(name);
  PartFolder part(destination);
  try {
    const bool is_whole = service::Engine::shared().run(
        [&] { return Conversion(source, part.path(), options).run(); });
    if (is_whole) part.finish();
    return is_whole;
  } catch (const Error&) {
    throw;
  } catch (const std::exception& error) {
    base::fail(ErrorKind::Internal, "the model could not be converted: {}", error.what());
  }
}

}  // namespace whinchat
