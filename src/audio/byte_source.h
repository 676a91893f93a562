// The bytes of a file, a pipe or standard input, in order. A regular file can also be positioned,
// and is read without moving the descriptor's own offset, so it can be opened twice.
// A stop ends the wait for a pipe's next bytes as if the pipe had ended. Throws Error: NotFound (no
// such file), BadInput (a directory, unreadable), Internal (the machine fails while reading). One
// thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace whinchat::audio {

class ByteSource {
 public:
  // "-" is standard input, which stays open.
  static ByteSource open(const std::filesystem::path& path, std::stop_token stop = {});
  // Takes the descriptor over and closes it; `name` stands for it in messages.
  static ByteSource from_descriptor(int descriptor, std::string name);

  ByteSource(ByteSource&& other) noexcept;
  ByteSource& operator=(ByteSource&& other) = delete;
  ~ByteSource();

  const std::string& name() const { return name_; }
  // Known for regular files only.
  std::optional<uint64_t> size_bytes() const { return size_; }
  bool is_seekable() const { return size_.has_value(); }
  uint64_t position() const { return position_; }

  // Fills `out`; less only at the end.
  size_t read(std::span<std::byte> out);
  // What `read` would give next, without moving on.
  size_t peek(std::span<std::byte> out);
  // Moves on by `count` bytes or to the end; returns how far it went.
  uint64_t skip(uint64_t count);
  // Only where `is_seekable`.
  void seek(uint64_t position);

  // Goes back to the first byte. False on a pipe that has been read past what is kept of it.
  bool rewind();
  // A pipe's bytes are no longer kept for `rewind`.
  void forget_start();

 private:
  ByteSource(int descriptor, bool is_owned, std::string name, std::stop_token stop = {});
  size_t read_descriptor(std::span<std::byte> out);
  // False when a stop came first.
  bool wait_for_pipe() const;
  size_t read_pipe(std::span<std::byte> out);

  int descriptor_;
  bool is_owned_;
  std::string name_;
  std::stop_token stop_;
  std::optional<uint64_t> size_;
  uint64_t origin_ = 0;    // the descriptor's offset when it came to us
  uint64_t position_ = 0;  // of the next byte, counted from `origin_`
  std::vector<std::byte> kept_;
  uint64_t kept_from_ = 0;  // position of the first kept byte
  bool keeps_start_ = true;
};

}  // namespace whinchat::audio
