// ./dev bench ops [FILTER]: each kernel at the shapes of tiny, base, small and large-v3, checked
// against its reference before it is timed, with its share of what the machine at hand can do.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <functional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/attention.h"
#include "kernels/bf16.h"
#include "kernels/choose.h"
#include "kernels/element.h"
#include "kernels/isa.h"
#include "kernels/layer_norm.h"
#include "kernels/log_mel.h"
#include "kernels/product.h"
#include "kernels/team.h"
#include "machine.h"

namespace {

using namespace whinchat::kernels;
using whinchat::bench::random_values;
using whinchat::bench::Rate;

struct Model {
  const char* name;
  int width, heads, vocabulary;
};

constexpr std::array<Model, 4> kModels = {{{"tiny", 384, 6, 51865},
                                           {"base", 512, 8, 51865},
                                           {"small", 768, 12, 51865},
                                           {"large-v3", 1280, 20, 51866}}};
struct Type {
  Precision precision;
  const char* name;
};

constexpr Type kF32{Precision::F32, " f32"};
constexpr Type kInt8{Precision::Int8, " int8"};
constexpr Type kBf16{Precision::BF16, " bf16"};
constexpr int kWindow = 1500;    // positions of an encoder
constexpr int64_t kChecked = 3;  // rows that are checked: the reference takes its time

enum class Bound { F32Products, Bf16Products, Reading };

class Bench {
 public:
  explicit Bench(std::string filter) : filter_(std::move(filter)), team_(0) {
    limits_[0] = whinchat::bench::f32_product_rate({kWindow, 512, 2048}, team_.size()).best;
    if (has_bf16_products()) {
      limits_[1] =
          whinchat::bench::kernel_product_rate({kWindow, 512, 2048}, Precision::BF16, team_).best;
    }
    limits_[2] = whinchat::bench::read_rate(team_.size()).best;
    const std::string_view isa = name_of(isa_in_use());
    std::printf("%.*s, %d threads\n", static_cast<int>(isa.size()), isa.data(), team_.size());
    std::printf("%-46s %10s %14s %6s\n", "kernel", "ms", "rate", "share");
  }

  Team& team() { return team_; }
  bool wants(const std::string& name) const { return name.find(filter_) != std::string::npos; }

  // `amount`: floating-point operations, or bytes of the operands that must come from memory.
  void time(const std::string& name, Bound bound, double amount,
            const std::function<void()>& work) {
    const Rate rate = whinchat::bench::rate_of(amount, work);
    const bool reads = bound == Bound::Reading;
    std::printf("%-46s %10.3f %8.1f %s %5.0f%%\n", name.c_str(), 1e3 * amount / rate.median,
                rate.median / 1e9, reads ? "GB/s " : "GFL/s",
                100 * rate.median / limits_.at(static_cast<size_t>(bound)));
  }

