#include "transcription/writers/colors.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "text/characters.h"
#include "transcription/writers/segment_line.h"
#include "transcription/writers/txt.h"
#include "whinchat/transcription.h"

namespace whinchat::transcription {
namespace {

constexpr auto kColors = std::to_array<int>({196, 202, 208, 214, 226, 154, 82});  // red to green

using Piece = std::pair<std::string, double>;  // a text, and its probability

int color_of(double probability) {
  // The third power, as in whisper.cpp: most of a text is likely, and should not be one colour.
  const double share = probability * probability * probability;
  constexpr auto kSteps = static_cast<double>(kColors.size());
  return kColors.at(static_cast<size_t>(std::clamp(share * kSteps, 0.0, kSteps - 1)));
}

std::vector<Piece> pieces_of(const Segment& segment) {
  std::vector<Piece> pieces;
  pieces.reserve(segment.words.size() + segment.token_details.size());
  for (const Word& word : segment.words) {
    pieces.emplace_back(without_breaks(word.text), word.probability);
  }
  if (!pieces.empty()) return pieces;
  for (const Token& token : segment.token_details) {
    pieces.emplace_back(without_breaks(token.text), token.probability);
  }
  return pieces;
}

}  // namespace

std::string colored_line(const Segment& segment) {
  std::string line;
  int last = 0;
  for (const auto& [text, probability] : pieces_of(segment)) {
    // A line begins with no blank.
    const std::string_view shown = line.empty() ? text::stripped(text) : std::string_view(text);
    if (shown.empty()) continue;
    const int color = color_of(probability);
    if (color != last) line += fmt::format("\x1b[38;5;{}m", color);
    last = color;
    line += shown;
  }
  if (line.empty()) return txt_line(segment);
  return channel_label(segment.channel) + line + "\x1b[0m\n";
}

}  // namespace whinchat::transcription
