#include "hub/text_file.h"

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>

#include "base/text.h"

namespace whinchat::hub {

std::string read_text_file(const std::filesystem::path& path) {
  constexpr uintmax_t kMaxBytes = uintmax_t{64} << 10U;
  std::error_code error;
  // A stream opened on a folder throws when it is read.
  const bool is_file = std::filesystem::is_regular_file(path, error);
  if (!is_file || std::filesystem::file_size(path, error) > kMaxBytes) return "";
  std::ifstream file(path, std::ifstream::binary);
  const std::string content{std::istreambuf_iterator<char>(file), {}};
  return std::string(base::trimmed(content));
}

}  // namespace whinchat::hub
