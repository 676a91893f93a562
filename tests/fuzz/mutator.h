// Makes new inputs for a fuzz target out of its corpus. The same corpus and seed give the same
// inputs in the same order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace whinchat::fuzz {

using Input = std::vector<uint8_t>;

class Mutator {
 public:
  // `corpus` outlives this and is not empty.
  Mutator(const std::vector<Input>& corpus, uint64_t seed) : corpus_(corpus), random_(seed) {}

  // A corpus input, changed a few times.
  Input next();

 private:
  void mutate(Input& input);
  void flip_bit(Input& input);
  void set_byte(Input& input);
  void set_integer(Input& input);
  void truncate(Input& input);
  void repeat_piece(Input& input);
  void remove_piece(Input& input);
  void insert_bytes(Input& input);
  void splice(Input& input);

  // In [0, end); 0 when `end` is 0.
  size_t below(size_t end);

  const std::vector<Input>& corpus_;
  std::mt19937_64 random_;
};

}  // namespace whinchat::fuzz
