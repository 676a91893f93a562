#include "text/languages.h"

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/nearest.h"
#include "base/text.h"
#include "whinchat/error.h"

namespace whinchat::text {
namespace {

// clang-format off
constexpr auto kLanguages = std::to_array<Language>({
    {"en", "english"}, {"zh", "chinese"}, {"de", "german"}, {"es", "spanish"}, {"ru", "russian"},
    {"ko", "korean"}, {"fr", "french"}, {"ja", "japanese"}, {"pt", "portuguese"},
    {"tr", "turkish"}, {"pl", "polish"}, {"ca", "catalan"}, {"nl", "dutch"}, {"ar", "arabic"},
    {"sv", "swedish"}, {"it", "italian"}, {"id", "indonesian"}, {"hi", "hindi"}, {"fi", "finnish"},
    {"vi", "vietnamese"}, {"he", "hebrew"}, {"uk", "ukrainian"}, {"el", "greek"}, {"ms", "malay"},
    {"cs", "czech"}, {"ro", "romanian"}, {"da", "danish"}, {"hu", "hungarian"}, {"ta", "tamil"},
    {"no", "norwegian"}, {"th", "thai"}, {"ur", "urdu"}, {"hr", "croatian"}, {"bg", "bulgarian"},
    {"lt", "lithuanian"}, {"la", "latin"}, {"mi", "maori"}, {"ml", "malayalam"}, {"cy", "welsh"},
    {"sk", "slovak"}, {"te", "telugu"}, {"fa", "persian"}, {"lv", "latvian"}, {"bn", "bengali"},
    {"sr", "serbian"}, {"az", "azerbaijani"}, {"sl", "slovenian"}, {"kn", "kannada"},
    {"et", "estonian"}, {"mk", "macedonian"}, {"br", "breton"}, {"eu", "basque"},
    {"is", "icelandic"}, {"hy", "armenian"}, {"ne", "nepali"}, {"mn", "mongolian"},
    {"bs", "bosnian"}, {"kk", "kazakh"}, {"sq", "albanian"}, {"sw", "swahili"}, {"gl", "galician"},
    {"mr", "marathi"}, {"pa", "punjabi"}, {"si", "sinhala"}, {"km", "khmer"}, {"sn", "shona"},
    {"yo", "yoruba"}, {"so", "somali"}, {"af", "afrikaans"}, {"oc", "occitan"}, {"ka", "georgian"},
    {"be", "belarusian"}, {"tg", "tajik"}, {"sd", "sindhi"}, {"gu", "gujarati"}, {"am", "amharic"},
    {"yi", "yiddish"}, {"lo", "lao"}, {"uz", "uzbek"}, {"fo", "faroese"}, {"ht", "haitian creole"},
    {"ps", "pashto"}, {"tk", "turkmen"}, {"nn", "nynorsk"}, {"mt", "maltese"}, {"sa", "sanskrit"},
    {"lb", "luxembourgish"}, {"my", "myanmar"}, {"bo", "tibetan"}, {"tl", "tagalog"},
    {"mg", "malagasy"}, {"as", "assamese"}, {"tt", "tatar"}, {"haw", "hawaiian"},
    {"ln", "lingala"}, {"ha", "hausa"}, {"ba", "bashkir"}, {"jw", "javanese"}, {"su", "sundanese"},
    {"yue", "cantonese"},
});

constexpr auto kAliases = std::to_array<LanguageAlias>({
    {"burmese", "my"}, {"valencian", "ca"}, {"flemish", "nl"}, {"haitian", "ht"},
    {"letzeburgesch", "lb"}, {"pushto", "ps"}, {"panjabi", "pa"}, {"moldavian", "ro"},
    {"moldovan", "ro"}, {"sinhalese", "si"}, {"castilian", "es"}, {"mandarin", "zh"},
});
// clang-format on

std::string_view nearest_language(std::string_view wanted) {
  std::vector<std::string_view> names;
  names.reserve(kLanguages.size() + kAliases.size());
  for (const Language& language : kLanguages) names.push_back(language.name);
  for (const LanguageAlias& alias : kAliases) names.push_back(alias.name);
  return base::nearest_name(wanted, names);
}

}  // namespace

std::span<const Language> languages() { return kLanguages; }

std::span<const LanguageAlias> language_aliases() { return kAliases; }

std::string_view find_language(std::string_view code_or_name) {
  const std::string wanted = base::ascii_lower(std::string(code_or_name));
  for (const Language& language : kLanguages) {
    if (wanted == language.code || wanted == language.name) return language.code;
  }
  for (const LanguageAlias& alias : kAliases) {
    if (wanted == alias.name) return alias.code;
  }
  // A name that goes on and on is neither compared nor shown in full.
  constexpr size_t kLongestName = 40;
  const std::string_view shown = std::string_view(wanted).substr(0, kLongestName);
  base::fail(ErrorKind::BadInput,
             "expected a language such as en or English, got \"{}\"; did you mean {}?", shown,
             nearest_language(shown));
}

}  // namespace whinchat::text
