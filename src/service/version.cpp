#include "whinchat/version.h"

#include "ops/blas.h"
#include "ops/mlx_library.h"
#include "ops/runtime.h"
#include "service/engine.h"

namespace whinchat {

VersionInfo version_info() {
  const ops::BlasInfo blas = service::Engine::shared().run([] { return ops::blas_in_use(); });
  return {.version = WHINCHAT_VERSION,
          .mlx = ops::mlx_version(),
          .blas = ops::openblas_description(),
          .blas_library = blas.library,
          .blas_is_openblas = blas.is_openblas,
          .instruction_set = ops::instruction_set()};
}

}  // namespace whinchat
