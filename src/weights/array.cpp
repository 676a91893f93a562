#include "weights/array.h"

#include <mlx/array.h>
#include <mlx/dtype.h>

#include <cstddef>
#include <cstdint>
#include <limits>

#include "base/error.h"
#include "ops/parameter.h"
#include "weights/tensor.h"
#include "whinchat/error.h"

namespace whinchat::weights {
namespace {

namespace mx = mlx::core;

mx::Dtype mlx_type(DType dtype) {
  switch (dtype) {
    case DType::F64:
      return mx::float64;
    case DType::F32:
      return mx::float32;
    case DType::F16:
      return mx::float16;
    case DType::BF16:
      return mx::bfloat16;
    case DType::I8:
      return mx::int8;
    case DType::U8:
      return mx::uint8;
    case DType::I16:
      return mx::int16;
    case DType::U16:
      return mx::uint16;
    case DType::I32:
      return mx::int32;
    case DType::U32:
      return mx::uint32;
    case DType::I64:
      return mx::int64;
    case DType::U64:
      return mx::uint64;
  }
  base::fail(ErrorKind::Internal, "[weights.to_parameter] expected a type, got {}",
             static_cast<int>(dtype));
}

mx::Shape mlx_shape(const Tensor& tensor) {
  mx::Shape shape;
  for (const int64_t dimension : tensor.shape) {
    if (dimension > std::numeric_limits<mx::ShapeElem>::max()) {
      base::fail(ErrorKind::Unsupported, "expected tensors of less than 2^31 rows, got shape {}",
                 shape_text(tensor.shape));
    }
    shape.push_back(static_cast<mx::ShapeElem>(dimension));
  }
  return shape;
}

}  // namespace

ops::Parameter to_parameter(const Tensor& stored) {
  const Tensor tensor = decoded(stored);
  ops::Parameter parameter{nullptr, mlx_type(tensor.dtype), mlx_shape(tensor), tensor.owner};
  static constexpr std::byte kNothing{};  // where a tensor without elements lies
  if (!tensor.is_placeholder()) {
    parameter.data = tensor.bytes.empty() ? &kNothing : tensor.bytes.data();
  }
  return parameter;
}

}  // namespace whinchat::weights
