// For tests: what oracles/tokenizer.py wrote, and random texts.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/file_map.h"
#include "base/json.h"
#include "text/tokenizer.h"

namespace whinchat::text {

inline const base::Json& oracle() {
  static const base::Json kJson = [] {
    const auto file = base::FileMap::open(WHINCHAT_TEST_DATA "/tokenizer.json");
    return base::parse_json(base::as_text(file->bytes()), "tokenizer.json");
  }();
  return kJson;
}

inline std::vector<int32_t> ids_of(const base::Json& json) {
  return json.get<std::vector<int32_t>>();
}

inline std::string text_of(const base::Json& json) { return json.get<std::string>(); }

// The same cases in every run.
inline std::mt19937 repeatable_random() {
  return std::mt19937(7);  // NOLINT(bugprone-random-generator-seed)
}

// Valid UTF-8 of one to three bytes a character, with the pieces of English that patterns look for.
inline std::string random_utf8(std::mt19937& random) {
  std::string text;
  const auto size = random() % 30;
  for (unsigned i = 0; i < size; ++i) {
    const auto kind = random() % 4;
    if (kind == 0) {
      text += static_cast<char>(random() % 0x80);
    } else if (kind == 1) {
      text += "  'lls the\n"[random() % 11];
    } else if (kind == 2) {
      text += {static_cast<char>(0xC2 + random() % 0x1E), static_cast<char>(0x80 + random() % 64)};
    } else {
      text += {static_cast<char>(0xE1 + random() % 12), static_cast<char>(0x80 + random() % 64),
               static_cast<char>(0x80 + random() % 64)};
    }
  }
  return text;
}

struct NamedVocabulary {
  const char* name;  // the key in the oracle's rows
  Vocabulary vocabulary;
};

inline constexpr NamedVocabulary kVocabularies[] = {{"multilingual", Vocabulary::Multilingual},
                                                    {"english", Vocabulary::English}};

}  // namespace whinchat::text
