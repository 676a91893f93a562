#include "transcription/words/edit_path.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace whinchat::transcription {
namespace {

using Numbers = std::span<const int>;

// What it costs to turn all of `from` into each beginning of `to`: a number more than `to` has. Of
// both from behind, if `is_reversed`.
std::vector<int> costs(Numbers from, Numbers to, bool is_reversed) {
  const auto at = [&](Numbers numbers, size_t i) {
    return is_reversed ? numbers[numbers.size() - 1 - i] : numbers[i];
  };
  std::vector<int> row(to.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (size_t i = 0; i < from.size(); ++i) {
    int diagonal = row[0];
    ++row[0];
    for (size_t j = 0; j < to.size(); ++j) {
      const int replaced = diagonal + (at(from, i) == at(to, j) ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row;
}

class Path {
 public:
  explicit Path(size_t size) : pairs_(size) {}

  // `from` begins at index `first` of the whole, `to` at `second`.
  void find(Numbers from, Numbers to, size_t first, size_t second) {
    if (from.empty() || to.empty()) return;
    if (from.size() == 1) {
      const auto same = std::ranges::find(to, from[0]);
      const auto index = same == to.end() ? 0 : static_cast<size_t>(same - to.begin());
      pairs_[first] = second + index;
      return;
    }
    const size_t half = from.size() / 2;
    const std::vector<int> before = costs(from.first(half), to, /*is_reversed=*/false);
    const std::vector<int> behind = costs(from.subspan(half), to, /*is_reversed=*/true);
    size_t cut = 0;
    for (size_t j = 0; j <= to.size(); ++j) {
      const int cost = before[j] + behind[to.size() - j];
      if (cost < before[cut] + behind[to.size() - cut]) cut = j;
    }
    find(from.first(half), to.first(cut), first, second);
    find(from.subspan(half), to.subspan(cut), first + half, second + cut);
  }

  // Of equal ways, the one that keeps words beside the next one's: what was said once and again is
  // then not torn apart.
  void close_up(Numbers from, Numbers to) {
    for (size_t i = pairs_.size(); i-- > 1;) {
      const std::optional<size_t>& next = pairs_[i];
      std::optional<size_t>& pair = pairs_[i - 1];
      if (next && pair && *pair + 1 < *next && to[*next - 1] == from[i - 1]) pair = *next - 1;
    }
  }

  std::vector<std::optional<size_t>> take() { return std::move(pairs_); }

 private:
  std::vector<std::optional<size_t>> pairs_;
};

}  // namespace

std::vector<std::optional<size_t>> edit_path(std::span<const std::string> from,
                                             std::span<const std::string> to) {
  std::map<std::string, int> known;
  const auto numbers_of = [&](std::span<const std::string> words) {
    std::vector<int> numbers;
    numbers.reserve(words.size());
    for (const std::string& word : words) {
      numbers.push_back(known.try_emplace(word, static_cast<int>(known.size())).first->second);
    }
    return numbers;
  };
  const std::vector<int> from_numbers = numbers_of(from);
  const std::vector<int> to_numbers = numbers_of(to);
  Path path(from.size());
  path.find(from_numbers, to_numbers, 0, 0);
  path.close_up(from_numbers, to_numbers);
  return path.take();
}

}  // namespace whinchat::transcription
