// ./dev bench limits [--json]: what the machine at hand can do at best, for judging kernels by:
// its instruction sets, the rate of large products and of reading memory, on all usable cores.

#include <unistd.h>

#include <algorithm>
#include <array>
#include <barrier>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "kernels/bf16.h"
#include "kernels/cores.h"
#include "kernels/element.h"
#include "kernels/isa.h"
#include "kernels/product.h"
#include "kernels/team.h"
#include "ops/blas.h"

extern "C" void cblas_sgemm(int layout, int transpose_a, int transpose_b, int m, int n, int k,
                            float alpha, const float* a, int lda, const float* b, int ldb,
                            float beta, float* c, int ldc);

namespace {

namespace kernels = whinchat::kernels;

using Clock = std::chrono::steady_clock;

constexpr int kRepeats = 9;

struct Rate {
  double median = 0, best = 0;
};

Rate rate_of(std::vector<double> values) {
  std::ranges::sort(values);
  return {values[values.size() / 2], values.back()};
}

// The first line of /proc/cpuinfo with that key, without it.
std::string cpuinfo(std::string_view key) {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const size_t colon = line.find(": ");
    if (line.starts_with(key) && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "";
}

// Those that kernels are written for.
std::string instruction_sets() {
  constexpr std::array<std::string_view, 12> kKnown = {
      "sse4_1",  "avx",      "f16c",     "fma",         "avx2",        "avx_vnni",
      "avx512f", "avx512bw", "avx512vl", "avx512_vnni", "avx512_bf16", "amx_bf16"};
  std::istringstream flags(cpuinfo("flags"));
  std::string result;
  for (std::string flag; flags >> flag;) {
    if (std::ranges::find(kKnown, flag) != kKnown.end())
      result += (result.empty() ? "" : " ") + flag;
  }
  return result;
}

// The shape of a product: [m, k] times [k, n].
struct Shape {
  int m, k, n;
};

constexpr std::array<Shape, 3> kShapes = {
    {{1500, 512, 2048}, {1500, 1280, 5120}, {2048, 2048, 2048}}};

std::vector<float> random_values(size_t count) {
  std::mt19937 random(1);
  std::uniform_real_distribution<float> uniform(-1, 1);
  std::vector<float> values(count);
  std::ranges::generate(values, [&] { return uniform(random); });
  return values;
}

// GFLOP/s of what `multiply` does, which is one product of that shape; the first one does not
// count.
template <typename Multiply>
Rate product_rate(const Shape& shape, const Multiply& multiply) {
  const double flops = 2.0 * shape.m * shape.k * shape.n;
  multiply();
  std::vector<double> rates;
  for (int repeat = 0; repeat < kRepeats; ++repeat) {
    const auto start = Clock::now();
    multiply();
    const std::chrono::duration<double> seconds = Clock::now() - start;
    rates.push_back(flops / seconds.count() / 1e9);
  }
  return rate_of(rates);
}

// OpenBLAS's f32 product.
Rate f32_rate(const Shape& shape) {
  constexpr int kRowMajor = 101;
  constexpr int kPlain = 111;
  const std::vector<float> a = random_values(static_cast<size_t>(shape.m) * shape.k);
  const std::vector<float> b = random_values(static_cast<size_t>(shape.k) * shape.n);
  std::vector<float> c(static_cast<size_t>(shape.m) * shape.n);
  return product_rate(shape, [&] {
    cblas_sgemm(kRowMajor, kPlain, kPlain, shape.m, shape.n, shape.k, 1, a.data(), shape.k,
                b.data(), shape.n, 0, c.data(), shape.n);
  });
}

// The kernels' bf16 product, which is oneDNN's, with weights packed before.
Rate bf16_rate(const Shape& shape, kernels::Team& team) {
  const std::vector<float> values = random_values(static_cast<size_t>(shape.m) * shape.k);
  const std::vector<float> weights = random_values(static_cast<size_t>(shape.k) * shape.n);
  std::vector<uint16_t> x(values.size());
  std::ranges::transform(values, x.begin(), [](float value) { return kernels::to_bf16(value); });
  std::vector<float> y(static_cast<size_t>(shape.m) * shape.n);
  const std::array<kernels::WeightView, 1> view = {
      {{weights.data(), kernels::Element::F32, shape.n, shape.k}}};
  const auto packed = kernels::PackedWeights::pack(view, kernels::RowsPerCall::Many,
                                                   kernels::Precision::BF16, team);
  const kernels::Product product = {
      .rows = shape.m, .x = {x.data(), shape.k, kernels::Element::BF16}, .y = {y.data(), shape.n}};
  return product_rate(shape, [&] { packed.multiply(product, team); });
}

// Much more than the last-level cache holds, in bytes.
size_t bytes_to_read() {
  const int64_t cache = std::max<int64_t>(sysconf(_SC_LEVEL3_CACHE_SIZE), 0);
  return std::max<size_t>(size_t{1} << 29U, 8 * static_cast<size_t>(cache));
}

uint64_t sum(const uint64_t* begin, const uint64_t* end) {
  std::array<uint64_t, 8> sums{};
  for (; begin + sums.size() <= end; begin += sums.size()) {
    for (size_t i = 0; i < sums.size(); ++i) sums[i] += begin[i];
  }
  uint64_t total = 0;
  for (const uint64_t part : sums) total += part;
  return total;
}

// GB/s of `threads` threads that each read their own part of one large array.
Rate read_rate(int threads) {
  const size_t part = bytes_to_read() / sizeof(uint64_t) / static_cast<size_t>(threads);
  std::barrier together(threads + 1);
  std::vector<uint64_t> sums(static_cast<size_t>(threads));
  std::vector<std::jthread> team;
  team.reserve(static_cast<size_t>(threads));
  for (int thread = 0; thread < threads; ++thread) {
    team.emplace_back([&, thread] {
      const std::vector<uint64_t> memory(part, 1);  // made here, so that it lies near this core
      for (int repeat = -1; repeat < kRepeats; ++repeat) {
        together.arrive_and_wait();
        sums[static_cast<size_t>(thread)] += sum(memory.data(), memory.data() + part);
        together.arrive_and_wait();
      }
    });
  }
  std::vector<double> rates;
  for (int repeat = -1; repeat < kRepeats; ++repeat) {
    together.arrive_and_wait();
    const auto start = Clock::now();
    together.arrive_and_wait();
    const std::chrono::duration<double> seconds = Clock::now() - start;
    const double bytes = static_cast<double>(part * sizeof(uint64_t)) * threads;
    if (repeat >= 0) rates.push_back(bytes / seconds.count() / 1e9);
  }
  // Looked at, so that the reading is not optimised away.
  if (std::ranges::find(sums, 0U) != sums.end()) return {};
  return rate_of(rates);
}

struct Limits {
  int cores = 1;
  std::vector<Rate> f32, bf16;  // one a shape; bf16 where the processor and the build have it
  Rate read;
};

Limits measure() {
  Limits limits;
  limits.cores = kernels::usable_cores();
  whinchat::ops::set_blas_threads(limits.cores);
  for (const Shape& shape : kShapes) limits.f32.push_back(f32_rate(shape));
  if (kernels::has_bf16_products()) {
    kernels::Team team(limits.cores);
    for (const Shape& shape : kShapes) limits.bf16.push_back(bf16_rate(shape, team));
  }
  limits.read = read_rate(limits.cores);
  return limits;
}

void print_rates(const char* name, const std::vector<Rate>& rates, const char* library) {
  for (size_t i = 0; i < rates.size(); ++i) {
    const Shape& shape = kShapes.at(i);
    std::printf("%-17s %7.1f  %7.1f  GFLOP/s, [%d, %d] x [%d, %d], %s\n", name, rates[i].median,
                rates[i].best, shape.m, shape.k, shape.k, shape.n, library);
  }
}

void print_table(const Limits& limits) {
  const std::string_view kernel_set = kernels::name_of(kernels::isa_in_use());
  std::printf("processor         %s\n", cpuinfo("model name").c_str());
  std::printf("instruction sets  %s\n", instruction_sets().c_str());
  std::printf("kernels use       %.*s\n", static_cast<int>(kernel_set.size()), kernel_set.data());
  std::printf("usable cores      %d\n", limits.cores);
  std::printf("                   median     best\n");
  print_rates("f32 product", limits.f32, "OpenBLAS");
  print_rates("bf16 product", limits.bf16, "oneDNN");
  std::printf("reading memory    %7.1f  %7.1f  GB/s, %zu MB\n", limits.read.median,
              limits.read.best, bytes_to_read() >> 20U);
}

// The best shape's.
Rate highest(const std::vector<Rate>& rates) {
  return *std::ranges::max_element(rates, {}, &Rate::median);
}

void print_json(const Limits& limits) {
  const auto print = [](const char* name, const Rate& rate) {
    std::printf(", \"%s\": %.1f, \"%s_best\": %.1f", name, rate.median, name, rate.best);
  };
  std::printf("{\"cores\": %d, \"instruction_sets\": \"%s\"", limits.cores,
              instruction_sets().c_str());
  print("f32_gflops", highest(limits.f32));
  if (!limits.bf16.empty()) print("bf16_gflops", highest(limits.bf16));
  print("read_gbps", limits.read);
  std::printf("}\n");
}

}  // namespace

int main(int argc, char** argv) {
  const bool json = argc > 1 && std::string_view(argv[1]) == "--json";
  if (argc > 2 || (argc == 2 && !json)) {
    std::fprintf(stderr,
                 "dev bench limits: there is no such option; ./dev bench limits [--json]\n");
    return 2;
  }
  try {
    const Limits limits = measure();
    json ? print_json(limits) : print_table(limits);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "dev bench limits: %s\n", error.what());
    return 1;
  }
  return 0;
}
