#include "models/whisper/whisper.h"

#include <gtest/gtest.h>
#include <mlx/array.h>
#include <mlx/compile.h>
#include <mlx/ops.h>
#include <mlx/primitives.h>
#include <mlx/random.h>
#include <mlx/transforms.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "models/whisper/decoder.h"
#include "models/whisper/dimensions.h"
#include "models/whisper/kv_cache.h"
#include "models/whisper/random_checkpoint.h"
#include "ops/choose.h"
#include "ops/fast/cpu.h"
#include "ops/layers.h"
#include "ops/logits.h"
#include "ops/runtime.h"
#include "weights/weight_map.h"

namespace whinchat::models::whisper {
namespace {

namespace mx = mlx::core;

// MLX's fused operations, which a GPU's fast path uses, on the CPU.
ops::Runtime fused_runtime() { return {.dtype = mx::float32, .fused = true}; }

// Every fact holds for the oracle's graph, for the kernels of a CPU and for the form of a GPU.
class EveryPath : public testing::TestWithParam<const char*> {
 protected:
  static ops::Runtime runtime() {
    if (GetParam() == std::string("fast")) return ops::make_fast_cpu(2, ops::Products::F32);
    if (GetParam() == std::string("fused")) return fused_runtime();
    return ops::make_faithful(mx::float32);
  }
};

class DecoderTest : public EveryPath {};
class EncoderTest : public EveryPath {};
class KvCacheTest : public EveryPath {};
class WhisperTest : public EveryPath {};

mx::array random_features(int batch = 1) {
  return mx::random::normal({batch, 12, 16}, mx::random::key(3));
}

mx::array tokens(const std::vector<int32_t>& ids, int batch) {
  return mx::array(ids.begin(), {batch, static_cast<int>(ids.size()) / batch}, mx::int32);
}

bool is_close(const mx::array& a, const mx::array& b) {
  return mx::allclose(a, b, /*rtol=*/1e-4, /*atol=*/1e-4).item<bool>();
}

// The logits of the last position of row `row`.
mx::array last(const mx::array& logits, int row) {
  const int end = logits.shape(1);
  return mx::slice(logits, {row, end - 1, 0}, {row + 1, end, logits.shape(2)});
}

TEST_P(DecoderTest, GivesTheSameLogitsTokenByTokenAsAtOnce) {
  const Whisper model = random_whisper(runtime());
  const auto cross = model.decoder().cross(random_features());
  KvCache at_once(cross);
  const mx::array whole = model.decoder().step(tokens({5, 6, 7, 8}, 1), at_once).logits.values();
  KvCache by_token(cross);
  mx::array logits = mx::array(0.0F);
  for (const int32_t token : {5, 6, 7, 8}) {
    logits = model.decoder().step(tokens({token}, 1), by_token).logits.values();
  }
  EXPECT_EQ(by_token.offset(), 4);
  EXPECT_TRUE(is_close(last(whole, 0), last(logits, 0)));
}

TEST_P(DecoderTest, BroadcastsOneWindowOverBeams) {
  const Whisper model = random_whisper(runtime());
  const auto cross = model.decoder().cross(random_features());
  KvCache beams(cross);
  const mx::array both = model.decoder().step(tokens({5, 6, 9, 7}, 2), beams).logits.values();
  KvCache alone(cross);
  const mx::array second = model.decoder().step(tokens({9, 7}, 1), alone).logits.values();
  EXPECT_TRUE(is_close(last(both, 1), last(second, 0)));
  EXPECT_EQ(beams.layer(0).cross.key.shape(0), 1);
}

TEST_P(DecoderTest, ShowsRawCrossAttentionOnRequestOnly) {
  const Whisper model = random_whisper(runtime());
  KvCache cache(model.decoder().cross(random_features()));
  EXPECT_TRUE(model.decoder().step(tokens({5, 6}, 1), cache).cross_qk.empty());
  const auto step = model.decoder().step(tokens({7}, 1), cache, {.cross_qk_layers = {1}});
  ASSERT_EQ(step.cross_qk.size(), 1u);
  EXPECT_EQ(step.cross_qk.at(1).shape(), (mx::Shape{1, 2, 1, 12}));
}

TEST_P(DecoderTest, GivesTheProbabilitiesOfKnownTokensAmongText) {
  const Whisper model = random_whisper(runtime());
  KvCache cache(model.decoder().cross(random_features()));
  const auto logits = model.decoder().step(tokens({5, 6, 7, 8}, 1), cache).logits;
  constexpr int32_t kEnd = 1000;
  const std::vector<int32_t> known{999, 3};
  mx::array probabilities = logits.probabilities_of(1, known, kEnd);
  const mx::array among = mx::slice(logits.values(), {0, 1, 0}, {1, 3, kEnd});
  const mx::array expected = mx::softmax(among, -1);
  ASSERT_EQ(probabilities.shape(), mx::Shape{2});
  for (int i = 0; i < 2; ++i) {
    const auto token = known[static_cast<size_t>(i)];
    const mx::array one = mx::slice(expected, {0, i, token}, {1, i + 1, token + 1});
    EXPECT_TRUE(is_close(mx::slice(probabilities, {i}, {i + 1}), mx::reshape(one, {1})));
    EXPECT_GT(one.item<float>(), 1e-4);
  }
}

TEST_P(DecoderTest, RefusesMoreTokensThanItsContext) {
  const Whisper model = random_whisper(runtime());
  KvCache cache(model.decoder().cross(random_features()));
  model.decoder().step(tokens(std::vector<int32_t>(16, 1), 1), cache);
  EXPECT_THROW(model.decoder().step(tokens({1}, 1), cache), Error);
  EXPECT_THROW(model.decoder().step(mx::array({1, 2}), cache), Error);
}

TEST_P(EncoderTest, RefusesOtherShapes) {
  const Whisper model = random_whisper(runtime());
  EXPECT_EQ(model.encoder().encode(mx::zeros({2, 24, 80})).shape(), (mx::Shape{2, 12, 16}));
  for (const mx::Shape& shape : {mx::Shape{1, 23, 80}, mx::Shape{1, 24, 128}, mx::Shape{24, 80}}) {
    EXPECT_THROW(model.encoder().encode(mx::zeros(shape)), Error);
  }
}

TEST_P(KvCacheTest, IdentityRearrangementDoesNoWork) {
  const Whisper model = random_whisper(runtime());
  KvCache cache(model.decoder().cross(random_features()));
  model.decoder().step(tokens({5, 6}, 2), cache);
  const auto before = cache.layer(0).self.arrays[0].id();
  cache.rearrange(std::vector<int>{0, 1});
  EXPECT_EQ(cache.layer(0).self.arrays[0].id(), before);
}

TEST_P(KvCacheTest, RearrangesRowsAndLeavesABroadcastWindowUntouched) {
  const Whisper model = random_whisper(runtime());
  const auto cross = model.decoder().cross(random_features());
  KvCache cache(cross);
  model.decoder().step(tokens({5, 6}, 2), cache);
  const auto window = cache.layer(0).cross.key.id();
  cache.rearrange(std::vector<int>{1, 1, 0});
  EXPECT_EQ(cache.layer(0).cross.key.id(), window);
  const mx::array next = model.decoder().step(tokens({7, 7, 7}, 3), cache).logits.values();
  KvCache alone(cross);
  const mx::array expected = model.decoder().step(tokens({5, 7}, 1), alone).logits.values();
  EXPECT_TRUE(is_close(last(next, 2), last(expected, 0)));
  EXPECT_TRUE(is_close(last(next, 0), last(next, 1)));
  EXPECT_FALSE(is_close(last(next, 0), last(next, 2)));
}

using Past = std::vector<int32_t>;

// Gives each of `pasts` a row of some row before, as `cache` does.
void shuffle(std::mt19937& random, KvCache& cache, std::vector<Past>& pasts) {
  std::vector<int> rows(1 + random() % 4);
  std::vector<Past> next(rows.size());
  for (size_t i = 0; i < rows.size(); ++i) {
    rows[i] = static_cast<int>(random() % pasts.size());
    next[i] = pasts[static_cast<size_t>(rows[i])];
  }
  cache.rearrange(rows);
  pasts = std::move(next);
}

// A token for each row; the logits behind are those of the rows' pasts, each decoded alone.
void expect_step(const Whisper& model, std::mt19937& random, KvCache& cache,
                 std::vector<Past>& pasts) {
  std::vector<int32_t> column(pasts.size());
  for (size_t i = 0; i < pasts.size(); ++i) {
    column[i] = static_cast<int32_t>(random() % 50);
    pasts[i].push_back(column[i]);
  }
  const int batch = static_cast<int>(pasts.size());
  const mx::array logits = model.decoder().step(tokens(column, batch), cache).logits.values();
  for (size_t i = 0; i < pasts.size(); ++i) {
    KvCache alone({{cache.layer(0).cross}, {cache.layer(1).cross}});
    const mx::array expected = model.decoder().step(tokens(pasts[i], 1), alone).logits.values();
    EXPECT_TRUE(is_close(last(logits, static_cast<int>(i)), last(expected, 0)));
  }
}

TEST_P(KvCacheTest, RowsOfAnyOrderContinueTheirOwnPast) {
  const Whisper model = random_whisper(runtime());
  const auto cross = model.decoder().cross(random_features());
  std::mt19937 random(5);
  for (int round = 0; round < 4; ++round) {
    KvCache cache(cross);
    std::vector<Past> pasts{{1, 2}};
    model.decoder().step(tokens(pasts[0], 1), cache);
    for (int step = 0; step < 10; ++step) {
      shuffle(random, cache, pasts);
      if (step % 3 == 0) shuffle(random, cache, pasts);  // twice before a step
      expect_step(model, random, cache, pasts);
    }
  }
}

TEST_P(KvCacheTest, RearrangesWindowsOfTheirOwn) {
  const Whisper model = random_whisper(runtime());
  KvCache cache(model.decoder().cross(random_features(2)));
  model.decoder().step(tokens({5, 5}, 2), cache);
  const mx::array second = mx::slice(cache.layer(1).cross.value, {1, 0, 0}, {2, 12, 16});
  cache.rearrange(std::vector<int>{1});
  EXPECT_TRUE(is_close(cache.layer(1).cross.value, second));
}

TEST_P(KvCacheTest, RefusesRowsThatAreNotThere) {
  const Whisper model = random_whisper(runtime());
  KvCache cache(model.decoder().cross(random_features()));
  cache.rearrange(std::vector<int>{7});  // nothing is cached yet
  model.decoder().step(tokens({5, 6}, 2), cache);
  EXPECT_THROW(cache.rearrange(std::vector<int>{0, 2}), Error);
  EXPECT_THROW(cache.rearrange(std::vector<int>{-1}), Error);
  EXPECT_THROW(cache.rearrange(std::vector<int>{}), Error);
}

std::string load_error(weights::WeightMap weights, const ops::Runtime& runtime) {
  try {
    const Whisper model(std::move(weights), config_of(tiny_dimensions()), runtime);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST_P(WhisperTest, NamesEveryTensorThatIsMissingMisshapenOrLeft) {
  ModelDimensions other = tiny_dimensions();
  other.n_text_layer = 1;
  EXPECT_NE(load_error(random_weights(other), runtime()).find("decoder.blocks.1."),
            std::string::npos);
  other.n_text_layer = 3;
  EXPECT_NE(load_error(random_weights(other), runtime()).find("decoder.blocks.2."),
            std::string::npos);
  other = tiny_dimensions();
  other.n_text_ctx = 17;
  EXPECT_NE(load_error(random_weights(other), runtime()).find("decoder.positional_embedding"),
            std::string::npos);
  EXPECT_EQ(load_error(random_weights(tiny_dimensions()), runtime()), "");
}

TEST_P(WhisperTest, HasTheLastHalfsHeadsWhereTheCheckpointNamesNone) {
  const std::vector<std::pair<int, int>> expected = {{1, 0}, {1, 1}};
  EXPECT_EQ(random_whisper(runtime()).alignment_heads(), expected);
}

// The names of every primitive that an array depends on.
std::set<std::string> primitives_of(const mx::array& array) {
  std::set<std::string> names;
  std::set<std::uintptr_t> seen;
  std::vector<mx::array> open{array};
  while (!open.empty()) {
    const mx::array next = std::move(open.back());
    open.pop_back();
    if (!next.has_primitive() || !seen.insert(next.id()).second) continue;
    names.insert(next.primitive().name());
    open.insert(open.end(), next.inputs().begin(), next.inputs().end());
  }
  return names;
}

std::set<std::string> primitives_of_a_step(const ops::Runtime& runtime) {
  const Whisper model = random_whisper(runtime);
  // Shown before a block is evaluated, and its graph is gone.
  std::set<std::string> names;
  const auto keep = [&](const std::string& /*name*/, const mx::array& value) {
    names.merge(primitives_of(value));
  };
  KvCache cache(model.decoder().cross(model.encoder().encode(mx::zeros({1, 24, 80}), keep)));
  const Decoder::Step step = model.decoder().step(tokens({5, 6}, 1), cache, {.trace = keep});
  names.merge(primitives_of(step.logits.values()));
  return names;
}

TEST(Paths, RunDifferentPrimitives) {
  const auto fast = primitives_of_a_step(ops::make_fast_cpu(2, ops::Products::F32));
  const auto faithful = primitives_of_a_step(ops::make_faithful(mx::float32));
  for (const char* name :
       {"conv_gelu", "norm_qkv", "attend", "project_add", "mlp", "norm", "cross_kv", "embed",
        "append", "attend_past", "norm_query", "cross_attend", "norm_logits"}) {
    EXPECT_TRUE(fast.contains(name)) << name;
    EXPECT_FALSE(faithful.contains(name)) << name;
  }
  for (const char* name : {"AddMM", "Matmul", "Softmax", "Convolution", "Rsqrt"}) {
    EXPECT_TRUE(faithful.contains(name)) << name;
    EXPECT_FALSE(fast.contains(name)) << name;
  }
}

// Fused attention scales once instead of on both sides and need not keep scores: other roundings,
// the same result.
TEST(Fused, FeaturesAndLogitsAreCloseToTheFaithfulOnes) {
  const Whisper fused = random_whisper(fused_runtime());
  const Whisper faithful = random_whisper(ops::make_faithful(mx::float32));
  const mx::array mel = mx::random::normal({1, 24, 80}, mx::random::key(7));
  const mx::array features = faithful.encoder().encode(mel);
  EXPECT_TRUE(is_close(fused.encoder().encode(mel), features));
  KvCache fused_cache(fused.decoder().cross(features));
  KvCache faithful_cache(faithful.decoder().cross(features));
  for (const std::vector<int32_t>& ids : {std::vector<int32_t>{5, 6, 7, 9, 8, 4}, {5, 6}, {3, 8}}) {
    EXPECT_TRUE(is_close(fused.decoder().step(tokens(ids, 2), fused_cache).logits.values(),
                         faithful.decoder().step(tokens(ids, 2), faithful_cache).logits.values()));
  }
  EXPECT_EQ(fused_cache.offset(), 5);
}

// GELU is compiled on a GPU. MLX does so on a CPU too where it finds a compiler, and else runs the
// graph as it is.
TEST(Fused, CompiledGeluIsCloseToThePlainOne) {
  const std::function graph = [](const std::vector<mx::array>& inputs) -> std::vector<mx::array> {
    return {ops::gelu(inputs[0])};
  };
  for (const int rows : {1, 7, 1500}) {
    mx::array x = mx::random::normal({rows, 24}, mx::random::key(5));
    mx::eval(x);
    const mx::array compiled = mx::compile(graph, /*shapeless=*/true)({x})[0];
    EXPECT_EQ(primitives_of(compiled).size(), 1u) << "one kernel";
    EXPECT_TRUE(is_close(compiled, ops::gelu(x)));
  }
}

// The kernels choose from a row of logits as the oracle's operations do, under every rule.
TEST(Choices, OfBothFormsAreEqualUnderMasks) {
  const ops::Runtime runtime = ops::make_fast_cpu(2, ops::Products::F32);
  const Whisper model = random_whisper(runtime);
  KvCache cache(model.decoder().cross(random_features()));
  const ops::Logits fast = model.decoder().step(tokens({5, 6, 9, 7}, 2), cache).logits;
  const ops::Logits plain{fast.values()};
  const std::vector<int32_t> suppressed = {11, 500};
  const ops::LogitMask none;
  ops::Choice best = plain.choose_top_k(1, {&none, 1}, 4);
  mx::eval(best.token);
  const int32_t* likeliest = best.token.data<int32_t>();  // [2, 4]
  std::vector<ops::LogitMask> masks(2);
  for (size_t row = 0; row < 2; ++row) {
    masks[row] = {.suppressed = suppressed,
                  .forbidden = {{likeliest[4 * row + 2], likeliest[4 * row + 2] + 1}},
                  .repeated = {likeliest[4 * row], likeliest[4 * row + 1]},
                  .repetition_penalty = row == 0 ? 1.2F : 1.0F};
  }
  for (const ops::LogitMasks given : {ops::LogitMasks(masks), ops::LogitMasks(masks).first(1)}) {
    ops::Choice greedy = fast.choose_greedy(1, given);
    ops::Choice greedy_plain = plain.choose_greedy(1, given);
    ops::Choice top = fast.choose_top_k(1, given, 5);
    ops::Choice top_plain = plain.choose_top_k(1, given, 5);
    EXPECT_TRUE(mx::array_equal(greedy.token, greedy_plain.token).item<bool>());
    EXPECT_TRUE(is_close(greedy.logprob, greedy_plain.logprob));
    EXPECT_TRUE(mx::array_equal(top.token, top_plain.token).item<bool>());
    EXPECT_TRUE(is_close(top.logprob, top_plain.logprob));
    EXPECT_TRUE(is_close(fast.filtered_logprobs(1, given), plain.filtered_logprobs(1, given)));
    EXPECT_NE(greedy.token.data<int32_t>()[0], likeliest[0]) << "the penalty decides";
  }
}

// A step's cache is written in place, or every token would copy it.
TEST(Donation, EveryStepAppendsInPlace) {
  const ops::Runtime runtime = ops::make_fast_cpu(2, ops::Products::F32);
  const Whisper model = random_whisper(runtime);
  KvCache cache(model.decoder().cross(random_features()));
  for (int i = 0; i < 12; ++i) {
    mx::eval(model.decoder().step(tokens({5}, 1), cache).logits.values());
  }
  EXPECT_EQ(runtime.cpu->appends().copied, 0);
  EXPECT_EQ(runtime.cpu->appends().in_place, 11 * model.dims().n_text_layer);
}

INSTANTIATE_TEST_SUITE_P(Paths, DecoderTest, testing::Values("faithful", "fast", "fused"),
                         [](const auto& info) { return std::string(info.param); });
INSTANTIATE_TEST_SUITE_P(Paths, EncoderTest, testing::Values("faithful", "fast", "fused"),
                         [](const auto& info) { return std::string(info.param); });
INSTANTIATE_TEST_SUITE_P(Paths, KvCacheTest, testing::Values("faithful", "fast", "fused"),
                         [](const auto& info) { return std::string(info.param); });
INSTANTIATE_TEST_SUITE_P(Paths, WhisperTest, testing::Values("faithful", "fast", "fused"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace whinchat::models::whisper
