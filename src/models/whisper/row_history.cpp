#include "models/whisper/row_history.h"

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "ops/key_value.h"

namespace whinchat::models::whisper {

void RowHistory::note(int rows, int length, bool is_done) {
  if (is_done && !order_.empty()) {
    std::vector<Row> moved;
    moved.reserve(order_.size());
    for (const int row : order_) moved.push_back(stored_[static_cast<size_t>(row)]);
    stored_ = std::move(moved);
    order_.clear();
  }
  if (stored_.empty()) stored_.resize(static_cast<size_t>(rows));
  for (Row& row : stored_) {
    while (row.size() < static_cast<size_t>(length)) row.push_back(next_id_++);
  }
}

int RowHistory::batch() const {
  return static_cast<int>(order_.empty() ? stored_.size() : order_.size());
}

ops::RowOrder RowHistory::reorder(std::span<const int> rows) {
  std::vector<int> composed(rows.begin(), rows.end());
  if (!order_.empty()) {
    for (int& row : composed) row = order_[static_cast<size_t>(row)];
  }
  order_ = std::move(composed);
  ops::RowOrder order{order_, {}};
  for (size_t i = 0; i < order_.size(); ++i) {
    const Row& source = stored_[static_cast<size_t>(order_[i])];
    const Row& target = i < stored_.size() ? stored_[i] : Row();
    const auto end = std::ranges::mismatch(source, target).in1;
    order.shared.push_back(static_cast<int>(end - source.begin()));
  }
  return order;
}

}  // namespace whinchat::models::whisper
