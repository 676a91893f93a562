// Tensors by name, and the account of who used them. A model takes each tensor that it needs with
// the shape that it expects, then calls audit() before it evaluates anything: every missing tensor,
// wrong shape and leftover is named in one error. Names are mlx-whisper's
// (encoder.blocks.0.attn.query.weight, encoder.conv1.weight as [out, k, in], …).
#pragma once

#include <functional>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "weights/tensor.h"

namespace whinchat::weights {

class WeightMap {
 public:
  // `source` names the file or folder in messages.
  explicit WeightMap(std::string source) : source_(std::move(source)) {}

  // Throws Error{Corrupt} for a name given twice, an empty one, or one that is not printable ASCII.
  void insert(std::string name, Tensor tensor);

  // The tensor, or nullptr. Does not count as use.
  const Tensor* find(std::string_view name) const;

  // Marks the tensor as used. When it is missing or has another shape, that is kept for audit(),
  // and the result is a placeholder of the expected shape, which layers take for zeros.
  Tensor take(std::string_view name, Shape expected_shape);
  Tensor take(std::string_view name, std::initializer_list<int64_t> expected_shape) {
    return take(name, Shape(expected_shape.begin(), expected_shape.size()));
  }

  // Marks a tensor that is known and of no use here; one that is missing is no error.
  void tolerate(std::string_view name);

  // Throws one Error that names what take() missed, what had another shape and what nobody used:
  // {NotFound} when a tensor is missing, else {Corrupt}.
  void audit() const;

  std::vector<std::string> names() const;  // sorted
  const std::string& source() const { return source_; }

 private:
  struct Entry {
    Tensor tensor;
    bool used = false;
  };

  std::string source_;
  std::map<std::string, Entry, std::less<>> entries_;
  std::vector<std::string> missing_;
  std::vector<std::string> misshapen_;
};

}  // namespace whinchat::weights
