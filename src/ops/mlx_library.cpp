#include "ops/mlx_library.h"

#include <dlfcn.h>
#include <mlx/version.h>

#include <string>

#include "base/error.h"

namespace whinchat::ops {

namespace mx = mlx::core;

std::string mlx_version() { return mx::version(); }

void require_built_mlx() {
  const std::string built =
      fmt::format("{}.{}.{}", MLX_VERSION_MAJOR, MLX_VERSION_MINOR, MLX_VERSION_PATCH);
  const std::string found = mlx_version();
  // Wheels for GPUs and nightly builds add a suffix.
  if (found == built || found.starts_with(built + "+")) return;
  Dl_info file{};
  const bool is_known = dladdr(reinterpret_cast<const void*>(&mx::version), &file) != 0;
  base::fail(ErrorKind::Unsupported,
             "whinchat needs MLX {}, but this process had already loaded {} ({}): load whinchat "
             "first, or in a process of its own",
             built, found, is_known ? file.dli_fname : "an unknown file");
}

}  // namespace whinchat::ops
