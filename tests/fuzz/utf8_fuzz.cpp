// Bytes that may be no UTF-8: in pieces as at once, and never a torn character on the screen.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/text.h"
#include "cli/screen/screen_text.h"
#include "text/languages.h"
#include "text/utf8.h"
#include "text/whisper_tokenizer.h"
#include "whinchat/error.h"

namespace {

using namespace whinchat;

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

void require(bool holds) {
  if (!holds) std::abort();
}

std::string in_pieces(std::string_view bytes, size_t piece) {
  std::string text;
  text::Utf8Stream stream;
  for (; !bytes.empty(); bytes.remove_prefix(std::min(piece, bytes.size()))) {
    stream.push(bytes.substr(0, piece), text);
  }
  stream.finish(text);
  return text;
}

bool has_control(std::string_view text) {
  return std::ranges::any_of(text, [](char c) { return (c >= 0 && c < ' ') || c == '\x7F'; });
}

void check_screen(std::string_view bytes, bool is_utf8) {
  const std::string shown = cli::printable(bytes);
  require(!has_control(shown));
  require(in_pieces(shown, 1) == shown);
  if (is_utf8 && shown.find("\\x") == std::string::npos) require(shown == bytes);
  for (const size_t columns : {0, 1, 7, 80}) {
    const std::string start = cli::fitted(shown, columns);
    require(shown.starts_with(start) && in_pieces(start, 1) == start);
  }
}

// Ids of text, of special tokens and of none.
void check_tokens(std::span<const uint8_t> bytes) {
  static const text::WhisperTokenizer kTokenizer(51865);
  std::vector<int32_t> ids;
  for (size_t i = 0; i + 2 < bytes.size(); i += 3) {
    ids.push_back(bytes[i] % 2 * 65536 + bytes[i + 1] * 256 + bytes[i + 2]);
  }
  try {
    const std::string text = kTokenizer.decode_with_timestamps(ids);
    require(in_pieces(text, 1) == text);
    kTokenizer.decode(ids);
  } catch (const Error&) {
    return;  // an id past the vocabulary
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes = base::as_text(std::as_bytes(std::span(data, size)));
  const std::string text = in_pieces(bytes, bytes.size() + 1);
  for (const size_t piece : {1, 2, 3, 7}) require(in_pieces(bytes, piece) == text);
  require(in_pieces(text, 1) == text);
  const bool is_utf8 = text == bytes;
  require(is_utf8 || text.find(kReplacement) != std::string::npos);
  check_screen(bytes, is_utf8);
  check_tokens({data, size});
  require(bytes.find(base::trimmed(bytes)) != std::string_view::npos);
  try {
    require(!text::find_language(bytes).empty());
  } catch (const Error&) {
    return 0;  // no language
  }
  return 0;
}
