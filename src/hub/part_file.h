// A file on its way: TARGET.incomplete grows, is hashed as it grows, and becomes TARGET when its
// hash is right. What an earlier attempt left is taken up. Throws Error{Internal} for a disk that
// refuses.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <stop_token>

#include "base/bytes.h"
#include "hub/digest.h"

namespace whinchat::hub {

class PartFile {
 public:
  // Where the parts of `target` gather.
  static std::filesystem::path path_of(const std::filesystem::path& target);

  PartFile(const std::filesystem::path& target, uint64_t bytes, Digest digest);
  PartFile(const PartFile&) = delete;
  PartFile& operator=(const PartFile&) = delete;
  ~PartFile();

  // Hashes what is there already. False: stopped.
  bool take_up(const std::stop_token& stop);
  uint64_t position() const { return position_; }
  void append(base::Bytes bytes);
  void restart();
  // Whole, and of the right hash: becomes the target. False: of another hash, and removed.
  bool finish();

 private:
  std::filesystem::path target_;
  std::filesystem::path path_;
  uint64_t bytes_;
  Digest digest_;
  Hasher hasher_;
  int fd_;
  uint64_t position_ = 0;
};

// Throws Error{Internal} unless the disk that holds `folder`, or will, has room for so many bytes.
void require_free_space(const std::filesystem::path& folder, uint64_t bytes);

}  // namespace whinchat::hub
