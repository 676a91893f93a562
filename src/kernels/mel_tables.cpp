#include "kernels/mel_tables.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <span>

namespace whinchat::kernels {
namespace {

template <size_t kPoints>
void fill_dft(std::array<std::array<double, kPoints>, kPoints>& matrix) {
  for (size_t row = 0; row < kPoints; ++row) {
    const bool is_cosine = row <= kPoints / 2;
    const size_t k = is_cosine ? row : row - kPoints / 2;
    for (size_t n = 0; n < kPoints; ++n) {
      const double turns = static_cast<double>(k * n % kPoints) / double{kPoints};
      const double angle = 2 * std::numbers::pi * turns;
      matrix[row][n] = is_cosine ? std::cos(angle) : std::sin(angle);
    }
  }
}

// Where bin k's terms lie. With R and I the sums over a of x · cos and x · sin, and C and S those
// over b, X is (C of R − S of I) − i (S of R + C of I). Conjugates (bin 400 − k) have its power.
MelTables::Bin bin_at(int k) {
  constexpr int kZero = MelTables::kSamples;
  int few = k % MelTables::kFew;
  int more = k % MelTables::kMore;
  if (few > MelTables::kFew / 2) {
    few = MelTables::kFew - few;
    more = (MelTables::kMore - more) % MelTables::kMore;
  }
  const bool mirrored = more > MelTables::kMore / 2;  // cos is the mirror image's, sin its negative
  if (mirrored) more = MelTables::kMore - more;
  const bool has_imaginary = few % (MelTables::kFew / 2) != 0;
  const bool has_sine = more != 0;
  const int real = few * MelTables::kMore;
  const int imaginary = (few + MelTables::kFew / 2) * MelTables::kMore;
  const int sine = more + MelTables::kMore / 2;
  return {.real = {real + more, has_imaginary && has_sine ? imaginary + sine : kZero},
          .imaginary = {has_sine ? real + sine : kZero, has_imaginary ? imaginary + more : kZero},
          .sign = mirrored ? -1.0 : 1.0};
}

void add_band(std::span<const float> filter, MelTables& tables) {
  const auto is_weight = [](float weight) { return weight != 0; };
  const auto first = std::ranges::find_if(filter, is_weight) - filter.begin();
  auto end = std::ssize(filter);
  while (end > first && filter[static_cast<size_t>(end - 1)] == 0) --end;
  tables.bands.push_back(
      {static_cast<int>(first), static_cast<int>(end), static_cast<int>(tables.weights.size())});
  tables.weights.insert(tables.weights.end(), filter.begin() + first, filter.begin() + end);
}

}  // namespace

MelTables make_mel_tables(std::span<const float> filters, std::span<const float> window) {
  MelTables tables{};
  fill_dft(tables.dft16);
  fill_dft(tables.dft25);
  size_t at = 0;
  for (int b = 0; b < MelTables::kMore; ++b) {
    for (int a = 0; a < MelTables::kFew; ++a, ++at) {
      tables.sample[at] = (MelTables::kMore * a + MelTables::kFew * b) % MelTables::kSamples;
      tables.window[at] = window[static_cast<size_t>(tables.sample[at])];
    }
  }
  for (int k = 0; k < MelTables::kBins; ++k) tables.bins[static_cast<size_t>(k)] = bin_at(k);
  for (size_t i = 0; i < filters.size(); i += MelTables::kBins) {
    add_band(filters.subspan(i, MelTables::kBins), tables);
  }
  return tables;
}

}  // namespace whinchat::kernels
