#include "ops/blas.h"

#include <gtest/gtest.h>

#include <string>

namespace whinchat::ops {
namespace {

// By address: the function that libmlx's own call of cblas_sgemm is bound to lies in OpenBLAS.
TEST(Blas, LibmlxCallsOpenBlasInOurExecutable) {
  const BlasInfo blas = blas_in_use();
  EXPECT_TRUE(blas.is_openblas) << blas.library;
  EXPECT_NE(blas.library.find("openblas"), std::string::npos) << blas.library;
  EXPECT_NO_THROW(require_openblas());
}

}  // namespace
}  // namespace whinchat::ops
