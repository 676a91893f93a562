// What this build is made of and runs on.
#pragma once

#include <string>

#include "whinchat/api.h"

namespace whinchat {

struct VersionInfo {
  std::string version;          // of whinchat
  std::string mlx;              // of MLX
  std::string blas;             // OpenBLAS's version, kernel set and threading
  std::string blas_library;     // the file whose cblas_sgemm MLX calls
  bool blas_is_openblas;        // false: faithful results are refused
  std::string instruction_set;  // of the fast path's kernels: avx2, amx, …
};

WHINCHAT_API VersionInfo version_info();

}  // namespace whinchat
