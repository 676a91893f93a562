// Bytes as text: encode and decode must give the text back. Bytes as tokenizer.json: read or
// refused; what is read must answer for every id and encode a text.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "text/detokenizer.h"
#include "text/tokenizer.h"
#include "whinchat/error.h"

namespace {

using whinchat::text::Tokenizer;
using whinchat::text::Vocabulary;

std::string streamed(const Tokenizer& tokenizer, std::span<const int32_t> ids) {
  whinchat::text::Detokenizer detokenizer(tokenizer);
  std::string text;
  for (const int32_t id : ids) text += detokenizer.push(id);
  return text + detokenizer.finish();
}

void check_round_trip(const Tokenizer& tokenizer, std::string_view text) {
  std::vector<int32_t> ids;
  try {
    ids = tokenizer.encode(text);
  } catch (const whinchat::Error&) {
    return;
  }
  if (tokenizer.decode(ids) != text || streamed(tokenizer, ids) != text) std::abort();
}

void check_random_ids(const Tokenizer& tokenizer, std::span<const uint8_t> bytes) {
  std::vector<int32_t> ids;
  for (size_t i = 0; i + 1 < bytes.size(); i += 2) {
    ids.push_back((bytes[i] * 256 + bytes[i + 1]) % tokenizer.n_text_tokens());
  }
  if (tokenizer.decode(ids) != streamed(tokenizer, ids)) std::abort();
}

void check_json(std::string_view json) {
  try {
    const Tokenizer tokenizer = Tokenizer::from_json(whinchat::base::as_bytes(json), "fuzz");
    for (int32_t id = 0; id < tokenizer.n_text_tokens(); ++id) tokenizer.token_bytes(id);
    // A normalizer, prefix or suffix changes the text: no crash is all that can be asked.
    tokenizer.decode(tokenizer.encode("the 1st  line\n\xE6\xBC\xA2 <|x|>"));
  } catch (const whinchat::Error&) {
    return;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text = whinchat::base::as_text(std::as_bytes(std::span(data, size)));
  if (text.starts_with('{')) check_json(text);
  for (const Vocabulary vocabulary : {Vocabulary::Multilingual, Vocabulary::English}) {
    const Tokenizer tokenizer(vocabulary);
    check_round_trip(tokenizer, text);
    check_random_ids(tokenizer, {data, size});
  }
  return 0;
}
