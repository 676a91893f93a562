// Which positions the rows of a cache have in common: beams share most of their past, so that a new
// order of rows moves only the rest.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ops/key_value.h"

namespace whinchat::models::whisper {

class RowHistory {
 public:
  // `length` positions now stand in each of the `rows` rows that are stored, the order that was
  // asked for last (if `is_done`) being theirs.
  void note(int rows, int length, bool is_done);

  // Row i is to become row rows[i] of the order so far. Says how that follows from what is stored.
  ops::RowOrder reorder(std::span<const int> rows);

  int batch() const;  // rows in the order so far

 private:
  using Row = std::vector<int32_t>;  // an id for each position: equal where it was stored once

  std::vector<Row> stored_;
  std::vector<int> order_;  // asked for and not done; empty: as stored
  int32_t next_id_ = 0;
};

}  // namespace whinchat::models::whisper
