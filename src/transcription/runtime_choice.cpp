#include "transcription/runtime_choice.h"

#include <mlx/device.h>
#include <mlx/dtype.h>

#include "base/error.h"
#include "ops/blas.h"
#include "ops/runtime.h"
#include "whinchat/transcription.h"

namespace whinchat::transcription {
namespace {

namespace mx = mlx::core;

// Where `options` want the model to run.
mx::Device device_for(const ModelOptions& options) {
  if (options.device == Device::Cpu) return mx::Device::cpu;
  if (ops::has_gpu()) return mx::Device::gpu;
  if (options.device == Device::Gpu) {
    base::fail(ErrorKind::Unsupported,
               "expected a GPU, got none: this machine has none that this build of MLX can use");
  }
  return mx::Device::cpu;
}

ops::Runtime faithful_runtime(const ModelOptions& options, mx::Device device) {
  if (options.compute == Compute::BF16 || options.compute == Compute::Int8) {
    base::fail(ErrorKind::BadInput, "the faithful path computes in f32 or f16, got {}",
               options.compute == Compute::BF16 ? "bf16" : "int8");
  }
  if (device == mx::Device::cpu) {
    if (options.threads > 0) ops::set_blas_threads(options.threads);
    ops::require_openblas();
  }
  return ops::make_faithful(options.compute == Compute::F16 ? mx::float16 : mx::float32, device);
}

ops::Runtime gpu_runtime(const ModelOptions& options) {
  switch (options.compute) {
    case Compute::F32:
      return ops::make_fast_gpu(mx::float32);
    case Compute::BF16:
      return ops::make_fast_gpu(mx::bfloat16);
    case Compute::Int8:
      base::fail(ErrorKind::BadInput,
                 "a GPU computes in f16, bf16 or f32, got int8; a CPU has it (device cpu)");
    case Compute::F16:
    case Compute::Auto:
      break;
  }
  return ops::make_fast_gpu(mx::float16);
}

ops::Products products_of(Compute compute) {
  if (compute == Compute::Int8) return ops::Products::Int8;
  const bool wants_bf16 =
      compute == Compute::BF16 || (compute == Compute::Auto && ops::has_fast_bf16());
  return wants_bf16 ? ops::Products::BF16 : ops::Products::F32;
}

ops::Runtime cpu_runtime(const ModelOptions& options) {
  if (options.compute == Compute::F16) {
    base::fail(
        ErrorKind::BadInput,
        "the fast path of a CPU computes in f32, bf16 or int8, got f16; the faithful path has it");
  }
  return ops::make_fast_cpu(options.threads, products_of(options.compute));
}

}  // namespace

ops::Runtime runtime_for(const ModelOptions& options) {
  if (options.threads < 0) {
    base::fail(ErrorKind::BadInput, "threads must be 0 or more, got {}", options.threads);
  }
  const mx::Device device = device_for(options);
  if (options.profile && (options.faithful || device == mx::Device::gpu)) {
    base::fail(ErrorKind::BadInput,
               "the profile is of the operations of a CPU's fast path: {} has none",
               options.faithful ? "the faithful path" : "a GPU");
  }
  if (options.faithful) return faithful_runtime(options, device);
  return device == mx::Device::gpu ? gpu_runtime(options) : cpu_runtime(options);
}

}  // namespace whinchat::transcription
