// What nodes say that they do, against their shapes; and what they leave in memory.
#include <gtest/gtest.h>
#include <mlx/array.h>
#include <mlx/dtype.h>
#include <mlx/ops.h>
#include <mlx/transforms.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <ios>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/file_map.h"
#include "base/resident_memory.h"
#include "kernels/product.h"
#include "ops/attention.h"
#include "ops/choose.h"
#include "ops/engine_thread.h"
#include "ops/fast/layers.h"
#include "ops/key_value.h"
#include "ops/logits.h"
#include "ops/mlp.h"
#include "ops/parameter.h"
#include "ops/profile.h"
#include "ops/runtime.h"

namespace whinchat::ops {
namespace {

constexpr int kWidth = 32, kHeads = 2, kHidden = 64, kTokens = 48;
constexpr int64_t kFloat = sizeof(float);
constexpr int64_t kMatrix = int64_t{kWidth} * kWidth, kTall = int64_t{kWidth} * kHidden;
constexpr int64_t kRow = kWidth * kFloat;  // of keys or values

const Runtime& runtime() {
  static const Runtime kRuntime = [] {
    begin_engine_thread();
    return make_fast_cpu(2, Products::F32);
  }();
  return kRuntime;
}

Parameter zeros(mx::Shape shape) {
  Parameter parameter{nullptr, mx::float32, std::move(shape)};
  const auto memory = std::make_shared<std::vector<std::byte>>(parameter.size() * sizeof(float));
  parameter.data = memory->data();
  parameter.owner = memory;
  return parameter;
}

NormParameters norm() { return {zeros({kWidth}), zeros({kWidth})}; }

LinearParameters linear(int out, int in) { return {zeros({out, in}), zeros({out})}; }

SelfAttentionParameters self_attention(int context) {
  const LinearParameters part = linear(kWidth, kWidth);
  return {norm(), part, part, part, part, kHeads, context};
}

mx::array rows(int batch, int length, int width = kWidth) {
  return mx::zeros({batch, length, width});
}

// What the nodes of `build`'s arrays did, by name.
std::map<std::string, Work> recorded(const std::function<std::vector<mx::array>()>& build) {
  Profile& profile = runtime().cpu->profile();
  profile.begin();
  mx::eval(build());
  profile.end();
  std::map<std::string, Work> work;
  for (const Profile::Span& span : profile.spans()) work[span.name] = span.work;
  return work;
}

void expect_work(const std::map<std::string, Work>& recorded, const std::string& name, int64_t flop,
                 int64_t read_bytes) {
  SCOPED_TRACE(name);
  ASSERT_TRUE(recorded.contains(name));
  EXPECT_EQ(recorded.at(name).flop, flop);
  EXPECT_EQ(recorded.at(name).read_bytes, read_bytes);
}

TEST(Work, OfAnEncodersLayerIsThatOfItsProductsAndItsAttention) {
  const auto attention = make_self_attention(runtime(), self_attention(/*context=*/0));
  const auto mlp = make_mlp(
      runtime(), {.norm = norm(), .up = linear(kHidden, kWidth), .down = linear(kWidth, kHidden)});
  const auto work = recorded([&] {
    const mx::array x = rows(2, 10);
    const mx::array y = project_add(attend(norm_qkv(x, attention), attention), attention, x);
    return std::vector{ops::mlp(y, mlp)};
  });
  expect_work(work, "norm_qkv", kMatrix * 2 * 20 * 3, 3 * kMatrix * kFloat);
  expect_work(work, "attend", int64_t{4} * 20 * 10 * kWidth, kRow * 2 * 20);
  expect_work(work, "project_add", kMatrix * 2 * 20, kMatrix * kFloat);
  expect_work(work, "mlp", kTall * 2 * 2 * 20, 2 * kTall * kFloat);
}

TEST(Work, OfACausalStepIsThatOfThePositionsItSees) {
  const auto attention = make_self_attention(runtime(), self_attention(/*context=*/8));
  PastKeyValue past;
  const auto step = [&](int length) {
    return recorded([&] {
      return std::vector{append_attend(norm_qkv(rows(2, length), attention), past, attention)};
    });
  };
  // 1 + 2 + 3 positions, then all five; in two rows.
  expect_work(step(3), "attend_past", int64_t{4} * 2 * 6 * kWidth, kRow * 2 * 2 * 3);
  step(1);
  expect_work(step(1), "attend_past", int64_t{4} * 2 * 5 * kWidth, kRow * 2 * 2 * 5);
}

TEST(Work, OfCrossAttentionReadsSharedKeysOnce) {
  const auto attention = make_cross_attention(
      runtime(), {norm(), linear(kWidth, kWidth), linear(kWidth, kWidth), kHeads});
  const std::array layers{KeyValueParameters{linear(kWidth, kWidth), linear(kWidth, kWidth)}};
  const auto keys = make_cross_key_value(runtime(), layers);
  const auto work = recorded([&] {
    const KeyValue kv = cross_kv(rows(1, 20), keys)[0];
    return std::vector{cross_attend(norm_query(rows(5, 1), attention), kv, attention, false).out};
  });
  expect_work(work, "cross_kv", kMatrix * 2 * 2 * 20, 2 * kMatrix * kFloat);
  expect_work(work, "norm_query", kMatrix * 2 * 5, kMatrix * kFloat);
  expect_work(work, "cross_attend", int64_t{4} * 5 * 20 * kWidth, kRow * 2 * 20);
}

TEST(Work, OfAConvolutionIsThatOfItsFrames) {
  const auto conv = make_conv(
      runtime(),
      {.weight = zeros({kHidden, 3, kWidth}), .bias = zeros({kHidden}), .stride = 2, .padding = 1});
  const auto work = recorded([&] { return std::vector{conv_gelu(rows(1, 12), conv)}; });
  expect_work(work, "conv_gelu", kTall * 2 * 6 * 3, 3 * kTall * kFloat);
}

TEST(Work, OfAChoiceIsThatOfOnePositionsLogits) {
  const auto vocabulary =
      make_vocabulary(runtime(), {zeros({kTokens, kWidth}), zeros({8, kWidth}), norm()});
  constexpr int64_t kWeights = int64_t{kTokens} * kWidth;
  const auto work = recorded([&] {
    const Logits logits = norm_logits(rows(3, 4), vocabulary);
    const LogitMask mask;
    const std::vector<int32_t> tokens{1, 2};
    return std::vector{logits.values(), logits.choose_greedy(3, {&mask, 1}).token,
                       norm_logits(rows(1, 4), vocabulary).probabilities_of(0, tokens, kTokens)};
  });
  expect_work(work, "norm_logits", kWeights * 2 * 12, kWeights * kFloat);
  expect_work(work, "logits_choose", kWeights * 2 * 3, kWeights * kFloat);
  expect_work(work, "logits_probabilities", kWeights * 2 * 2, kWeights * kFloat);
}

TEST(Linear, LeavesNoPageOfItsFileInMemory) {
  constexpr int kRows = 4096, kColumns = 2048;
  const std::filesystem::path path = std::filesystem::path(testing::TempDir()) / "linear_pages";
  constexpr size_t kBytes = size_t{kRows} * kColumns * sizeof(float);
  std::ofstream(path, std::ios::binary) << std::string(kBytes, '\0');
  const auto map = base::FileMap::open(path);
  const LinearParameters part{{map->bytes().data(), mx::float32, {kRows, kColumns}, map},
                              std::nullopt};
  const uint64_t before = base::resident_memory().now_bytes;
  const fast::Linear linear =
      fast::make_linear(*runtime().cpu, {&part, 1}, kernels::RowsPerCall::Many);
  const uint64_t grown = base::resident_memory().now_bytes - before;
  EXPECT_EQ(linear.weights.bytes(), kBytes);
  EXPECT_GT(grown, kBytes * 9 / 10);
  EXPECT_LT(grown, kBytes * 5 / 4);
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace whinchat::ops
