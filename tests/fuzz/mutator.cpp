#include "mutator.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>

namespace whinchat::fuzz {
namespace {

constexpr size_t kLargestInput = size_t{1} << 16U;
constexpr size_t kMostMutations = 6;
constexpr std::array<uint64_t, 16> kIntegers{
    0,          1,          2,          0x7F,       0x80,
    0xFF,       0x7FFF,     0x8000,     0xFFFF,     0x7FFFFFFF,
    0x80000000, 0xFFFFFFFE, 0xFFFFFFFF, 0x10000000, 0x8000000000000000,
    ~0ULL};

auto at(Input& input, size_t offset) {
  return std::next(input.begin(), static_cast<std::ptrdiff_t>(offset));
}

}  // namespace

size_t Mutator::below(size_t end) { return end == 0 ? 0 : random_() % end; }

Input Mutator::next() {
  Input input = corpus_[below(corpus_.size())];
  for (size_t count = 1 + below(kMostMutations); count > 0; --count) mutate(input);
  input.resize(std::min(input.size(), kLargestInput));
  return input;
}

void Mutator::mutate(Input& input) {
  constexpr std::array kMutations{
      &Mutator::flip_bit,     &Mutator::set_byte,     &Mutator::set_integer,  &Mutator::truncate,
      &Mutator::repeat_piece, &Mutator::remove_piece, &Mutator::insert_bytes, &Mutator::splice};
  if (input.empty()) return insert_bytes(input);
  (this->*kMutations[below(kMutations.size())])(input);
}

void Mutator::flip_bit(Input& input) {
  input[below(input.size())] ^= static_cast<uint8_t>(1U << below(8));
}

void Mutator::set_byte(Input& input) {
  input[below(input.size())] = static_cast<uint8_t>(below(256));
}

// One, two, four or eight bytes in either order; one off, now and then.
void Mutator::set_integer(Input& input) {
  const size_t width = std::min(size_t{1} << below(4), input.size());
  const uint64_t value = kIntegers[below(kIntegers.size())] + below(3) - 1;
  std::array<uint8_t, sizeof(value)> bytes{};
  std::memcpy(bytes.data(), &value, sizeof(value));
  if (below(2) == 0) std::reverse(bytes.begin(), bytes.begin() + width);
  std::copy_n(bytes.begin(), width, at(input, below(input.size() - width + 1)));
}

void Mutator::truncate(Input& input) { input.resize(below(input.size())); }

void Mutator::repeat_piece(Input& input) {
  const size_t start = below(input.size());
  const size_t size = 1 + below(std::min<size_t>(input.size() - start, 4096));
  const Input piece(at(input, start), at(input, std::min(start + size, input.size())));
  input.insert(at(input, below(input.size() + 1)), piece.begin(), piece.end());
}

void Mutator::remove_piece(Input& input) {
  const size_t start = below(input.size());
  const size_t size = 1 + below(input.size() - start);
  input.erase(at(input, start), at(input, std::min(start + size, input.size())));
}

void Mutator::insert_bytes(Input& input) {
  Input piece(1 + below(16));
  for (uint8_t& byte : piece) byte = static_cast<uint8_t>(below(256));
  input.insert(at(input, below(input.size() + 1)), piece.begin(), piece.end());
}

// The start of this input, then the end of another.
void Mutator::splice(Input& input) {
  const Input& other = corpus_[below(corpus_.size())];
  input.resize(below(input.size() + 1));
  const auto start = static_cast<std::ptrdiff_t>(below(other.size() + 1));
  input.insert(input.end(), std::next(other.begin(), start), other.end());
}

}  // namespace whinchat::fuzz
