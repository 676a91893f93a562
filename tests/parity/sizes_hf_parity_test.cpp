// Small models in the layout that transformers writes for large-v3, turbo and distil: our logits
// are as near to the exact ones as its own f32 is. oracles/sizes_hf.py made names, config, results.
#include <gtest/gtest.h>
#include <mlx/array.h>
#include <mlx/device.h>
#include <mlx/dtype.h>
#include <mlx/ops.h>
#include <mlx/transforms.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/json.h"
#include "models/whisper/kv_cache.h"
#include "models/whisper/whisper.h"
#include "ops/engine_thread.h"
#include "ops/runtime.h"
#include "weights/checkpoint.h"
#include "weights/fixture.h"
#include "weights/json_file.h"
#include "weights/tensor.h"

namespace whinchat::parity {
namespace {

namespace mx = mlx::core;

// Both add the same products in f32, in different orders: the largest of their errors differ by a
// small factor.
constexpr double kFactor = 4;
// The encoder's positions are sines of angles up to 1499, which each program rounds to f32: by half
// a unit in the last place, 2^-14. What follows is normalised to about 1.
constexpr double kPositions = 2 * 0x1p-14;

// As hashed() in the oracle.
std::vector<float> hashed(const std::string& name, size_t count) {
  const uint32_t seed = weights::crc32_of(base::as_bytes(name));
  std::vector<float> values(count);
  for (uint32_t i = 0; i < count; ++i) {
    uint32_t x = i ^ seed;
    x = (x ^ (x >> 16U)) * 0x85EBCA6BU;
    x = (x ^ (x >> 13U)) * 0xC2B2AE35U;
    x ^= x >> 16U;
    values[i] = static_cast<float>(x / 0x1p32 - 0.5);
  }
  return values;
}

weights::Stored make_tensor(const std::string& name, std::vector<int64_t> shape) {
  int64_t count = 1;
  for (const int64_t dimension : shape) count *= dimension;
  std::vector<float> values = hashed(name, static_cast<size_t>(count));
  const float base = name.find("layer_norm.weight") != std::string::npos ? 1 : 0;
  for (float& value : values) value = base + value / 2;
  return {name, weights::DType::F32, std::move(shape),
          std::string(base::as_text(std::as_bytes(std::span(values))))};
}

class SizesHf : public testing::Test {
 protected:
  // The largest distance of rows `ours` [rows, columns] from `expected`, at given columns or all.
  static double distance(const mx::array& ours, const base::Json& expected) {
    mx::array values = mx::contiguous(ours);
    mx::eval(values);
    double largest = 0;
    size_t at = 0;
    for (const base::Json& row : expected) {
      for (const base::Json& value : row) {
        const double error = std::abs(values.data<float>()[at++] - value.get<double>());
        largest = std::isfinite(error) ? std::max(largest, error) : HUGE_VAL;
      }
    }
    EXPECT_EQ(at, values.size());
    return largest;
  }

  static mx::array indices(const base::Json& list) {
    const auto values = list.get<std::vector<int>>();
    return mx::array(values.begin(), {static_cast<int>(values.size())});
  }

  static weights::Checkpoint load(const base::Json& row, const weights::Folder& folder) {
    std::vector<weights::Stored> tensors;
    for (const auto& [name, shape] : row["tensors"].items()) {
      tensors.push_back(make_tensor(name, shape.get<std::vector<int64_t>>()));
    }
    folder.write("model.safetensors", weights::write_safetensors(tensors));
    folder.write("config.json", row["config"].dump());
    return weights::load_checkpoint(folder.path());
  }

  static void expect_near(const base::Json& row) {
    const weights::Folder folder;
    weights::Checkpoint checkpoint = load(row, folder);
    const models::whisper::Whisper model(std::move(checkpoint.weights), checkpoint.config,
                                         ops::make_faithful(mx::float32));
    const int bands = model.dims().n_mels;
    const std::vector<float> mel = hashed("mel", size_t{3000} * bands);
    const mx::array features =
        model.encoder().encode(mx::swapaxes(mx::array(mel.begin(), {1, bands, 3000}), 1, 2));
    EXPECT_LE(
        distance(mx::take(mx::squeeze(features, 0), indices(row["frames"]), 0), row["features"]),
        kFactor * row["features_f32_error"].get<double>() + kPositions);
    models::whisper::KvCache cache(model.decoder().cross(features));
    const mx::array tokens = mx::expand_dims(indices(row["tokens"]), 0);
    const mx::array logits = mx::squeeze(model.decoder().step(tokens, cache).logits.values(), 0);
    EXPECT_LE(distance(mx::take(logits, indices(row["ids"]), 1), row["logits"]),
              kFactor * row["logits_f32_error"].get<double>());
  }
};

TEST_F(SizesHf, LogitsAreAsNearAsTransformersOwn) {
  const ops::OnDevice device(mx::Device::cpu);
  const base::Json document =
      weights::load_json(std::filesystem::path(WHINCHAT_TEST_DATA) / "sizes_hf.json");
  ASSERT_EQ(document["rows"].size(), 3u);
  for (const base::Json& row : document["rows"]) {
    SCOPED_TRACE(row["name"].get<std::string>());
    expect_near(row);
  }
}

}  // namespace
}  // namespace whinchat::parity
