#include "weights/formats/mlx_quantised.h"

#include <gtest/gtest.h>
#include <mlx/array.h>
#include <mlx/dtype.h>
#include <mlx/ops.h>
#include <mlx/random.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "weights/fixture.h"
#include "weights/tensor.h"
#include "weights/weight_map.h"

namespace whinchat::weights {
namespace {

namespace mx = mlx::core;

DType type_of(const mx::array& array) {
  if (array.dtype() == mx::uint32) return DType::U32;
  if (array.dtype() == mx::float32) return DType::F32;
  return array.dtype() == mx::float16 ? DType::F16 : DType::BF16;
}

// Shares the array's memory.
Tensor tensor_of(mx::array array) {
  array = mx::contiguous(array);
  array.eval();
  const auto owner = std::make_shared<mx::array>(array);
  return {type_of(array),
          {array.shape().begin(), array.shape().end()},
          {reinterpret_cast<const std::byte*>(array.data<char>()), array.nbytes()},
          owner};
}

WeightMap quantised(const mx::array& weight, const MlxQuantisation& how) {
  const std::vector<mx::array> parts =
      mx::quantize(weight, static_cast<int>(how.group_size), static_cast<int>(how.bits));
  WeightMap tensors("model");
  tensors.insert("a.weight", tensor_of(parts[0]));
  tensors.insert("a.scales", tensor_of(parts[1]));
  tensors.insert("a.biases", tensor_of(parts[2]));
  return tensors;
}

// As f32, from the library.
Tensor dequantised(const WeightMap& tensors, const MlxQuantisation& how) {
  const auto array = [&](const char* name) {
    return *std::static_pointer_cast<const mx::array>(tensors.find(name)->owner);
  };
  return tensor_of(
      mx::astype(mx::dequantize(array("a.weight"), array("a.scales"), array("a.biases"),
                                static_cast<int>(how.group_size), static_cast<int>(how.bits)),
                 mx::float32));
}

TEST(MlxQuantised, EqualsTheLibrarysOwnDequantisation) {
  for (const mx::Dtype type : {mx::float32, mx::float16, mx::bfloat16}) {
    const mx::array weight =
        mx::astype(mx::random::normal({7, 256}, mx::float32, mx::random::key(3)), type);
    for (const int64_t group : {32, 64, 128}) {
      for (const int64_t bits : {2, 3, 4, 5, 6, 8}) {
        const MlxQuantisation how{group, bits};
        const WeightMap tensors = quantised(weight, how);
        const WeightMap rows = with_computed_rows(tensors, how);
        EXPECT_EQ(rows.names(), std::vector<std::string>{"a.weight"});
        const Tensor decoded_rows = decoded(*rows.find("a.weight"));
        const Tensor expected = dequantised(tensors, how);
        EXPECT_EQ(decoded_rows.shape, expected.shape);
        EXPECT_TRUE(std::ranges::equal(decoded_rows.bytes, expected.bytes))
            << group << " " << bits << " " << name_of(tensors.find("a.scales")->dtype);
      }
    }
  }
}

TEST(MlxQuantised, DecodesTheRowsThatAreAskedFor) {
  const MlxQuantisation how{32, 3};
  const WeightMap tensors =
      quantised(mx::random::normal({5, 64}, mx::float32, mx::random::key(4)), how);
  const WeightMap computed = with_computed_rows(tensors, how);
  const Tensor& rows = *computed.find("a.weight");
  const Tensor two = decoded(slice_rows(rows, 2, 4));
  const Tensor whole = decoded(rows);
  EXPECT_TRUE(std::ranges::equal(two.bytes, slice_rows(whole, 2, 4).bytes));
}

TEST(MlxQuantised, LeavesWhatHasNoScales) {
  WeightMap tensors("model");
  tensors.insert("ln.weight", tensor_of(mx::zeros({4})));
  tensors.insert("ln.biases", tensor_of(mx::zeros({4})));
  EXPECT_EQ(with_computed_rows(tensors, {}).names(),
            (std::vector<std::string>{"ln.biases", "ln.weight"}));
}

TEST(MlxQuantised, RefusesPartsThatDoNotFit) {
  const mx::array weight = mx::random::normal({4, 64}, mx::float32, mx::random::key(5));
  const auto error_of = [](const WeightMap& tensors, const MlxQuantisation& how) {
    return message_of([&] { with_computed_rows(tensors, how); });
  };
  const WeightMap good = quantised(weight, {32, 4});
  EXPECT_NE(error_of(good, {32, 8}).find("a.weight as codes of 8 bits in u32"), std::string::npos);
  EXPECT_NE(error_of(good, {64, 4}).find("each group of 64, got u32 [4, 8]"), std::string::npos);
  WeightMap lacking("model");
  lacking.insert("a.weight", *good.find("a.weight"));
  lacking.insert("a.scales", *good.find("a.scales"));
  EXPECT_EQ(error_of(lacking, {32, 4}), "model: a.weight has scales, but no biases");
  lacking.insert("a.biases", tensor_of(mx::zeros({4, 1})));
  EXPECT_NE(error_of(lacking, {32, 4}).find("and f32 [4, 1]"), std::string::npos);
}

std::optional<MlxQuantisation> read(std::string_view config) {
  return read_mlx_quantisation(base::parse_json(config, "c"), "c");
}

TEST(MlxQuantised, ReadsTheConfig) {
  EXPECT_FALSE(read("{}"));
  EXPECT_FALSE(read(R"({"quantization":null})"));
  const auto how = read(R"({"quantization":{"group_size":32,"bits":8,"mode":"affine"}})");
  ASSERT_TRUE(how);
  EXPECT_EQ(how->group_size, 32);
  EXPECT_EQ(how->bits, 8);
  for (const char* bad :
       {"4", R"({"bits":4})", R"({"group_size":64})", R"({"group_size":64,"bits":7})",
        R"({"group_size":48,"bits":4})", R"({"group_size":64,"bits":4,"mode":"mxfp4"})"}) {
    const std::string config = std::string(R"({"quantization":)") + bad + "}";
    EXPECT_EQ(message_of([&] { read(config); }).find("c: "), 0u) << bad;
  }
}

}  // namespace
}  // namespace whinchat::weights
