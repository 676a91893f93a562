#include "hub/model_files.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/bytes.h"
#include "base/error.h"
#include "base/file_map.h"
#include "base/json.h"

namespace whinchat::hub {
namespace {

namespace fs = std::filesystem;

bool is_file(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

base::Json load_object(const fs::path& file) {
  try {
    const auto map = base::FileMap::open(file);
    const base::Json json = base::parse_json(base::as_text(map->bytes()), file.string());
    return json.is_object() ? json : base::Json::object();
  } catch (const Error&) {
    return base::Json::object();  // a damaged file is no model's: its reader says why
  }
}

std::vector<std::string> shards(const fs::path& index) {
  std::set<std::string> names;
  const base::Json json = load_object(index);
  const auto map = json.find("weight_map");
  if (map == json.end() || !map->is_object()) return {"model-00001-of-00001.safetensors"};
  for (const auto& [tensor, file] : map->items()) {
    if (file.is_string()) names.insert(file.get<std::string>());
  }
  return {names.begin(), names.end()};
}

std::vector<std::string> weight_files(const fs::path& folder) {
  for (const char* name : {"model.safetensors", "weights.safetensors"}) {
    if (is_file(folder / name)) return {name};
  }
  const std::string index = "model.safetensors.index.json";
  if (!is_file(folder / index)) {
    return {is_file(folder / "weights.npz") ? "weights.npz" : "model.bin"};
  }
  std::vector<std::string> files = shards(folder / index);
  files.push_back(index);
  return files;
}

bool is_whisper_ct2(const fs::path& file) {
  std::ifstream stream(file, std::ifstream::binary);
  std::array<char, 32> head{};  // u32 version, u16 length, the name
  stream.read(head.data(), head.size());
  return std::string_view(head.data(), head.size()).substr(6).starts_with("WhisperSpec");
}

uint64_t file_bytes(const fs::path& file) {
  std::error_code error;
  const uint64_t bytes = fs::file_size(file, error);
  return error ? 0 : bytes;
}

}  // namespace

std::vector<std::string> required_files(const fs::path& folder) {
  std::vector<std::string> files = weight_files(folder);
  if (files.front() != "model.bin") files.emplace_back("config.json");
  return files;
}

bool is_complete_model(const fs::path& folder) {
  return std::ranges::all_of(required_files(folder),
                             [&](const std::string& file) { return is_file(folder / file); });
}

bool is_speech_model(const fs::path& folder) {
  if (!is_complete_model(folder)) return false;
  if (weight_files(folder).front() == "model.bin") return is_whisper_ct2(folder / "model.bin");
  const base::Json config = load_object(folder / "config.json");
  return config.value("model_type", "") == "whisper" || config.contains("n_audio_state");
}

uint64_t weight_bytes(const fs::path& folder) {
  uint64_t bytes = 0;
  for (const std::string& file : weight_files(folder)) bytes += file_bytes(folder / file);
  return bytes;
}

uint64_t folder_bytes(const fs::path& folder) {
  uint64_t bytes = 0;
  std::error_code error;
  for (fs::recursive_directory_iterator entry(folder, error), end; entry != end;
       entry.increment(error)) {
    if (entry->is_regular_file(error)) bytes += file_bytes(entry->path());
    if (error) break;
  }
  return bytes;
}

}  // namespace whinchat::hub
