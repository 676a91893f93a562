#include "text/tokenizer.h"

#include <textcore.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/error.h"
#include "text/utf8.h"
#include "whinchat/error.h"

namespace whinchat::text {
namespace {

ErrorKind kind_of(textcore_status status) {
  switch (status) {
    case TEXTCORE_BAD_INPUT:
      return ErrorKind::BadInput;
    case TEXTCORE_UNSUPPORTED:
      return ErrorKind::Unsupported;
    case TEXTCORE_CORRUPT:
      return ErrorKind::Corrupt;
    default:
      return ErrorKind::Internal;
  }
}

// Throws for a call that failed; `what` names the document in the message.
void require(textcore_status status, textcore_text error, std::string_view what) {
  if (status == TEXTCORE_OK) return;
  const std::string message(error.data, error.size);
  textcore_free_text(error);
  base::fail(kind_of(status), "{}: {}", what, message);
}

textcore_tokenizer* open_whisper(Vocabulary vocabulary) {
  textcore_tokenizer* handle = nullptr;
  textcore_text error{};
  const auto number =
      vocabulary == Vocabulary::Multilingual ? TEXTCORE_MULTILINGUAL : TEXTCORE_ENGLISH;
  require(textcore_open_whisper(number, &handle, &error), error, "Whisper's vocabulary");
  return handle;
}

using IdsOwner = std::unique_ptr<textcore_ids, void (*)(textcore_ids*)>;

std::vector<int32_t> taken(textcore_ids ids) {
  const IdsOwner owner(&ids, [](textcore_ids* owned) { textcore_free_ids(*owned); });
  return {ids.data, ids.data + ids.size};
}

const uint8_t* as_octets(const void* data) { return static_cast<const uint8_t*>(data); }

}  // namespace

void Tokenizer::Close::operator()(textcore_tokenizer* handle) const { textcore_close(handle); }

Tokenizer::Tokenizer(Handle handle)
    : handle_(std::move(handle)),
      n_text_tokens_(static_cast<int32_t>(textcore_token_count(handle_.get()))) {}

Tokenizer::Tokenizer(Vocabulary vocabulary) : Tokenizer(Handle(open_whisper(vocabulary))) {}

Tokenizer Tokenizer::from_json(base::Bytes json, std::string_view what) {
  textcore_tokenizer* handle = nullptr;
  textcore_text error{};
  require(textcore_open_json(as_octets(json.data()), json.size(), &handle, &error), error, what);
  return Tokenizer(Handle(handle));
}

std::vector<int32_t> Tokenizer::encode(std::string_view text) const {
  textcore_ids ids{};
  textcore_text error{};
  require(textcore_encode(handle_.get(), as_octets(text.data()), text.size(), &ids, &error), error,
          "text to encode");
  return taken(ids);
}

std::vector<int32_t> Tokenizer::matching_tokens(std::string_view pattern,
                                                std::string_view what) const {
  textcore_ids ids{};
  textcore_text error{};
  require(textcore_matching_tokens(handle_.get(), as_octets(pattern.data()), pattern.size(), &ids,
                                   &error),
          error, what);
  return taken(ids);
}

std::string_view Tokenizer::token_bytes(int32_t id) const {
  const uint8_t* data = nullptr;
  size_t size = 0;
  if (id < 0 ||
      textcore_token_bytes(handle_.get(), static_cast<size_t>(id), &data, &size) != TEXTCORE_OK) {
    base::fail(ErrorKind::BadInput, "expected a text token in 0 … {}, got {}", n_text_tokens_ - 1,
               id);
  }
  return {reinterpret_cast<const char*>(data), size};
}

std::string Tokenizer::decode(std::span<const int32_t> ids) const {
  std::string text;
  Utf8Stream stream;
  for (const int32_t id : ids) stream.push(token_bytes(id), text);
  stream.finish(text);
  return text;
}

bool Tokenizer::is_embedded() const { return textcore_is_embedded(handle_.get()); }

}  // namespace whinchat::text
