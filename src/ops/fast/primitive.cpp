#include "ops/fast/primitive.h"

#include <mlx/allocator.h>
#include <mlx/array.h>
#include <mlx/backend/cpu/encoder.h>
#include <mlx/dtype.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "base/error.h"
#include "kernels/element.h"
#include "ops/profile.h"

namespace whinchat::ops::fast {
namespace {

// The distance between rows, if rows are whole and evenly spaced.
std::optional<int64_t> row_stride(const mx::array& x) {
  const int axes = static_cast<int>(x.ndim());
  if (axes == 0 || (x.shape(-1) > 1 && x.strides(-1) != 1)) return std::nullopt;
  std::optional<int64_t> stride;  // between rows, once an axis has several
  int64_t expected = 0;
  for (int axis = axes - 2; axis >= 0; --axis) {
    if (x.shape(axis) == 1) continue;
    if (!stride) {
      stride = x.strides(axis);
    } else if (x.strides(axis) != expected) {
      return std::nullopt;
    }
    expected = x.strides(axis) * x.shape(axis);
  }
  return stride.value_or(x.shape(-1));
}

void copy_rows(const mx::array& from, size_t axis, const std::byte* source, std::byte*& target) {
  const size_t item = from.itemsize();
  const int64_t step = from.strides()[axis] * static_cast<int64_t>(item);
  for (int i = 0; i < from.shape()[axis]; ++i, source += step) {
    if (axis + 1 < from.ndim()) {
      copy_rows(from, axis + 1, source, target);
    } else {
      std::memcpy(target, source, item);
      target += item;
    }
  }
}

Operand operand_of(const mx::array& x, int64_t stride) {
  return {const_cast<std::byte*>(x.data<std::byte>()), x.shape(), stride, x.dtype()};
}

}  // namespace

int64_t Operand::rows() const {
  int64_t rows = 1;
  for (size_t axis = 0; axis + 1 < shape.size(); ++axis) rows *= shape[axis];
  return rows;
}

kernels::Rows Operand::as_rows() const { return as_rows(0); }

kernels::Rows Operand::as_rows(int64_t begin) const {
  const kernels::Element type = element_of(dtype);
  const int64_t offset = begin * stride * static_cast<int64_t>(kernels::size_of(type));
  return {static_cast<std::byte*>(data) + offset, stride, type};
}

kernels::Element element_of(mx::Dtype dtype) {
  if (dtype == mx::float32) return kernels::Element::F32;
  if (dtype == mx::float16) return kernels::Element::F16;
  if (dtype == mx::bfloat16) return kernels::Element::BF16;
  base::fail(ErrorKind::Internal, "[ops.element_of] expected a float type, got type {}",
             static_cast<int>(dtype.val()));
}

void Primitive::allocate(const std::vector<mx::array>& /*inputs*/,
                         std::vector<mx::array>& outputs) {
  for (mx::array& out : outputs) cpu().buffers().allocate(out);
}

void allocate_donatable(mx::array& out) { out.set_data(mx::allocator::malloc(out.nbytes())); }

bool Primitive::allocate_over(const mx::array& input, mx::array& out) const {
  if (input.is_donatable() && input.flags().row_contiguous && input.nbytes() == out.nbytes() &&
      input.itemsize() == out.itemsize()) {
    out.copy_shared_buffer(input);
    return true;
  }
  allocate_donatable(out);
  return false;
}

void Primitive::eval_cpu(const std::vector<mx::array>& inputs, std::vector<mx::array>& outputs) {
  allocate(inputs, outputs);
  auto& encoder = mx::cpu::get_command_encoder(stream());

  std::vector<Operand> operands;
  operands.reserve(inputs.size() + outputs.size());
  for (const mx::array& input : inputs) {
    const std::optional<int64_t> stride = row_stride(input);
    if (stride) {
      operands.push_back(operand_of(input, *stride));
      continue;
    }
    mx::array copy(input.shape(), input.dtype(), nullptr, {});
    cpu().buffers().allocate(copy);
    operands.push_back(operand_of(copy, input.ndim() == 0 ? 1 : input.shape(-1)));
    encoder.dispatch([source = mx::array::unsafe_weak_copy(input), to = copy.data<std::byte>()] {
      std::byte* target = to;
      if (source.ndim() == 0) {
        std::memcpy(target, source.data<std::byte>(), source.itemsize());
      } else {
        copy_rows(source, 0, source.data<std::byte>(), target);
      }
    });
    encoder.add_temporary(std::move(copy));
  }
  for (const mx::array& out : outputs) {
    operands.push_back(operand_of(out, row_stride(out).value_or(1)));
  }

  encoder.dispatch(
      [self = shared_from_this(), operands = std::move(operands), count = inputs.size()] {
        const std::span<const Operand> all(operands);
        Profile& profile = self->cpu_->profile();
        const auto begin = Profile::Clock::now();
        try {
          self->run(all.first(count), all.subspan(count), self->cpu_->team());
        } catch (const std::exception&) {
          throw;
        } catch (...) {
          throw std::runtime_error("a kernel threw what is no std::exception");
        }
        if (!profile.is_recording()) return;
        const auto end = Profile::Clock::now();
        profile.add({self->name(), begin, end, self->work(all.first(count), all.subspan(count))});
      });
}

void Primitive::eval_gpu(const std::vector<mx::array>& /*inputs*/,
                         std::vector<mx::array>& /*outputs*/) {
  base::fail(ErrorKind::Internal, "[ops.{}] expected to run on a CPU, got a GPU's stream", name());
}

}  // namespace whinchat::ops::fast
