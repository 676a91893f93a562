#include "weights/file_kind.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "base/error.h"
#include "base/zip.h"
#include "weights/formats/ggml.h"
#include "whinchat/error.h"

namespace whinchat::weights {
namespace {

constexpr std::string_view kZip = "PK\x03\x04";
constexpr std::string_view kGguf = "GGUF";
// A pickle of protocol 2 that begins with torch's magic number: torch.save before 1.6.
constexpr std::string_view kLegacyTorch =
    "\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19";
constexpr size_t kSpecAt = 6;  // behind CTranslate2's version and the length of the name
constexpr size_t kJsonAt = 8;  // behind the length of safetensors' header
constexpr uint32_t kLastVersion = 255;

bool is_ctranslate2(std::string_view text) {
  if (text.size() < kSpecAt) return false;
  const auto version = base::load_unaligned<uint32_t>(base::as_bytes(text).data());
  return version <= kLastVersion &&
         text.substr(kSpecAt, 100).find(std::string_view("Spec\0", 5)) != std::string_view::npos;
}

bool has_arrays(base::Bytes archive, const std::string& source) {
  return std::ranges::any_of(
      base::read_zip_members(archive, source),
      [](const base::ZipMember& member) { return member.name.ends_with(".npy"); });
}

}  // namespace

bool begins_with_mark(base::Bytes bytes) {
  const std::string_view text = base::as_text(bytes);
  return is_ggml(bytes) || text.starts_with(kZip) || text.starts_with(kGguf) ||
         text.starts_with(kLegacyTorch);
}

FileKind kind_of_file(base::Bytes bytes, const std::string& source) {
  const std::string_view text = base::as_text(bytes);
  if (is_ggml(bytes)) return FileKind::Ggml;
  if (text.starts_with(kZip)) return has_arrays(bytes, source) ? FileKind::Npz : FileKind::Torch;
  if (is_ctranslate2(text)) return FileKind::CTranslate2;
  if (text.size() > kJsonAt && text[kJsonAt] == '{') return FileKind::Safetensors;
  if (text.starts_with(kLegacyTorch)) {
    base::fail(ErrorKind::Unsupported,
               "{}: this is a checkpoint of torch before 1.6: torch.save(torch.load(file), new) "
               "writes it as it can be read",
               source);
  }
  base::fail(ErrorKind::Unsupported,
             "{}: expected a model as one file, whisper.cpp's ggml or openai-whisper's .pt, or the "
             "safetensors, weights.npz or CTranslate2 model.bin of a model's folder, got {}",
             source, text.starts_with(kGguf) ? "GGUF, which no Whisper comes in" : "none of them");
}

}  // namespace whinchat::weights
