// A whole file mapped read-only. Bytes stay valid while the object lives; safe from any thread.
// Throws Error{NotFound} for a missing file, Error{BadInput} for a directory or unreadable file.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>

#include "base/bytes.h"

namespace whinchat::base {

class FileMap {
 public:
  static std::shared_ptr<const FileMap> open(const std::filesystem::path& path);

  FileMap(const FileMap&) = delete;
  FileMap& operator=(const FileMap&) = delete;
  ~FileMap();

  Bytes bytes() const { return {static_cast<const std::byte*>(data_), size_}; }
  const std::filesystem::path& path() const { return path_; }

 private:
  FileMap(std::filesystem::path path, void* data, size_t size);

  std::filesystem::path path_;
  void* data_;
  size_t size_;
};

}  // namespace whinchat::base
