#include "service/ct2_description.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "base/json.h"
#include "text/whisper_tokenizer.h"
#include "text/whisper_tokens.h"

namespace whinchat::service {
namespace {

bool is_shown_as_itself(uint32_t byte) {
  return (byte >= '!' && byte <= '~') || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
}

// GPT-2's character of each byte, in UTF-8: the others follow 0xFF in their order.
std::vector<std::string> byte_characters() {
  std::vector<std::string> characters(256);
  uint32_t next = 0x100;
  for (uint32_t byte = 0; byte < characters.size(); ++byte) {
    const uint32_t code = is_shown_as_itself(byte) ? byte : next++;
    if (code < 0x80) {
      characters[byte] = static_cast<char>(code);
    } else {
      characters[byte] = {static_cast<char>(0xC0 | code >> 6U),
                          static_cast<char>(0x80 | (code & 0x3FU))};
    }
  }
  return characters;
}

base::Json alignment_heads(const base::Json& config) {
  if (config.contains("alignment_heads")) return config["alignment_heads"];
  base::Json heads = base::Json::array();
  const auto layers = config.at("n_text_layer").get<int64_t>();
  for (int64_t layer = layers / 2; layer < layers; ++layer) {
    for (int64_t head = 0; head < config.at("n_text_head").get<int64_t>(); ++head) {
      heads.push_back({layer, head});
    }
  }
  return heads;
}

}  // namespace

base::Json ct2_vocabulary(int64_t n_vocab) {
  const text::WhisperTokenizer tokenizer(n_vocab);
  const std::vector<std::string> characters = byte_characters();
  base::Json vocabulary = base::Json::array();
  for (int32_t id = 0; id < tokenizer.tokens().eot; ++id) {
    std::string token;
    for (const char byte : tokenizer.text().token_bytes(id)) {
      token += characters[static_cast<unsigned char>(byte)];
    }
    vocabulary.push_back(token);
  }
  for (int32_t id = tokenizer.tokens().eot; id < n_vocab; ++id) {
    vocabulary.push_back(tokenizer.tokens().name_of(id));
  }
  return vocabulary;
}

base::Json ct2_config(const base::Json& config) {
  const text::WhisperTokenizer tokenizer(config.at("n_vocab").get<int64_t>());
  const text::WhisperTokens& tokens = tokenizer.tokens();
  std::vector<int32_t> suppressed = tokenizer.non_speech_tokens();
  suppressed.insert(suppressed.end(), {tokens.sot, tokens.translate, tokens.transcribe,
                                       tokens.sot_lm, tokens.sot_prev, tokens.no_speech});
  std::ranges::sort(suppressed);
  std::vector<int32_t> at_begin = tokenizer.blank_tokens();
  at_begin.push_back(tokens.eot);
  std::vector<int32_t> languages(tokens.n_languages);
  std::iota(languages.begin(), languages.end(), tokens.first_language);
  return {{"alignment_heads", alignment_heads(config)},
          {"lang_ids", languages},
          {"suppress_ids", suppressed},
          {"suppress_ids_begin", at_begin}};
}

base::Json feature_config(int64_t n_mels) {
  return {{"chunk_length", 30},     {"feature_extractor_type", "WhisperFeatureExtractor"},
          {"feature_size", n_mels}, {"hop_length", 160},
          {"n_fft", 400},           {"sampling_rate", 16'000}};
}

}  // namespace whinchat::service
