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

// What a causal layer remembers of earlier positions, a row a beam. How is its form's affair.
struct PastKeyValue {
  int length = 0;                 // positions so far
  std::vector<mx::array> arrays;  // [… B, S ≥ length, C] each; none before the first position

  int batch() const { return arrays.empty() ? 0 : arrays[0].shape(-3); }
  // Row i becomes row rows[i].
  void take_rows(std::span<const int> rows);
};

}  // namespace whinchat::ops
