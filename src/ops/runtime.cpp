#include "ops/runtime.h"

#include <mlx/device.h>
#include <mlx/dtype.h>

#include <cstdlib>
#include <memory>
#include <optional>
#include <string>

#include "base/error.h"
#include "kernels/isa.h"
#include "kernels/product.h"
#include "ops/fast/cpu.h"

namespace whinchat::ops {
namespace {

// WHINCHAT_MAX_ISA limits the process: to compare instruction sets on one machine, or to step
// around one that is broken.
void limit_isa_as_asked() {
  const char* name = std::getenv("WHINCHAT_MAX_ISA");
  if (name == nullptr) return;
  const std::optional<kernels::Isa> isa = kernels::isa_named(name);
  if (!isa) {
    base::fail(
        ErrorKind::BadInput,
        "WHINCHAT_MAX_ISA: expected portable, sse4, avx2, avx512, avx512_vnni, avx512_bf16 or amx, "
        "got {}",
        name);
  }
  kernels::limit_isa(*isa);
}

fast::Precisions precisions_of(Products products) {
  using kernels::Precision;
  switch (products) {
    case Products::BF16:
      return {.many = Precision::BF16};
    case Products::Int8:
      return {.few = Precision::Int8, .many = has_fast_bf16() ? Precision::BF16 : Precision::Int8};
    case Products::F32:
      break;
  }
  return {};
}

}  // namespace

Runtime make_faithful(mlx::core::Dtype dtype, mlx::core::Device device) {
  return {.device = device, .dtype = dtype};
}

Runtime make_fast_gpu(mlx::core::Dtype dtype) {
  return {.device = mlx::core::Device::gpu, .dtype = dtype, .fused = true};
}

bool has_gpu() { return mlx::core::is_available(mlx::core::Device::gpu); }

Runtime make_fast_cpu(int threads, Products products) {
  limit_isa_as_asked();
  if (products == Products::BF16 && !kernels::has_bf16_products()) {
    base::fail(ErrorKind::Unsupported,
               "expected a processor with bf16 products (AMX or AVX-512 BF16), got one with {}",
               kernels::name_of(kernels::isa_in_use()));
  }
  return {.cpu = std::make_shared<fast::Cpu>(threads, precisions_of(products))};
}

std::string instruction_set() {
  limit_isa_as_asked();
  return std::string(kernels::name_of(kernels::isa_in_use()));
}

bool has_fast_bf16() {
  limit_isa_as_asked();
  return kernels::has_bf16_products() && kernels::has_fast_bf16();
}

}  // namespace whinchat::ops
