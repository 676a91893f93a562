// ./dev bench limits [--json]: what the machine at hand can do at best, for judging kernels by:
// its instruction sets, how fast they multiply, the rate of large products and of reading memory,
// on all usable cores.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/cores.h"
#include "kernels/product.h"
#include "kernels/team.h"
#include "machine.h"
#include "ops/runtime.h"
#include "peak.h"

namespace {

namespace kernels = whinchat::kernels;

using whinchat::bench::Factors;
using whinchat::bench::kernel_product_rate;
using whinchat::bench::multiply_peak;
using whinchat::bench::Peak;
using whinchat::bench::Rate;
using whinchat::bench::Shape;
using whinchat::kernels::Precision;

constexpr double kGiga = 1e9;

constexpr std::array<Shape, 3> kShapes = {
    {{1500, 512, 2048}, {1500, 1280, 5120}, {2048, 2048, 2048}}};

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

struct Limits {
  std::string kernel_set = whinchat::ops::instruction_set();  // first: it may be limited
  int cores = 1;
  std::optional<Peak> f32_peak, bf16_peak, int8_peak;
  std::vector<Rate> f32, bf16, int8;  // one a shape; bf16 where the processor has it
  Rate read;
};

Limits measure() {
  Limits limits;
  limits.cores = kernels::usable_cores();
  for (const Shape& shape : kShapes)
    limits.f32.push_back(whinchat::bench::f32_product_rate(shape, limits.cores));
  kernels::Team team(limits.cores);
  limits.f32_peak = multiply_peak(Factors::F32, team);
  limits.bf16_peak = multiply_peak(Factors::BF16, team);
  limits.int8_peak = multiply_peak(Factors::Int8, team);
  for (const Shape& shape : kShapes) {
    if (kernels::has_bf16_products())
      limits.bf16.push_back(kernel_product_rate(shape, Precision::BF16, team));
    limits.int8.push_back(kernel_product_rate(shape, Precision::Int8, team));
  }
  limits.read = whinchat::bench::read_rate(limits.cores);
  return limits;
}

void print_rates(const char* name, const std::vector<Rate>& rates, const char* library) {
  for (size_t i = 0; i < rates.size(); ++i) {
    const Shape& shape = kShapes.at(i);
    std::printf("%-17s %7.1f  %7.1f  GFLOP/s, [%d, %d] x [%d, %d], %s\n", name,
                rates[i].median / kGiga, rates[i].best / kGiga, shape.m, shape.k, shape.k, shape.n,
                library);
  }
}

void print_peak(const char* name, const std::optional<Peak>& peak) {
  if (!peak) return;
  std::printf("%-17s %7.1f  %7.1f  GFLOP/s, %s\n", name, peak->rate.median / kGiga,
              peak->rate.best / kGiga, peak->instruction);
}

void print_table(const Limits& limits) {
  std::printf("processor         %s\n", cpuinfo("model name").c_str());
  std::printf("instruction sets  %s\n", instruction_sets().c_str());
  std::printf("kernels use       %s\n", limits.kernel_set.c_str());
  std::printf("usable cores      %d\n", limits.cores);
  std::printf("                   median     best\n");
  print_peak("f32 peak", limits.f32_peak);
  print_rates("f32 product", limits.f32, "OpenBLAS");
  print_peak("bf16 peak", limits.bf16_peak);
  print_rates("bf16 product", limits.bf16, "the kernels");
  print_peak("int8 peak", limits.int8_peak);
  print_rates("int8 product", limits.int8, "the kernels");
  std::printf("reading memory    %7.1f  %7.1f  GB/s, %zu MB\n", limits.read.median / kGiga,
              limits.read.best / kGiga, whinchat::bench::bytes_to_read() >> 20U);
}

// The best shape's.
Rate highest(const std::vector<Rate>& rates) {
  return *std::ranges::max_element(rates, {}, &Rate::median);
}

void print_json(const Limits& limits) {
  const auto print = [](const char* name, const Rate& rate) {
    std::printf(", \"%s\": %.1f, \"%s_best\": %.1f", name, rate.median / kGiga, name,
                rate.best / kGiga);
  };
  std::printf("{\"cores\": %d, \"instruction_sets\": \"%s\"", limits.cores,
              instruction_sets().c_str());
  if (limits.f32_peak) print("f32_peak_gflops", limits.f32_peak->rate);
  if (limits.bf16_peak) print("bf16_peak_gflops", limits.bf16_peak->rate);
  if (limits.int8_peak) print("int8_peak_gflops", limits.int8_peak->rate);
  print("f32_gflops", highest(limits.f32));
  if (!limits.bf16.empty()) print("bf16_gflops", highest(limits.bf16));
  print("int8_gflops", highest(limits.int8));
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
