// A whole file mapped read-only. Bytes stay valid while the object lives; safe from any thread.
// What was read stays resident, as memory of this process, until release() or the end.
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

  // The file that `owner` keeps mapped; null where it keeps something else.
  static const FileMap* of(const std::shared_ptr<const void>& owner);

  FileMap(const FileMap&) = delete;
  FileMap& operator=(const FileMap&) = delete;

  Bytes bytes() const { return {static_cast<const std::byte*>(data_), size_}; }
  const std::filesystem::path& path() const { return path_; }

  // Takes the whole pages of `part`, which lies in bytes(), out of memory. Whoever reads them again
  // waits for the file's cache or the disk.
  void release(Bytes part) const;

 private:
  // Also how of() knows what a pointer without a type keeps, whatever it points to.
  struct Close {
    const FileMap* map;
    void operator()(const FileMap* closed) const { delete closed; }
  };

  FileMap(std::filesystem::path path, void* data, size_t size);
  ~FileMap();

  std::filesystem::path path_;
  void* data_;
  size_t size_;
};

}  // namespace whinchat::base
