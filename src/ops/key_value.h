// Keys and values that attention looks at.
#pragma once

#include <mlx/array.h>

#include <optional>
#include <span>
#include <vector>

namespace whinchat::ops {

namespace mx = mlx::core;

struct KeyValue {
  mx::array key;    // [B, S, C], neither split into heads nor scaled
  mx::array value;  // [B, S, C]
};

struct Qkv {
  mx::array query;  // [B, T, C]
  KeyValue kv;
};

struct Attended {
  mx::array out;                // [B, T, C]
  std::optional<mx::array> qk;  // [B, H, T, S], scaled scores before softmax, if wanted
};

// Rows along `axis`, in this order. Copies whole rows: MLX's gather goes element by element.
mx::array take_rows(const mx::array& x, std::span<const int> rows, int axis);

// A new order of a cache's rows: row i becomes row rows[i], which has the first shared[i] positions
// in common with what stands in row i already. Empty: as they are.
struct RowOrder {
  std::vector<int> rows, shared;
};

// What a causal layer remembers of earlier positions, a row a beam. How is its form's affair.
struct PastKeyValue {
  int length = 0;                 // positions so far
  std::vector<mx::array> arrays;  // [… B, S ≥ length, C] each; none before the first position
  RowOrder order;                 // of the rows, for the next positions to be appended to

  int stored_rows() const { return arrays.empty() ? 0 : arrays[0].shape(-3); }
};

}  // namespace whinchat::ops
