// UTF-8 from bytes that come in pieces. What is not UTF-8 becomes U+FFFD, one for each maximal
// subpart, as Python's bytes.decode("utf-8", errors="replace") does.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace whinchat::text {

class Utf8Stream {
 public:
  // Appends to `out` the characters that `bytes` completes; never a part of one.
  void push(std::string_view bytes, std::string& out);

  // Appends U+FFFD when a character never completed, and starts anew.
  void finish(std::string& out);

 private:
  void start(uint8_t byte, std::string& out);

  std::string pending_;    // the bytes of a character that is not complete
  int missing_ = 0;        // how many bytes it still lacks
  uint8_t lowest_ = 0x80;  // the range of its next byte
  uint8_t highest_ = 0xBF;
};

}  // namespace whinchat::text
