#include "ops/blas.h"

#include <gtest/gtest.h>
#include <mlx/ops.h>
#include <mlx/transforms.h>

namespace whinchat::ops {
namespace {

namespace mx = mlx::core;

TEST(BlasThreads, ArePutIntoForceForTheStreamsProducts) {
  for (const int threads : {1, 2, 1}) {
    set_blas_threads(threads);
    mx::array product = mx::matmul(mx::ones({512, 512}), mx::ones({512, 512}));
    mx::eval(product);
    EXPECT_EQ(blas_threads(), threads);
  }
}

}  // namespace
}  // namespace whinchat::ops
