#include "text/utf8.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace whinchat::text {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";
constexpr uint8_t kLowestContinuation = 0x80;
constexpr uint8_t kHighestContinuation = 0xBF;

}  // namespace

void Utf8Stream::push(std::string_view bytes, std::string& out) {
  for (const char character : bytes) {
    const auto byte = static_cast<uint8_t>(character);
    if (missing_ > 0 && (byte < lowest_ || byte > highest_)) finish(out);
    if (missing_ == 0) {
      start(byte, out);
      continue;
    }
    pending_.push_back(character);
    lowest_ = kLowestContinuation;
    highest_ = kHighestContinuation;
    if (--missing_ == 0) {
      out += pending_;
      pending_.clear();
    }
  }
}

void Utf8Stream::finish(std::string& out) {
  if (missing_ > 0) out += kReplacement;
  missing_ = 0;
  pending_.clear();
}

// The second byte's range (Unicode table 3-7) keeps out overlong forms, surrogates and what lies
// past U+10FFFF.
void Utf8Stream::start(uint8_t byte, std::string& out) {
  if (byte < 0x80) {
    out.push_back(static_cast<char>(byte));
    return;
  }
  if (byte < 0xC2 || byte > 0xF4) {
    out += kReplacement;
    return;
  }
  missing_ = byte < 0xE0 ? 1 : byte < 0xF0 ? 2 : 3;
  lowest_ = byte == 0xE0 ? 0xA0 : byte == 0xF0 ? 0x90 : kLowestContinuation;
  highest_ = byte == 0xED ? 0x9F : byte == 0xF4 ? 0x8F : kHighestContinuation;
  pending_.push_back(static_cast<char>(byte));
}

}  // namespace whinchat::text
