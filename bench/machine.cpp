#include "machine.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <barrier>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <random>
#include <thread>
#include <vector>

#include "kernels/bf16.h"
#include "kernels/element.h"
#include "kernels/product.h"
#include "kernels/team.h"

extern "C" void cblas_sgemm(int layout, int transpose_a, int transpose_b, int m, int n, int k,
                            float alpha, const float* a, int lda, const float* b, int ldb,
                            float beta, float* c, int ldc);
extern "C" void openblas_set_num_threads(int threads);

namespace whinchat::bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kRepeats = 9;

double flops(const Shape& shape) { return 2.0 * shape.m * shape.k * shape.n; }

uint64_t sum(const uint64_t* begin, const uint64_t* end) {
  std::array<uint64_t, 8> sums{};
  for (; begin + sums.size() <= end; begin += sums.size()) {
    for (size_t i = 0; i < sums.size(); ++i) sums[i] += begin[i];
  }
  uint64_t total = 0;
  for (const uint64_t part : sums) total += part;
  return total;
}

}  // namespace

std::vector<float> random_values(size_t count) {
  std::mt19937 random(1);
  std::uniform_real_distribution<float> uniform(-1, 1);
  std::vector<float> values(count);
  std::ranges::generate(values, [&] { return uniform(random); });
  return values;
}

Rate rate_of(double amount, const std::function<void()>& work) {
  work();
  std::vector<double> rates;
  for (int repeat = 0; repeat < kRepeats; ++repeat) {
    const auto start = Clock::now();
    work();
    const std::chrono::duration<double> seconds = Clock::now() - start;
    rates.push_back(amount / seconds.count());
  }
  std::ranges::sort(rates);
  return {rates[rates.size() / 2], rates.back()};
}

Rate f32_product_rate(const Shape& shape, int threads) {
  openblas_set_num_threads(threads);
  constexpr int kRowMajor = 101;
  constexpr int kPlain = 111;
  const std::vector<float> a = random_values(static_cast<size_t>(shape.m) * shape.k);
  const std::vector<float> b = random_values(static_cast<size_t>(shape.k) * shape.n);
  std::vector<float> c(static_cast<size_t>(shape.m) * shape.n);
  return rate_of(flops(shape), [&] {
    cblas_sgemm(kRowMajor, kPlain, kPlain, shape.m, shape.n, shape.k, 1, a.data(), shape.k,
                b.data(), shape.n, 0, c.data(), shape.n);
  });
}

Rate kernel_product_rate(const Shape& shape, kernels::Precision precision, kernels::Team& team) {
  const std::vector<float> x = random_values(static_cast<size_t>(shape.m) * shape.k);
  const std::vector<float> weights = random_values(static_cast<size_t>(shape.k) * shape.n);
  std::vector<uint16_t> halves(x.size());
  std::ranges::transform(x, halves.begin(), [](float value) { return kernels::to_bf16(value); });
  std::vector<float> y(static_cast<size_t>(shape.m) * shape.n);
  const std::array<kernels::WeightView, 1> view = {
      {{weights.data(), kernels::Element::F32, shape.n, shape.k}}};
  const auto packed =
      kernels::PackedWeights::pack(view, kernels::RowsPerCall::Many, precision, team);
  kernels::Product product = {.rows = shape.m, .x = {x.data(), shape.k}, .y = {y.data(), shape.n}};
  if (packed.input_type() == kernels::Element::BF16)
    product.x = {halves.data(), shape.k, kernels::Element::BF16};
  return rate_of(flops(shape), [&] { packed.multiply(product, team); });
}

// Much more than the last-level cache holds, in bytes.
size_t bytes_to_read() {
  const int64_t cache = std::max<int64_t>(sysconf(_SC_LEVEL3_CACHE_SIZE), 0);
  return std::max<size_t>(size_t{1} << 29U, 8 * static_cast<size_t>(cache));
}

Rate read_rate(int threads) {
  const size_t part = bytes_to_read() / sizeof(uint64_t) / static_cast<size_t>(threads);
  std::barrier together(threads + 1);
  std::vector<uint64_t> sums(static_cast<size_t>(threads));
  std::vector<std::jthread> team;
  team.reserve(static_cast<size_t>(threads));
  for (int thread = 0; thread < threads; ++thread) {
    team.emplace_back([&, thread] {
      const std::vector<uint64_t> memory(part, 1);  // made here, so that it lies near this core
      for (int repeat = 0; repeat <= kRepeats; ++repeat) {
        together.arrive_and_wait();
        sums[static_cast<size_t>(thread)] += sum(memory.data(), memory.data() + part);
        together.arrive_and_wait();
      }
    });
  }
  const double bytes = static_cast<double>(part * sizeof(uint64_t)) * threads;
  const Rate rate = rate_of(bytes, [&] {
    together.arrive_and_wait();
    together.arrive_and_wait();
  });
  // Looked at, so that the reading is not optimised away.
  if (std::ranges::find(sums, 0U) != sums.end()) return {};
  return rate;
}

}  // namespace whinchat::bench
