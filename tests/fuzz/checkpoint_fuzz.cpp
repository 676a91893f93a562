// A model's whole folder: format and names by what lies in it, shards by their index, config,
// heads. The input holds files one after another, each behind a line "@@ NAME".
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <ios>
#include <span>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "models/whisper/dimensions.h"
#include "weights/checkpoint.h"
#include "weights/fixture.h"
#include "weights/tensor.h"
#include "whinchat/error.h"

namespace {

using namespace whinchat;
namespace fs = std::filesystem;

constexpr std::string_view kMark = "@@ ";
constexpr std::string_view kNames[] = {"config.json",
                                       "generation_config.json",
                                       "model.safetensors",
                                       "weights.safetensors",
                                       "model.bin",
                                       "model.safetensors.index.json",
                                       "a.safetensors",
                                       "b.safetensors",
                                       "tokenizer.json",
                                       "weights.npz",
                                       "pytorch_model.bin",
                                       "ggml-a.bin",
                                       "a.pt"};

void write(const fs::path& file, std::string_view content) {
  std::ofstream(file, std::ios::binary) << content;
}

void write_files(const fs::path& folder, std::string_view input) {
  for (const std::string_view name : kNames) {
    const std::string mark = std::string(kMark) + std::string(name) + "\n";
    const size_t at = input.find(mark);
    if (at == std::string_view::npos) continue;
    const std::string_view rest = input.substr(at + mark.size());
    write(folder / name, rest.substr(0, rest.find(kMark)));
  }
}

void load(const fs::path& folder) {
  weights::Checkpoint checkpoint = weights::load_checkpoint(folder);
  weights::take_whisper(checkpoint.weights, checkpoint.config);
  for (const std::string& name : checkpoint.weights.names()) {
    weights::decoded(*checkpoint.weights.find(name));
  }
  checkpoint.weights.audit();
  const auto dims = models::whisper::read_dimensions(checkpoint.config, checkpoint.config_source);
  models::whisper::read_alignment_heads(checkpoint.config, dims);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const weights::Folder folder;
  write_files(folder.path(), base::as_text(std::as_bytes(std::span(data, size))));
  try {
    load(folder.path());
  } catch (const Error&) {
    return 0;  // a refusal is an answer
  }
  return 0;
}
