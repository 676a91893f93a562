#include "weights/formats/ctranslate2_quantised.h"

#include <gtest/gtest.h>
#include <mlx/array.h>
#include <mlx/dtype.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/json.h"
#include "ops/parameter.h"
#include "weights/array.h"
#include "weights/fixture.h"
#include "weights/formats/ctranslate2.h"
#include "weights/json_file.h"
#include "weights/tensor.h"
#include "weights/weight_map.h"

namespace whinchat::weights {
namespace {

namespace fs = std::filesystem;
namespace mx = mlx::core;

std::string bytes_of(const std::vector<float>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)};
}

WeightMap read(const std::string& file) {
  return with_computed_rows(read_ctranslate2(base::as_bytes(file), nullptr, "model.bin"));
}

std::string elements_of(const WeightMap& variables, const std::string& name) {
  return std::string(base::as_text(decoded(*variables.find(name)).bytes));
}

uint32_t crc32_as_floats(const Tensor& tensor) {
  mx::array array = ops::to_array(to_parameter(tensor), mx::float32);
  array.eval();
  return crc32_of({reinterpret_cast<const std::byte*>(array.data<float>()), array.nbytes()});
}

// oracles/weights_ct2.py had CTranslate2 write these files.
TEST(Ctranslate2Quantised, EqualsTheLibrarysOwnDequantisation) {
  const fs::path folder = fs::path(WHINCHAT_TEST_DATA) / "ct2";
  const base::Json document = load_json(folder / "weights.json");
  for (const char* type :
       {"int8", "int8_float16", "int8_bfloat16", "int16", "float16", "bfloat16", "float32"}) {
    const WeightMap variables =
        with_computed_rows(load_ctranslate2(folder / (type + std::string(".bin"))));
    const base::Json& expected = document.at(type);
    ASSERT_GT(expected.size(), 20u);
    for (const auto& [name, facts] : expected.items()) {
      const Tensor* tensor = variables.find(name);
      ASSERT_NE(tensor, nullptr) << type << ": " << name;
      EXPECT_EQ(tensor->shape, facts[0].get<std::vector<int64_t>>()) << type << ": " << name;
      EXPECT_EQ(crc32_as_floats(*tensor), facts[1].get<uint32_t>()) << type << ": " << name;
      EXPECT_EQ(variables.find(name + "_scale"), nullptr) << type << ": " << name;
    }
  }
}

TEST(Ctranslate2Quantised, OldInt16WithoutAScaleHasOneOfAThousand) {
  const std::string file = write_ctranslate2(
      {{"a/weight", DType::I16, {2, 1}, std::string("\xe8\x03\xff\xff", 4)}}, {}, 3);
  EXPECT_EQ(elements_of(read(file), "a/weight"), bytes_of({1000 * (1 / 1000.0F), -(1 / 1000.0F)}));
}

TEST(Ctranslate2Quantised, AnotherNameHasTheSameScale) {
  const std::string file =
      write_ctranslate2({{"a/weight", DType::I8, {2, 1}, "\x01\x02"},
                         {"a/weight_scale", DType::F32, {2}, bytes_of({2, 4})}},
                        {{"b/weight", "a/weight"}});
  EXPECT_EQ(elements_of(read(file), "b/weight"), bytes_of({0.5F, 0.5F}));
}

TEST(Ctranslate2Quantised, RefusesScalesThatDoNotFit) {
  const Stored int8{"a/weight", DType::I8, {2, 1}, "\x01\x02"};
  const Stored int16{"a/weight", DType::I16, {1, 1}, "\x01\x02"};
  const auto error_of = [](const Stored& weight, const Stored& scale) {
    return message_of([&] { read(write_ctranslate2({weight, scale})); });
  };
  EXPECT_EQ(error_of(int8, make_flag("f", 1)),
            "model.bin: a/weight is quantised, but a/weight_scale is missing");
  EXPECT_EQ(error_of(int8, {"a/weight_scale", DType::F32, {1}, bytes_of({1})}),
            "model.bin: expected 2 numbers of type f32 in a/weight_scale, got shape [1] of f32");
  EXPECT_EQ(error_of(int16, {"a/weight_scale", DType::F16, {1}, "\x01\x02"}),
            "model.bin: expected 1 numbers of type f32 in a/weight_scale, got shape [1] of f16");
}

}  // namespace
}  // namespace whinchat::weights
