// Which files of a folder are audio or video.
#pragma once

#include <filesystem>
#include <string_view>

namespace whinchat::cli {

// By its extension, where that means nothing else; otherwise by its first bytes.
bool is_media_file(const std::filesystem::path& file);

bool has_media_extension(const std::filesystem::path& file);

// Whether bytes that a file begins with are those of a container or stream of sound.
bool begins_as_media(std::string_view start);

}  // namespace whinchat::cli
