#include "transcription/writers/split_points.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "text/characters.h"
#include "whinchat/formats.h"
#include "whinchat/transcription.h"

namespace whinchat::transcription {
namespace {

constexpr std::u32string_view kSentenceEnds = U".。．｡!！?？…؟۔।॥";
constexpr std::u32string_view kPauses = U",;:，；：、､،؛—–";
constexpr std::u32string_view kClosers = U"\"'”’»)）]］}」』】》〉";  // may stand behind a mark
constexpr auto kTitles = std::to_array<std::u32string_view>(
    {U"Mr", U"Mrs", U"Ms", U"Dr", U"Prof", U"St", U"Jr", U"Sr", U"vs", U"No"});

bool is_among(char32_t letter, std::u32string_view letters) {
  return letters.find(letter) != std::u32string_view::npos;
}

bool begins_small(const Word& word) {
  const std::string_view text = text::stripped(word.text);
  return !text.empty() && text.front() >= 'a' && text.front() <= 'z';
}

// `text` ends with a full stop.
bool is_abbreviation(std::u32string_view text) {
  text.remove_suffix(1);
  const size_t dot = text.rfind(U'.');  // of "J.F."
  if (dot != std::u32string_view::npos) text.remove_prefix(dot + 1);
  return text.size() == 1 || std::ranges::find(kTitles, text) != kTitles.end();
}

}  // namespace

bool is_split_point(const Word& word, const Word* following, SplitAt split_at) {
  if (split_at == SplitAt::Nothing) return false;
  std::u32string text = text::code_points(text::stripped(word.text));
  while (!text.empty() && is_among(text.back(), kClosers)) text.pop_back();
  if (text.empty()) return false;
  if (is_among(text.back(), kPauses)) return split_at == SplitAt::Punctuation;
  if (!is_among(text.back(), kSentenceEnds)) return false;
  if (text.back() != U'.') return true;
  return !is_abbreviation(text) && !(following != nullptr && begins_small(*following));
}

}  // namespace whinchat::transcription
