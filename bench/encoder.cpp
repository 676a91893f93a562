// ./dev bench encoder [SIZE…]: a window of the encoder of base, small and large-v3-turbo, with
// random weights and in the compute type that `auto` chooses, and its share of the rate of one
// large product (feed-forward, as wide as that size's) and of the peak of the multiplying
// instructions.

#include <mlx/array.h>
#include <mlx/device.h>
#include <mlx/ops.h>
#include <mlx/random.h>
#include <mlx/transforms.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <exception>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "kernels/product.h"
#include "kernels/team.h"
#include "machine.h"
#include "models/whisper/dimensions.h"
#include "models/whisper/random_checkpoint.h"
#include "models/whisper/whisper.h"
#include "ops/engine_thread.h"
#include "ops/runtime.h"
#include "peak.h"

namespace {

namespace mx = mlx::core;
namespace bench = whinchat::bench;
namespace kernels = whinchat::kernels;
namespace ops = whinchat::ops;
namespace whisper = whinchat::models::whisper;

struct Size {
  const char* name;
  int n_mels, width, heads, layers;
};

constexpr std::array<Size, 3> kSizes = {
    {{"base", 80, 512, 8, 6}, {"small", 80, 768, 12, 12}, {"large-v3-turbo", 128, 1280, 20, 32}}};
constexpr double kGiga = 1e9;
constexpr int kPositions = 1500;

// Its decoder is there to make it whole, and small.
whisper::ModelDimensions dimensions_of(const Size& size) {
  whisper::ModelDimensions dims = whisper::tiny_dimensions();
  dims.n_mels = size.n_mels;
  dims.n_audio_ctx = kPositions;
  dims.n_audio_state = dims.n_text_state = size.width;
  dims.n_audio_head = dims.n_text_head = size.heads;
  dims.n_audio_layer = size.layers;
  dims.n_text_layer = 1;
  return dims;
}

// Products of a window: two convolutions, then per layer four projections, a feed-forward of four
// times the width, and every position's attention to all.
double operations_of(const Size& size) {
  const double width = size.width;
  const double conv = 2.0 * 2 * kPositions * 3 * size.n_mels * width;
  const double strided_conv = 2.0 * kPositions * 3 * width * width;
  const double layer =
      2.0 * kPositions * 12 * width * width + 4.0 * kPositions * kPositions * width;
  return conv + strided_conv + size.layers * layer;
}

// What the machine multiplies in the same minute, in operations a second; peak 0: unknown.
struct Limits {
  double product, peak;
};

Limits limits_of(const Size& size, bool bf16, kernels::Team& team) {
  const bench::Shape shape{kPositions, size.width, 4 * size.width};
  const bench::Rate product =
      bf16 ? bench::kernel_product_rate(shape, kernels::Precision::BF16, team)
           : bench::f32_product_rate(shape, team.size());
  const auto factors = bf16 ? bench::Factors::BF16 : bench::Factors::F32;
  const std::optional<bench::Peak> peak = bench::multiply_peak(factors, team);
  return {product.median, peak ? peak->rate.median : 0};
}

void measure(const Size& size, bool bf16, kernels::Team& team) {
  const whisper::ModelDimensions dims = dimensions_of(size);
  const whisper::Whisper model(
      whisper::random_weights(dims), whisper::config_of(dims),
      ops::make_fast_cpu(team.size(), bf16 ? ops::Products::BF16 : ops::Products::F32));
  const mx::array mel = mx::astype(
      mx::random::normal({1, 2 * kPositions, size.n_mels}, mx::random::key(1)), model.dtype());
  const auto encode = [&] {
    mx::array features = model.encoder().encode(mel);
    mx::eval(features);
    return features;
  };
  if (!mx::all(mx::isfinite(encode())).item<bool>())
    throw std::runtime_error(std::string(size.name) + ": a feature is not finite");
  const Limits limits = limits_of(size, bf16, team);
  const double operations = operations_of(size);
  const bench::Rate rate = bench::rate_of(operations, [&] { encode(); });
  std::printf("%-16s %9.1f %9.0f %9.0f %6.0f%%", size.name, 1e3 * operations / rate.median,
              rate.median / kGiga, limits.product / kGiga, 100 * rate.median / limits.product);
  if (limits.peak > 0)
    std::printf(" %9.0f %6.0f%%", limits.peak / kGiga, 100 * rate.median / limits.peak);
  std::printf("\n");
}

void measure_all(const std::vector<std::string>& names) {
  ops::begin_engine_thread();
  const ops::OnDevice device(mx::Device::cpu);
  const bool bf16 = ops::has_fast_bf16();
  kernels::Team team(0);
  std::printf("%d cores, %s; GFLOP/s; products by %s, peak of the instructions\n", team.size(),
              bf16 ? "bf16" : "f32", bf16 ? "the kernels" : "OpenBLAS");
  std::printf("%-16s %9s %9s %9s %7s %9s %7s\n", "encoder", "ms", "rate", "product", "share",
              "peak", "share");
  for (const Size& size : kSizes) {
    if (names.empty() || std::ranges::find(names, size.name) != names.end())
      measure(size, bf16, team);
  }
}

bool is_size(const std::string& name) {
  return std::ranges::any_of(kSizes, [&](const Size& size) { return name == size.name; });
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> names(argv + 1, argv + argc);
  if (!std::ranges::all_of(names, is_size)) {
    std::fprintf(stderr, "dev bench encoder: expected base, small or large-v3-turbo\n");
    return 2;
  }
  try {
    measure_all(names);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "dev bench encoder: %s\n", error.what());
    return 1;
  }
  return 0;
}
