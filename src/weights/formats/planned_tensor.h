// A tensor that is to be written: what it will be, and what makes it when its turn comes, so that
// one at a time lies in memory.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "weights/tensor.h"

namespace whinchat::weights {

struct PlannedTensor {
  std::string name;
  DType dtype = DType::F32;
  std::vector<int64_t> shape;
  std::function<Tensor()> make;  // called once, in the order of the file

  uint64_t bytes() const { return byte_count(dtype, shape).value(); }
};

// Called after each tensor with the bytes of it; false ends the writing.
using OnWritten = std::function<bool(uint64_t bytes)>;

}  // namespace whinchat::weights