 private:
  std::string filter_;
  Team team_;
  std::array<double, 3> limits_{};  // by Bound
};

void expect_near(const std::string& name, std::span<const float> values,
                 std::span<const float> expected, double bound) {
  for (size_t i = 0; i < values.size(); ++i) {
    if (std::abs(static_cast<double>(values[i]) - expected[i]) <= bound) continue;
    throw std::runtime_error(name + ": value " + std::to_string(i) + " is " +
                             std::to_string(values[i]) + ", the reference's is " +
                             std::to_string(expected[i]));
  }
}

std::vector<uint16_t> to_halves(const std::vector<float>& values, Element type) {
  std::vector<uint16_t> halves(values.size());
  std::ranges::transform(values, halves.begin(), [&](float value) {
    return type == Element::BF16 ? to_bf16(value)
                                 : __builtin_bit_cast(uint16_t, static_cast<_Float16>(value));
  });
  return halves;
}

void bench_product(Bench& bench, const std::string& name, int64_t rows, int in, int out,
                   Precision precision) {
  if (!bench.wants(name)) return;
  const bool few = rows <= 8;
  const std::vector<uint16_t> weights =
      to_halves(random_values(static_cast<size_t>(in) * static_cast<size_t>(out)), Element::F16);
  const std::vector<float> x = random_values(static_cast<size_t>(rows * in));
  const std::vector<uint16_t> x_bf16 = to_halves(x, Element::BF16);
  std::vector<float> y(static_cast<size_t>(rows * out));
  const WeightView view{weights.data(), Element::F16, out, in};
  const auto packed = PackedWeights::pack({&view, 1}, few ? RowsPerCall::Few : RowsPerCall::Many,
                                          precision, bench.team());
  const bool bf16 = packed.input_type() == Element::BF16;
  Product product{.rows = rows, .x = {x.data(), in}, .y = {y.data(), out}};
  if (bf16) product.x = {x_bf16.data(), in, Element::BF16};

  packed.multiply(product, bench.team());
  const int64_t checked = std::min(rows, kChecked);
  std::vector<float> expected(static_cast<size_t>(checked * out));
  Product part = product;
  part.rows = checked;
  part.y.data = expected.data();
  multiply_reference(part, view);
  // Terms are at most 1, and rounded by 2^-24 or, in bf16 and int8, by 2^-8 each: independently.
  const double rounding =
      precision == Precision::F32 ? std::exp2(-24) * std::sqrt(in) : std::exp2(-8);
  expect_near(name, std::span(y).first(expected.size()), expected, 8 * rounding * std::sqrt(in));

  const Bound bound = few ? Bound::Reading : bf16 ? Bound::Bf16Products : Bound::F32Products;
  const double amount =
      few ? static_cast<double>(packed.bytes()) : 2.0 * static_cast<double>(rows) * in * out;
  bench.time(name, bound, amount, [&] { packed.multiply(product, bench.team()); });
}

void bench_attention(Bench& bench, const std::string& name, int queries, const Model& model,
                     Element type) {
  if (!bench.wants(name)) return;
  const auto size = size_t{kWindow} * static_cast<size_t>(model.width);
  const std::vector<float> kv = random_values(size);
  const std::vector<uint16_t> halves = to_halves(kv, Element::BF16);
  const bool bf16 = type == Element::BF16;
  const void* rows = bf16 ? static_cast<const void*>(halves.data()) : kv.data();
  std::vector<float> out(size);
  Attention call{.queries = queries,
                 .keys = kWindow,
                 .heads = model.heads,
                 .head_size = model.width / model.heads,
                 .q = {rows, model.width, type},
                 .k = {rows, model.width, type},
                 .v = {rows, model.width, type},
                 .out = {out.data(), model.width, type}};
  attend(call, bench.team());
  const auto read = [&](const std::vector<float>& values, size_t count) {
    std::vector<float> floats(count);
    to_f32(values.data(), type, floats.data(), static_cast<int64_t>(count));
    return floats;
  };
  Attention part = call;
  part.queries = std::min<int>(queries, kChecked);
  const size_t count = static_cast<size_t>(part.queries) * static_cast<size_t>(model.width);
  std::vector<float> expected(count);
  part.out.data = expected.data();
  attend_reference(part);
  // Weighted means of values up to 1.
  expect_near(name, read(out, count), read(expected, count), bf16 ? 0x1p-6 : 0x1p-18);

  if (queries == 1) {
    const double bytes = 2.0 * static_cast<double>(size) * static_cast<double>(size_of(type));
    bench.time(name, Bound::Reading, bytes, [&] { attend(call, bench.team()); });
  } else {
    const double flops = 4.0 * queries * kWindow * model.width;
    bench.time(name, bf16 ? Bound::Bf16Products : Bound::F32Products, flops,
               [&] { attend(call, bench.team()); });
  }
}

void bench_norm(Bench& bench, const std::string& name, const Model& model) {
  if (!bench.wants(name)) return;
  const std::vector<float> weight(static_cast<size_t>(model.width), 1.0F);
  const std::vector<float> bias(static_cast<size_t>(model.width), 0.0F);
  const LayerNorm norm{weight.data(), bias.data(), model.width, 1e-5F};
  const std::vector<float> x = random_values(size_t{kWindow} * static_cast<size_t>(model.width));
  std::vector<float> y(x.size());
  std::vector<float> expected(x.size());
  const ConstRows from{x.data(), model.width};
  layer_norm(norm, kWindow, from, {y.data(), model.width});
  layer_norm_reference(norm, kWindow, from, {expected.data(), model.width});
  expect_near(name, y, expected, 1e-5);
  const double bytes = 2.0 * static_cast<double>(x.size()) * sizeof(float);
  bench.time(name, Bound::Reading, bytes, [&] {
    bench.team().split(kWindow, 1, [&](int64_t begin, int64_t end, int /*thread*/) {
      layer_norm(norm, end - begin, {x.data() + begin * model.width, model.width},
                 {y.data() + begin * model.width, model.width});
    });
  });
}

void bench_log_mel(Bench& bench, const std::string& name, int n_mels) {
  if (!bench.wants(name)) return;
  constexpr int kFrames = 3000;
  constexpr int kBins = 201;
  const std::vector<float> signal = random_values(160 * kFrames + 400);
  const std::vector<float> window(400, 1.0F);
  std::vector<float> filters(static_cast<size_t>(n_mels) * kBins, 0.0F);
  for (int m = 0; m < n_mels; ++m) {
    for (int b = m; b < std::min(kBins, m + 4); ++b)
      filters[static_cast<size_t>(m) * kBins + static_cast<size_t>(b)] = 0.3F;
  }
  const LogMel mel(n_mels, filters, window);
  std::vector<float> out(size_t{kFrames} * static_cast<size_t>(n_mels));
  mel.log_power(signal, kFrames, out.data(), bench.team());
  std::vector<float> expected(static_cast<size_t>(kChecked * n_mels));
  mel.log_power_reference(signal, kChecked, expected.data());
  expect_near(name, std::span(out).first(expected.size()), expected, 1e-5);
  bench.time(name, Bound::Reading,
             static_cast<double>((signal.size() + out.size()) * sizeof(float)),
             [&] { mel.log_power(signal, kFrames, out.data(), bench.team()); });
}

void bench_choose(Bench& bench, const std::string& name, const Model& model) {
  if (!bench.wants(name)) return;
  const std::vector<float> logits = random_values(static_cast<size_t>(model.vocabulary));
  std::array<Chosen, 5> best{};
  std::array<Chosen, 5> expected{};
  choose_top_k(logits, best);
  choose_top_k_reference(logits, expected);
  for (size_t i = 0; i < best.size(); ++i) {
    if (best[i].token != expected[i].token) throw std::runtime_error(name + ": another token");
  }
  bench.time(name, Bound::Reading, static_cast<double>(logits.size() * sizeof(float)),
             [&] { choose_top_k(logits, best); });
}

void bench_model(Bench& bench, const Model& model) {
  const auto name = [&](const char* kernel) { return std::string(kernel) + " " + model.name; };
  const int width = model.width;
  std::vector<Type> types{kF32, kInt8};
  if (has_bf16_products()) types.push_back(kBf16);
  for (const auto& [precision, type] : types) {
    bench_product(bench, name("product qkv, 1500 rows,") + type, kWindow, width, 3 * width,
                  precision);
    bench_product(bench, name("product up, 1500 rows,") + type, kWindow, width, 4 * width,
                  precision);
    bench_product(bench, name("product down, 1500 rows,") + type, kWindow, 4 * width, width,
                  precision);
    if (precision == Precision::Int8) continue;
    bench_attention(bench, name("attention, 1500 queries,") + type, kWindow, model,
                    precision == Precision::BF16 ? Element::BF16 : Element::F32);
  }
  for (const int64_t rows : {1, 5}) {
    const std::string count = std::to_string(rows) + " rows,";
    for (const auto& [precision, type] : {kF32, kInt8}) {
      bench_product(bench, name(("product up, " + count).c_str()) + type, rows, width, 4 * width,
                    precision);
      bench_product(bench, name(("product logits, " + count).c_str()) + type, rows, width,
                    model.vocabulary, precision);
    }
  }
  bench_attention(bench, name("attention, 1 query,"), 1, model, Element::F32);
  bench_norm(bench, name("layer norm, 1500 rows,"), model);
  bench_choose(bench, name("top 5 of logits,"), model);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    Bench bench(argc > 1 ? argv[1] : "");
    for (const Model& model : kModels) bench_model(bench, model);
    bench_log_mel(bench, "log-mel of 30 s, 80 bands", 80);
    bench_log_mel(bench, "log-mel of 30 s, 128 bands", 128);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "dev bench ops: %s\n", error.what());
    return 1;
  }
  return 0;
}
