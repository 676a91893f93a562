#include "ops/runtime.h"

#include <mlx/dtype.h>

#include <memory>
#include <string>

#include "base/error.h"
#include "kernels/isa.h"
#include "kernels/product.h"
#include "ops/fast/cpu.h"

namespace whinchat::ops {

Runtime make_faithful(mlx::core::Dtype dtype) { return {.dtype = dtype}; }

Runtime make_fast_cpu(int threads, bool bf16) {
  if (bf16 && !has_bf16_products()) {
    base::fail(ErrorKind::Unsupported,
               "expected a processor with bf16 products (AMX or AVX-512 BF16), got one with {}",
               kernels::name_of(kernels::isa_in_use()));
  }
  const auto precision = bf16 ? kernels::Precision::BF16 : kernels::Precision::F32;
  return {.cpu = std::make_shared<fast::Cpu>(threads, precision)};
}

bool has_bf16_products() { return kernels::has_bf16_products(); }

}  // namespace whinchat::ops
