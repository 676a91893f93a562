// bench_gpu [MODEL]…: a window of the encoder and the steps of the decoder on the GPU, as the
// oracle's graph and as the fast path runs them; the features are compared before anything is
// timed. Exit status 1 where there is no GPU, or where they differ by more than a hundredth of
// their size from the oracle's f32 graph (bf16, which rounds eight times as coarsely: by eight).

#include <mlx/array.h>
#include <mlx/device.h>
#include <mlx/dtype.h>
#include <mlx/ops.h>
#include <mlx/random.h>
#include <mlx/transforms.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <ratio>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "decoding/greedy.h"
#include "decoding/rules.h"
#include "hub/model_folder.h"
#include "models/whisper/dimensions.h"
#include "models/whisper/kv_cache.h"
#include "models/whisper/whisper.h"
#include "ops/engine_thread.h"
#include "ops/runtime.h"
#include "weights/checkpoint.h"

namespace {

namespace mx = mlx::core;
using namespace whinchat;
using models::whisper::Whisper;

constexpr int kRepeats = 15;
constexpr int kTokens = 64;
constexpr double kMostDifference = 0.01;

Whisper load(const std::string& model, const ops::Runtime& runtime) {
  weights::Checkpoint checkpoint = weights::load_checkpoint(hub::find_model(model));
  return {std::move(checkpoint.weights), checkpoint.config, runtime};
}

// The best of some runs: the first ones compile.
template <typename Work>
double milliseconds(Work work) {
  double best = 1e9;
  for (int repeat = 0; repeat < kRepeats; ++repeat) {
    const auto start = std::chrono::steady_clock::now();
    work();
    const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;
    best = std::min(best, time.count());
  }
  return best;
}

mx::array features_of(const Whisper& model, const mx::array& mel) {
  return model.encoder().encode(mx::astype(mel, model.dtype()));
}

double difference(const mx::array& a, const mx::array& b) {
  const auto energy = [](const mx::array& x) { return mx::sum(mx::square(x)); };
  const mx::array wide_a = mx::astype(a, mx::float32);
  const mx::array wide_b = mx::astype(b, mx::float32);
  return mx::sqrt(mx::divide(energy(mx::subtract(wide_a, wide_b)), energy(wide_b))).item<float>();
}

double milliseconds_a_token(const Whisper& model, const mx::array& features, bool one_step_late) {
  const auto cross = model.decoder().cross(features);
  const decoding::Rules rules({.timestamps = false});
  const std::vector<int32_t> prompt = {50257, 50362};
  const double all = milliseconds([&] {
    models::whisper::KvCache cache(cross);
    decoding::decode_greedy(
        [&](const mx::array& tokens) { return model.decoder().step(tokens, cache).logits; }, prompt,
        rules,
        {.limits = {.max_tokens = kTokens},
         .special = {.eot = -1},
         .one_step_late = one_step_late});
  });
  return all / kTokens;
}

void measure(const std::string& name) {
  const mx::array mel =
      mx::random::normal({1, models::whisper::kWindowFrames, 80}, mx::random::key(1));
  const Whisper reference = load(name, ops::make_faithful(mx::float32, mx::Device::gpu));
  mx::array expected = features_of(reference, mel);
  mx::eval(expected);
  const std::vector<std::pair<const char*, ops::Runtime>> forms = {
      {"faithful f32", ops::make_faithful(mx::float32, mx::Device::gpu)},
      {"faithful f16", ops::make_faithful(mx::float16, mx::Device::gpu)},
      {"fast f32", ops::make_fast_gpu(mx::float32)},
      {"fast f16", ops::make_fast_gpu(mx::float16)},
      {"fast bf16", ops::make_fast_gpu(mx::bfloat16)}};
  for (const auto& [form, runtime] : forms) {
    const Whisper model = load(name, runtime);
    mx::array features = features_of(model, mel);
    const double off = difference(features, expected);
    const double most = runtime.dtype == mx::bfloat16 ? 8 * kMostDifference : kMostDifference;
    if (!(off <= most)) {
      base::fail(ErrorKind::Internal, "{} {}: the features differ by {:.4f} of their size", name,
                 form, off);
    }
    const double encoder = milliseconds([&] { mx::eval(features_of(model, mel)); });
    std::printf("%-10s %-13s off %.1e  window %8.3f ms  token %7.3f ms, one step late %7.3f ms\n",
                name.c_str(), form, off, encoder, milliseconds_a_token(model, features, false),
                milliseconds_a_token(model, features, true));
  }
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (!ops::has_gpu()) base::fail(ErrorKind::Unsupported, "expected a GPU, got none");
    ops::begin_engine_thread();
    const ops::OnDevice device(mx::Device::gpu);
    std::vector<std::string> models(argv + 1, argv + argc);
    if (models.empty()) models = {"base"};
    for (const std::string& model : models) measure(model);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_gpu: %s\n", error.what());
    return 1;
  }
  return 0;
}
