#include "whinchat/version.h"

#include <string>

#include "ops/blas.h"
#include "ops/engine_thread.h"
#include "service/engine.h"

namespace whinchat {
namespace {

std::string instruction_set() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("amx-bf16") != 0) return "AMX bf16";
  if (__builtin_cpu_supports("avx512bf16") != 0) return "AVX-512 bf16";
  if (__builtin_cpu_supports("avx512f") != 0) return "AVX-512";
  if (__builtin_cpu_supports("avx2") != 0) return "AVX2";
  return "SSE2";
#elif defined(__aarch64__)
  return "NEON";
#else
  return "portable";
#endif
}

}  // namespace

VersionInfo version_info() {
  const ops::BlasInfo blas = service::Engine::shared().run([] { return ops::blas_in_use(); });
  return {.version = WHINCHAT_VERSION,
          .mlx = ops::mlx_version(),
          .blas = ops::openblas_description(),
          .blas_library = blas.library,
          .blas_is_openblas = blas.is_openblas,
          .instruction_set = instruction_set()};
}

}  // namespace whinchat
