#include "hub/listing.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/json.h"
#include "hub/digest.h"

namespace whinchat::hub {
namespace {

constexpr int64_t kMaxFileBytes = int64_t{1} << 40;
constexpr size_t kCommitDigits = 40;
constexpr size_t kSha256Digits = 64;
constexpr std::string_view kIndex = "model.safetensors.index.json";

std::string require_text(const base::Json& json, const char* name, std::string_view what) {
  const auto field = json.is_object() ? json.find(name) : json.end();
  if (!json.is_object() || field == json.end() || !field->is_string()) {
    base::fail(ErrorKind::Corrupt, "{}: expected a text in the field {}", what, name);
  }
  return field->get<std::string>();
}

std::string require_hex(const base::Json& json, const char* name, size_t digits,
                        std::string_view what) {
  std::string hex = require_text(json, name, what);
  if (!is_hex(hex, digits)) {
    base::fail(ErrorKind::Corrupt, "{}: expected {} hexadecimal digits in the field {}", what,
               digits, name);
  }
  return hex;
}

void require_plain_path(std::string_view path, std::string_view what) {
  const bool has_control = std::ranges::any_of(
      path, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F || c == '\\'; });
  std::string_view rest = path;
  bool is_plain = !has_control && !path.empty();
  while (is_plain) {
    const size_t slash = rest.find('/');
    const std::string_view part = rest.substr(0, slash);
    is_plain = !part.empty() && part != "." && part != "..";
    if (slash == std::string_view::npos) break;
    rest.remove_prefix(slash + 1);
  }
  if (!is_plain) {
    base::fail(ErrorKind::Corrupt, "{}: a file's name must be a plain relative path, got {}", what,
               path);
  }
}

RemoteFile read_file(const base::Json& json, std::string_view what) {
  RemoteFile file;
  file.path = require_text(json, "rfilename", what);
  require_plain_path(file.path, what);
  const auto lfs = json.find("lfs");
  const std::string place = fmt::format("{}: {}", what, file.path);
  if (lfs != json.end() && lfs->is_object()) {
    file.bytes =
        static_cast<uint64_t>(base::require_integer(*lfs, "size", place, 0, kMaxFileBytes));
    file.digest = {Digest::Kind::Sha256, require_hex(*lfs, "sha256", kSha256Digits, place)};
  } else {
    file.bytes =
        static_cast<uint64_t>(base::require_integer(json, "size", place, 0, kMaxFileBytes));
    file.digest = {Digest::Kind::GitBlob, require_hex(json, "blobId", kCommitDigits, place)};
  }
  return file;
}

bool is_described_by(std::string_view path) {
  const std::array<std::string_view, 4> names{"config.json", "generation_config.json",
                                              "preprocessor_config.json", "tokenizer.json"};
  const bool is_vocabulary =
      path.starts_with("vocabulary.") && path.find('/') == std::string_view::npos;
  return is_vocabulary || std::ranges::find(names, path) != names.end();
}

// model-00001-of-00002.safetensors
bool is_shard(std::string_view path) {
  return path.starts_with("model-") && path.ends_with(".safetensors") &&
         path.find('/') == std::string_view::npos;
}

std::vector<RemoteFile> weight_files(const std::vector<RemoteFile>& files) {
  const auto named = [&](std::string_view name) {
    return std::ranges::find(files, name, &RemoteFile::path);
  };
  // In the order in which our reader looks for them.
  for (const char* name : {"model.safetensors", "weights.safetensors"}) {
    if (named(name) != files.end()) return {*named(name)};
  }
  std::vector<RemoteFile> shards;
  std::ranges::copy_if(files, std::back_inserter(shards), is_shard, &RemoteFile::path);
  if (named(kIndex) != files.end() && !shards.empty()) {
    shards.push_back(*named(kIndex));
    return shards;
  }
  for (const char* name : {"weights.npz", "model.bin"}) {
    if (named(name) != files.end()) return {*named(name)};
  }
  return {};
}

}  // namespace

Listing read_listing(std::string_view json, std::string_view what) {
  const base::Json document = base::parse_json(json, what);
  Listing listing{require_hex(document, "sha", kCommitDigits, what), {}};
  const auto files = document.find("siblings");
  if (files == document.end() || !files->is_array()) {
    base::fail(ErrorKind::Corrupt, "{}: expected a list of files in the field siblings", what);
  }
  for (const base::Json& file : *files) listing.files.push_back(read_file(file, what));
  return listing;
}

std::vector<RemoteFile> wanted_files(const Listing& listing, std::string_view what) {
  const std::vector<RemoteFile> weights = weight_files(listing.files);
  if (weights.empty()) {
    base::fail(ErrorKind::Unsupported,
               "{} holds no weights that whinchat reads: expected model.bin (CTranslate2), "
               "model.safetensors, weights.safetensors or weights.npz",
               what);
  }
  std::vector<RemoteFile> wanted;
  std::ranges::copy_if(listing.files, std::back_inserter(wanted), is_described_by,
                       &RemoteFile::path);
  wanted.insert(wanted.end(), weights.begin(), weights.end());
  return wanted;
}

}  // namespace whinchat::hub
