#include "cli/files/media_files.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <ios>
#include <string>
#include <string_view>

#include "base/text.h"

namespace whinchat::cli {
namespace {

using std::string_view_literals::operator""sv;

// clang-format off
constexpr auto kExtensions = std::to_array<std::string_view>({
    ".3g2", ".3gp", ".aac", ".ac3", ".aif", ".aifc", ".aiff", ".amr", ".ape", ".asf", ".au", ".avi",
    ".caf", ".divx", ".dts", ".eac3", ".f4v", ".flac", ".flv", ".m2ts", ".m4a", ".m4b", ".m4v",
    ".mka", ".mkv", ".mov", ".mp2", ".mp3", ".mp4", ".mpeg", ".mpg", ".mpga", ".mxf", ".oga",
    ".ogg", ".ogv", ".opus", ".ra", ".rm", ".rmvb", ".spx", ".tta", ".vob", ".wav", ".wave",
    ".weba", ".webm", ".wma", ".wmv", ".wtv", ".wv"});
// clang-format on

// A magic number and where it stands. ".ts" and ".mts" are programs too: these decide.
struct Magic {
  size_t at;
  std::string_view bytes;
};

constexpr auto kMagics = std::to_array<Magic>({
    {8, "WAVE"sv},              // RIFF, RF64, BW64
    {8, "AVI "sv},              //
    {0, "OggS"sv},              //
    {0, "fLaC"sv},              //
    {0, "ID3"sv},               // before MP3
    {0, "\xFF\xFB"sv},          // MP3
    {0, "\xFF\xFA"sv},          //
    {0, "\xFF\xF3"sv},          //
    {0, "\xFF\xF2"sv},          //
    {0, "\xFF\xF1"sv},          // AAC
    {0, "\xFF\xF9"sv},          //
    {0, "\x1A\x45\xDF\xA3"sv},  // Matroska, WebM
    {8, "AIFF"sv},              //
    {8, "AIFC"sv},              //
    {0, ".snd"sv},              // AU
    {0, "caff"sv},              //
    {0, "#!AMR"sv},             //
    {0, "FLV\x01"sv},           //
    {0, "\x30\x26\xB2\x75"sv},  // ASF, WMA, WMV
    {0, "\0\0\x01\xBA"sv},      // MPEG program stream
});

// ISO media: its brand tells films and sound from pictures.
bool begins_as_mp4(std::string_view start) {
  constexpr auto kPictures = std::to_array<std::string_view>(
      {"avif", "avis", "heic", "heix", "hevc", "mif1", "msf1", "crx "});
  return start.size() >= 12 && start.substr(4, 4) == "ftyp" &&
         std::ranges::find(kPictures, start.substr(8, 4)) == kPictures.end();
}

// Packets of 188 bytes, or of 192 with a time before each, that begin with 0x47.
bool begins_as_transport_stream(std::string_view start) {
  const auto repeats = [&](size_t first, size_t packet) {
    return start.size() > first + packet && start[first] == 'G' && start[first + packet] == 'G';
  };
  return repeats(0, 188) || repeats(4, 192);
}

}  // namespace

bool begins_as_media(std::string_view start) {
  const bool has_magic = std::ranges::any_of(kMagics, [&](const Magic& magic) {
    return start.size() >= magic.at && start.substr(magic.at).starts_with(magic.bytes);
  });
  return has_magic || begins_as_mp4(start) || begins_as_transport_stream(start);
}

bool has_media_extension(const std::filesystem::path& file) {
  const std::string extension = base::ascii_lower(file.extension().string());
  return std::ranges::find(kExtensions, extension) != kExtensions.end();
}

bool is_media_file(const std::filesystem::path& file) {
  if (has_media_extension(file)) return true;
  std::array<char, 256> start{};
  std::ifstream stream(file, std::ios::binary);
  stream.read(start.data(), start.size());
  return begins_as_media({start.data(), static_cast<size_t>(stream.gcount())});
}

}  // namespace whinchat::cli
