// A file that grows. Every failure of the disk is an Error{Internal} that names the file.
#pragma once

#include <filesystem>
#include <fstream>
#include <string_view>

#include "base/bytes.h"

namespace whinchat::weights {

class OutputFile {
 public:
  explicit OutputFile(std::filesystem::path path);

  void write(base::Bytes bytes);
  void write(std::string_view text) { write(base::as_bytes(text)); }
  void close();  // what is not closed may not be whole

 private:
  [[noreturn]] void fail() const;

  std::filesystem::path path_;
  std::ofstream stream_;
};

void write_file(const std::filesystem::path& path, std::string_view content);

}  // namespace whinchat::weights
