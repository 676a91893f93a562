#include "ops/parameter.h"

#include <mlx/allocator.h>
#include <mlx/array.h>
#include <mlx/dtype.h>
#include <mlx/ops.h>

#include <cstddef>
#include <cstring>
#include <utility>

namespace whinchat::ops {

size_t Parameter::size() const {
  size_t size = 1;
  for (const int dimension : shape) size *= static_cast<size_t>(dimension);
  return size;
}

mx::array to_array(const Parameter& parameter, mx::Dtype dtype) {
  if (parameter.data == nullptr) return mx::zeros(parameter.shape, dtype);
  const size_t bytes = parameter.size() * mx::size_of(parameter.dtype);
  mx::allocator::Data data = mx::allocator::malloc(bytes);
  if (bytes > 0) {
    mx::allocator::Buffer buffer = data.buffer();
    std::memcpy(buffer.raw_ptr(), parameter.data, bytes);
  }
  const mx::array stored(std::move(data), parameter.shape, parameter.dtype);
  return stored.dtype() == dtype ? stored : mx::astype(stored, dtype);
}

}  // namespace whinchat::ops
