// The layout of each of Whisper's sizes, in a small random model that mlx-whisper's own code wrote
// (oracles/sizes.py): every array equals the oracle's in every bit.
#include <gtest/gtest.h>
#include <mlx/array.h>
#include <mlx/device.h>
#include <mlx/dtype.h>
#include <mlx/ops.h>

#include <cstdlib>
#include <ostream>
#include <string>
#include <utility>

#include "models/whisper/kv_cache.h"
#include "models/whisper/whisper.h"
#include "ops/blas.h"
#include "ops/engine_thread.h"
#include "ops/runtime.h"
#include "oracle_file.h"
#include "weights/checkpoint.h"

namespace whinchat::parity {
namespace {

using models::whisper::KvCache;
using models::whisper::Whisper;

struct Size {
  const char* name;
  int n_mels;
  int n_vocab;
  int n_text_layer;
};

void PrintTo(const Size& size, std::ostream* out) { *out << size.name; }

class SizesParity : public testing::TestWithParam<Size> {};

TEST_P(SizesParity, EncoderAndLogitsEqualOracle) {
  const Size& size = GetParam();
  ops::require_openblas();
  const ops::OnDevice device(mx::Device::cpu);
  const std::string folder = std::string(std::getenv("WHINCHAT_ORACLE_FILES")) + "/" + size.name;
  OracleFile oracle(folder + ".safetensors");
  weights::Checkpoint checkpoint = weights::load_checkpoint(folder);
  const Whisper model(std::move(checkpoint.weights), checkpoint.config,
                      ops::make_faithful(mx::float32));
  EXPECT_EQ(model.dims().n_mels, size.n_mels);
  EXPECT_EQ(model.dims().n_vocab, size.n_vocab);
  EXPECT_EQ(model.dims().n_text_layer, size.n_text_layer);
  EXPECT_TRUE(oracle.equals("features", model.encoder().encode(oracle.at("mel"))));
  KvCache cache(model.decoder().cross(oracle.at("features")));
  for (const std::string step : {"0", "1"}) {
    const mx::array tokens = mx::astype(oracle.at("tokens" + step), mx::int32);
    EXPECT_TRUE(
        oracle.equals("logits" + step, model.decoder().step(tokens, cache).logits.values()));
  }
  EXPECT_EQ(oracle.compared(), 3);
}

INSTANTIATE_TEST_SUITE_P(Layouts, SizesParity,
                         testing::Values(Size{"tiny_en", 80, 51864, 1},
                                         Size{"large_v2", 80, 51865, 2},
                                         Size{"large_v3", 128, 51866, 2},
                                         Size{"turbo", 128, 51866, 4},
                                         Size{"distil", 128, 51866, 2}),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace whinchat::parity
