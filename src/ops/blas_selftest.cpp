// whinchat-selftest: compares cblas_sgemm with a plain loop at odd sizes. Distributions' OpenBLAS
// is older than some processors, and a wrong kernel shows here instead of in somebody's transcript.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <limits>
#include <random>
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
  size_t m, n, k;
  bool transpose_b;
};

std::vector<float> random_values(size_t count, std::mt19937& random) {
  std::uniform_real_distribution<float> uniform(-1.0F, 1.0F);
  std::vector<float> values(count);
  std::ranges::generate(values, [&] { return uniform(random); });
  return values;
}

std::vector<float> multiply(const Product& p, const std::vector<float>& a,
                            const std::vector<float>& b) {
  std::vector<float> c(p.m * p.n, 7.0F);
  const auto m = static_cast<int>(p.m);
  const auto n = static_cast<int>(p.n);
  const auto k = static_cast<int>(p.k);
  cblas_sgemm(kRowMajor, kPlain, p.transpose_b ? kTransposed : kPlain, m, n, k, 1.0F, a.data(), k,
              b.data(), p.transpose_b ? k : n, 0.0F, c.data(), n);
  return c;
}

// Whether one element is within (k + 1) · ε · Σ |a·b|, the bound for any order of summation.
bool is_element_right(const Product& p, const std::vector<float>& a, const std::vector<float>& b,
                      size_t row, size_t column, double result) {
  double sum = 0;
  double magnitude = 0;
  for (size_t i = 0; i < p.k; ++i) {
    const double term = static_cast<double>(a[row * p.k + i]) *
                        static_cast<double>(b[p.transpose_b ? column * p.k + i : i * p.n + column]);
    sum += term;
    magnitude += std::abs(term);
  }
  const double epsilon = std::numeric_limits<float>::epsilon();
  // Written so that a NaN is wrong.
  return std::abs(result - sum) <= static_cast<double>(p.k + 1) * epsilon * magnitude;
}

bool is_right(const Product& p, std::mt19937& random) {
  const std::vector<float> a = random_values(p.m * p.k, random);
  const std::vector<float> b = random_values(p.k * p.n, random);
  const std::vector<float> c = multiply(p, a, b);
  for (size_t i = 0; i < c.size(); ++i) {
    if (!is_element_right(p, a, b, i / p.n, i % p.n, static_cast<double>(c[i]))) return false;
  }
  return true;
}

std::vector<Product> products() {
  std::vector<Product> result;
  for (const size_t size : {1, 3, 7, 17, 31, 33, 64, 127, 129, 255}) {
    for (const bool transpose_b : {false, true}) {
      result.push_back({size, size + 2, 2 * size + 1, transpose_b});
      result.push_back({1, 3 * size, size + 1, transpose_b});
      result.push_back({2 * size + 1, 1, size, transpose_b});
    }
  }
  return result;
}

}  // namespace

int main() {
  std::mt19937 random(1);
  for (const Product& p : products()) {
    if (is_right(p, random)) continue;
    std::fprintf(
        stderr,
        "whinchat-selftest: expected the product of %zu x %zu and %zu x %zu within rounding "
        "of a plain loop, got a wrong one from %s: set OPENBLAS_CORETYPE=Haswell, or "
        "install a newer OpenBLAS\n",
        p.m, p.k, p.k, p.n, whinchat::ops::openblas_description().c_str());
    return 1;
  }
  return 0;
}
