// The hashes that name files: SHA-256, and the SHA-1 that git gives a file. One thread a Hasher.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "base/bytes.h"

namespace whinchat::hub {

struct Digest {
  enum class Kind { Sha256, GitBlob };  // git: SHA-1 over "blob SIZE", a zero byte and the content
  Kind kind = Kind::Sha256;
  std::string hex;  // lower case

  bool operator==(const Digest&) const = default;
};

// True for `digits` hexadecimal digits in lower case.
bool is_hex(std::string_view text, size_t digits);

class Hasher {
 public:
  // `bytes`: how many will follow, which a git hash needs to know first.
  Hasher(Digest::Kind kind, uint64_t bytes);
  ~Hasher();
  Hasher(Hasher&&) noexcept;
  Hasher& operator=(Hasher&&) noexcept;

  void add(base::Bytes bytes);
  Digest finish();  // once

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Throws Error as base::FileMap does.
Digest digest_of_file(const std::filesystem::path& file, Digest::Kind kind);

}  // namespace whinchat::hub
