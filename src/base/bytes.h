// Bounds-checked little-endian reading from a span of bytes at any alignment.
// A read past the end throws Error{Corrupt} that names the reader, the position and the size.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace whinchat::base {

static_assert(std::endian::native == std::endian::little, "files are read in the machine's order");

using Bytes = std::span<const std::byte>;

inline std::string_view as_text(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

inline Bytes as_bytes(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

// Reads a value from bytes that may sit on any address; the caller has checked the size.
template <typename T>
T load_unaligned(const std::byte* source) {
  static_assert(std::is_trivially_copyable_v<T>);
  T value;
  std::memcpy(&value, source, sizeof(T));
  return value;
}

class ByteReader {
 public:
  // `what` names the file or format in messages.
  ByteReader(Bytes bytes, std::string what) : bytes_(bytes), what_(std::move(what)) {}

  template <typename T>
  T read() {
    return load_unaligned<T>(read_bytes(sizeof(T)).data());
  }

  Bytes read_bytes(uint64_t count);
  uint64_t position() const { return position_; }
  uint64_t remaining() const { return bytes_.size() - position_; }

 private:
  Bytes bytes_;
  std::string what_;
  uint64_t position_ = 0;
};

}  // namespace whinchat::base
