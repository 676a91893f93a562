// whinchat-selftest: compares cblas_sgemm with a plain loop at odd sizes. Distributions' OpenBLAS
// is older than some processors, and a wrong kernel shows here instead of in somebody's transcript.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "ops/blas.h"

extern "C" void cblas_sgemm(int layout, int transpose_a, int transpose_b, int m, int n, int k,
                            float alpha, const float* a, int lda, const float* b, int ldb,
                            float beta, float* c, int ldc);

namespace {

constexpr int kRowMajor = 101;
constexpr int kPlain = 111;
constexpr int kTransposed = 112;

struct Product {
  int m, n, k;
  bool transpose_b;
};

std::vector<float> random_values(int count, std::mt19937& random) {
  std::uniform_real_distribution<float> uniform(-1.0F, 1.0F);
  std::vector<float> values(static_cast<size_t>(count));
  std::ranges::generate(values, [&] { return uniform(random); });
  return values;
}

// The largest error over its bound: (k + 1) · ε · Σ |a·b|, whatever the order of summation.
double error_over_bound(const Product& p, std::mt19937& random) {
  const std::vector<float> a = random_values(p.m * p.k, random);
  const std::vector<float> b = random_values(p.k * p.n, random);
  std::vector<float> c(static_cast<size_t>(p.m) * static_cast<size_t>(p.n), 7.0F);
  cblas_sgemm(kRowMajor, kPlain, p.transpose_b ? kTransposed : kPlain, p.m, p.n, p.k, 1.0F,
              a.data(), p.k, b.data(), p.transpose_b ? p.k : p.n, 0.0F, c.data(), p.n);
  double worst = 0;
  for (int i = 0; i < p.m; ++i) {
    for (int j = 0; j < p.n; ++j) {
      double sum = 0;
      double magnitude = 0;
      for (int k = 0; k < p.k; ++k) {
        const int at = p.transpose_b ? j * p.k + k : k * p.n + j;
        const double term = static_cast<double>(a[static_cast<size_t>(i * p.k + k)]) *
                            static_cast<double>(b[static_cast<size_t>(at)]);
        sum += term;
        magnitude += std::abs(term);
      }
      const double bound = (p.k + 1) * std::numeric_limits<float>::epsilon() * magnitude;
      const double error = std::abs(c[static_cast<size_t>(i * p.n + j)] - sum);
      // A NaN compares as no error; it is the worst one.
      worst = std::isnan(error) ? std::numeric_limits<double>::infinity()
                                : std::max(worst, error / bound);
    }
  }
  return worst;
}

}  // namespace

int main() {
  std::mt19937 random(1);
  for (const int size : {1, 3, 7, 17, 31, 33, 64, 127, 129, 255}) {
    for (const bool transpose_b : {false, true}) {
      for (const Product& product : {Product{size, size + 2, 2 * size + 1, transpose_b},
                                     Product{1, 3 * size, size + 1, transpose_b},
                                     Product{2 * size + 1, 1, size, transpose_b}}) {
        if (error_over_bound(product, random) <= 1.0) continue;
        std::fprintf(
            stderr,
            "whinchat-selftest: expected the product of %d x %d and %d x %d within rounding "
            "of a plain loop, got a wrong one from %s: set OPENBLAS_CORETYPE=Haswell, or "
            "install a newer OpenBLAS\n",
            product.m, product.k, product.k, product.n,
            whinchat::ops::openblas_description().c_str());
        return 1;
      }
    }
  }
  return 0;
}
