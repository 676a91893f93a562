// For tests: what oracles/tokenizer.py wrote.
#pragma once

#include <cstdint>
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

struct NamedVocabulary {
  const char* name;  // the key in the oracle's rows
  Vocabulary vocabulary;
};

inline constexpr NamedVocabulary kVocabularies[] = {{"multilingual", Vocabulary::Multilingual},
                                                    {"english", Vocabulary::English}};

}  // namespace whinchat::text
