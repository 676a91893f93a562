#include "weights/array.h"

#include <mlx/array.h>
#include <mlx/device.h>
#include <mlx/dtype.h>
#include <mlx/ops.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <memory>

#include "base/error.h"
#include "ops/engine_thread.h"
#include "ops/parameter.h"
#include "weights/tensor.h"
#include "whinchat/error.h"

namespace whinchat::weights {
namespace {

namespace mx = mlx::core;

struct Type {
  DType ours;
  mx::Dtype mlx;
};
const Type kTypes[] = {
    {DType::F64, mx::float64},   {DType::F32, mx::float32}, {DType::F16, mx::float16},
    {DType::BF16, mx::bfloat16}, {DType::I8, mx::int8},     {DType::U8, mx::uint8},
    {DType::I16, mx::int16},     {DType::U16, mx::uint16},  {DType::I32, mx::int32},
    {DType::U32, mx::uint32},    {DType::I64, mx::int64},   {DType::U64, mx::uint64}};

mx::Dtype mlx_type(DType dtype) {
  const auto* const type = std::ranges::find(kTypes, dtype, &Type::ours);
  if (type != std::end(kTypes)) return type->mlx;
  base::fail(ErrorKind::Internal, "[weights.to_parameter] expected a type, got {}",
             static_cast<int>(dtype));
}

DType our_type(mx::Dtype dtype) {
  const auto* const type = std::ranges::find(kTypes, dtype, &Type::mlx);
  if (type != std::end(kTypes)) return type->ours;
  base::fail(ErrorKind::Internal, "[weights.to_tensor] expected a type of a checkpoint");
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

Tensor to_tensor(const mx::array& array) {
  const auto owner = std::make_shared<mx::array>(mx::contiguous(array));
  owner->eval();
  return {our_type(owner->dtype()),
          {owner->shape().begin(), owner->shape().end()},
          {reinterpret_cast<const std::byte*>(owner->data<char>()), owner->nbytes()},
          owner};
}

Tensor converted(const Tensor& stored, DType dtype) {
  Tensor tensor = decoded(stored);
  if (tensor.dtype == dtype) return tensor;
  const ops::OnDevice on_cpu(mx::Device::cpu);
  return to_tensor(ops::to_array(to_parameter(tensor), mlx_type(dtype)));
}

}  // namespace whinchat::weights
