// Short files of text that other programs wrote.
#pragma once

#include <filesystem>
#include <string>

namespace whinchat::hub {

// Without white space at either end; empty for what is no file, unreadable, or over 64 KiB.
std::string read_text_file(const std::filesystem::path& path);

}  // namespace whinchat::hub
