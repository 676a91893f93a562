#include "weights/formats/ctranslate2.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "weights/fixture.h"
#include "weights/tensor.h"
#include "weights/weight_map.h"
#include "whinchat/error.h"

namespace whinchat::weights {
namespace {

WeightMap read(std::string_view file) {
  return read_ctranslate2(base::as_bytes(file), nullptr, "model.bin");
}

std::vector<Stored> some_variables() {
  return {make_stored("decoder/embeddings/weight", {5, 3}),
          make_flag("decoder/num_heads", 2),
          make_stored("encoder/conv1/bias", {7}, DType::F32),
          make_stored("q/weight", {2, 2}, DType::I8),
          make_stored("q/weight_scale", {2}, DType::F32),
          make_stored("b", {2}, DType::BF16),
          make_stored("i", {2}, DType::I32)};
}

TEST(Ctranslate2, ReadsVariablesOfEveryTypeAtAnyAddress) {
  const std::vector<Stored> variables = some_variables();
  for (size_t shift = 0; shift < 4; ++shift) {
    const std::string file = std::string(shift, '.') + write_ctranslate2(variables);
    const WeightMap map = read(std::string_view(file).substr(shift));
    ASSERT_EQ(map.names().size(), variables.size());
    for (const Stored& variable : variables) {
      const Tensor* tensor = map.find(variable.name);
      ASSERT_NE(tensor, nullptr) << variable.name;
      EXPECT_EQ(tensor->dtype, variable.dtype) << variable.name;
      EXPECT_EQ(tensor->shape, variable.shape) << variable.name;
      EXPECT_EQ(base::as_text(tensor->bytes), variable.bytes) << variable.name;
    }
  }
}

TEST(Ctranslate2, TensorsAreSpansOfTheFile) {
  const std::string file = write_ctranslate2({make_stored("a", {5, 3})});
  const WeightMap map = read(file);
  EXPECT_EQ(reinterpret_cast<const char*>(map.find("a")->bytes.data()),
            file.data() + file.size() - 4 - 30);
}

TEST(Ctranslate2, AliasesShareBytes) {
  const std::string file = write_ctranslate2({make_stored("a", {2})}, {{"b", "a"}, {"c", "b"}});
  const WeightMap map = read(file);
  EXPECT_EQ(map.find("b")->bytes.data(), map.find("a")->bytes.data());
  EXPECT_EQ(map.find("c")->shape, map.find("a")->shape);
  EXPECT_NE(
      message_of([] { read(write_ctranslate2({}, {{"b", "a"}})); }).find("b is another name of a"),
      std::string::npos);
}

TEST(Ctranslate2, ReadsTheFormBeforeVersionFour) {
  const std::vector<Stored> variables = {make_stored("a", {5, 3}, DType::F32),
                                         make_stored("q", {4}, DType::I16),
                                         make_stored("f", {}, DType::I8)};
  for (const uint32_t version : {2u, 3u}) {
    const std::string file = write_ctranslate2(variables, {}, version);
    const WeightMap map = read(file);
    for (const Stored& variable : variables) {
      EXPECT_EQ(map.find(variable.name)->dtype, variable.dtype);
      EXPECT_EQ(base::as_text(map.find(variable.name)->bytes), variable.bytes);
    }
  }
}

TEST(Ctranslate2, RefusesOtherVersionsKindsAndTrailingBytes) {
  const std::string file = write_ctranslate2({make_stored("a", {2})});
  EXPECT_NE(message_of([] { read(write_ctranslate2({}, {}, 7)); }).find("got version 7"),
            std::string::npos);
  EXPECT_NE(message_of([] { read(write_ctranslate2({}, {}, 1)); }).find("got version 1"),
            std::string::npos);
  std::string other = file;
  other.replace(other.find("WhisperSpec"), 11, "Wav2VecSpec");
  EXPECT_NE(message_of([&] { read(other); }).find("\"Wav2VecSpec\""), std::string::npos);
  EXPECT_NE(message_of([&] { read(file + "x"); }).find("got 1 bytes"), std::string::npos);
  EXPECT_NE(message_of([&] {
              read(write_ctranslate2({make_stored("a", {2}), make_stored("a", {2})}));
            }).find("the tensor a is there twice"),
            std::string::npos);
}

TEST(Ctranslate2, RefusesAVariableWithoutAName) {
  const std::string file =
      write_ctranslate2({make_stored("a", {2}), make_stored("", {2}), make_stored("c", {2})});
  EXPECT_NE(message_of([&] { read(file); }).find("expected the name of variable 2 of 3"),
            std::string::npos);
}

TEST(Ctranslate2, NamesATensorWhoseShapeDoesNotFitItsBytes) {
  Stored wrong = make_stored("encoder/conv1/bias", {4});
  wrong.shape = {5};
  EXPECT_NE(message_of([&] {
              read(write_ctranslate2({wrong}));
            }).find("encoder/conv1/bias has shape [5] of f16, which does not take 8 bytes"),
            std::string::npos);
  wrong.shape = {4294967295, 4294967295, 4294967295};
  EXPECT_THROW(read(write_ctranslate2({wrong})), Error);
  const Stored deep = make_stored("a", std::vector<int64_t>(9, 1));
  EXPECT_NE(message_of([&] { read(write_ctranslate2({deep})); }).find("at most 8 axes for a"),
            std::string::npos);
}

TEST(Ctranslate2, EveryTruncationIsAnError) {
  const std::string file = write_ctranslate2(some_variables(), {{"x", "b"}});
  for (size_t size = 0; size < file.size(); ++size) {
    EXPECT_THROW(read(std::string_view(file).substr(0, size)), Error) << size;
  }
}

}  // namespace
}  // namespace whinchat::weights
