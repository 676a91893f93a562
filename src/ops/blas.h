// Which BLAS libmlx calls. MLX's CPU wheel brings the reference BLAS; faithful results are defined
// on OpenBLAS, which our link order puts first.
#pragma once

#include <string>

namespace whinchat::ops {

struct BlasInfo {
  std::string library;  // file that holds the cblas_sgemm that libmlx calls
  bool is_openblas = false;
};

// Evaluates one small product, then reads where libmlx's own reference to cblas_sgemm is bound.
// Engine thread.
BlasInfo blas_in_use();

// Throws Error{Unsupported} with the reason when libmlx's products do not run on OpenBLAS.
// Engine thread.
void require_openblas();

// OpenBLAS's description of itself: version, kernel set, threading. Any thread.
std::string openblas_description();

// Threads of OpenBLAS's products on the calling thread's CPU stream. Bits may depend on it.
// Engine thread.
void set_blas_threads(int threads);

int blas_threads();  // of the last product of the process, or as set since

}  // namespace whinchat::ops
