#include "weights/formats/ggml.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/json.h"
#include "weights/fixture.h"
#include "weights/names/whisper_openai.h"
#include "weights/single_file_fixture.h"
#include "weights/tensor.h"
#include "weights/weight_map.h"

namespace whinchat::weights {
namespace {

constexpr int32_t kQ80 = 8;
constexpr int32_t kQuantised = 2007;  // version 2, mostly q8_0

base::Json config() { return base::parse_json(kMlxConfig, "config"); }

// The file must outlive the result.
GgmlFile read(const std::string& file) { return read_ggml(base::as_bytes(file), nullptr, "a.bin"); }

std::string error_of(const std::string& file) {
  return message_of([&] { read(file); });
}

// Rows of 64 elements: two blocks of scale 0.5 each, whose elements are their numbers in the file.
GgmlTensor make_q8_0(int64_t rows) {
  std::string bytes;
  for (int64_t i = 0; i < rows * 2; ++i) {
    bytes += std::string("\0\x38", 2);
    for (int64_t k = 0; k < 32; ++k) bytes += static_cast<char>(i * 32 + k);
  }
  return {{"q", DType::F32, {rows, 64}, bytes}, kQ80};
}

TEST(Ggml, ReadsEveryPlainTypeWhereItLies) {
  for (const DType dtype : {DType::F32, DType::F16, DType::BF16}) {
    const Stored stored = make_stored("a", {2, 3, 4}, dtype);
    const std::string file = write_ggml(as_ggml({stored}), config());
    EXPECT_TRUE(is_ggml(base::as_bytes(file)));
    const GgmlFile content = read(file);
    EXPECT_EQ(content.config, config());
    const Tensor& tensor = *content.tensors.find("a");
    EXPECT_EQ(tensor.dtype, dtype);
    EXPECT_EQ(tensor.shape, stored.shape);
    EXPECT_EQ(base::as_text(tensor.bytes), stored.bytes);
    EXPECT_EQ(base::as_bytes(file).data() + file.size(), tensor.bytes.data() + tensor.bytes.size());
  }
}

TEST(Ggml, ItsModelIsOurs) {
  const std::string file = write_ggml(as_ggml(make_openai_model()), config());
  WeightMap weights = name_whisper_openai(read(file).tensors);
  for (const Stored& stored : make_mlx_model()) {
    const Tensor* tensor = weights.find(stored.name);
    ASSERT_NE(tensor, nullptr) << stored.name;
    EXPECT_EQ(tensor->shape, stored.shape) << stored.name;
    EXPECT_EQ(base::as_text(tensor->bytes), stored.bytes) << stored.name;
  }
  take_whisper(weights, config());
  EXPECT_EQ(message_of([&] { weights.audit(); }), "");
}

TEST(Ggml, ComputesTheRowsOfQuantisedMatrices) {
  const std::string file = write_ggml({make_q8_0(3)}, config(), kQuantised);
  const GgmlFile content = read(file);
  const Tensor& tensor = *content.tensors.find("q");
  EXPECT_EQ(tensor.dtype, DType::F32);
  EXPECT_EQ(tensor.shape, (std::vector<int64_t>{3, 64}));
  std::vector<float> row(64);
  (*tensor.decoder)(1, 2, row);
  for (int i = 0; i < 64; ++i)
    EXPECT_EQ(row[i], 0.5F * static_cast<float>(static_cast<int8_t>(64 + i)));
  const Tensor all = decoded(tensor);
  EXPECT_EQ(base::load_unaligned<float>(all.bytes.data() + sizeof(float) * 191), 0.5F * -65);
}

TEST(Ggml, RefusesQuantisedTypesOfAnotherVersionOrShape) {
  EXPECT_NE(error_of(write_ggml({make_q8_0(1)}, config(), 7)).find("of version 2, got version 0"),
            std::string::npos);
  EXPECT_NE(error_of(write_ggml({make_q8_0(1)}, config(), 3007)).find("got version 3"),
            std::string::npos);
  for (const std::vector<int64_t>& shape :
       {std::vector<int64_t>{64}, {1, 2, 32}, {2, 33}, {0, 64}, {-1, 64}, {64, 0}}) {
    GgmlTensor tensor = make_q8_0(1);
    tensor.stored.shape = shape;
    EXPECT_NE(
        error_of(write_ggml({tensor}, config(), kQuantised)).find("of q8_0 cannot have the shape"),
        std::string::npos)
        << shape_text(shape);
  }
  GgmlTensor longer = make_q8_0(1);
  longer.stored.shape[0] = 2;
  EXPECT_NE(
      error_of(write_ggml({longer}, config(), kQuantised)).find("longer than the rest of the file"),
      std::string::npos);
}

TEST(Ggml, RefusesOtherTypes) {
  for (const int32_t type : {4, 9, 15, 16, 24, 31, -1}) {
    GgmlTensor tensor = make_q8_0(1);
    tensor.type = type;
    EXPECT_NE(error_of(write_ggml({tensor}, config(), kQuantised))
                  .find("q5_K or q6_K for the tensor \"q\", got ggml's type"),
              std::string::npos)
        << type;
  }
}

TEST(Ggml, RefusesAFileCutAnywhere) {
  const std::string file = write_ggml(as_ggml({make_stored("a", {2, 3})}), config());
  const size_t end_of_words = file.size() - 12 - 8 - 1 - 12;
  for (size_t size = 4; size < file.size(); ++size) {
    if (size == end_of_words) continue;  // a file without tensors
    EXPECT_NE(error_of(file.substr(0, size)).find("got the end of the file"), std::string::npos)
        << size;
  }
  EXPECT_EQ(error_of(file.substr(0, end_of_words)), "");
}

TEST(Ggml, RefusesTensorsThatCannotBe) {
  const GgmlTensor good = as_ggml({make_stored("a", {2, 3})}).front();
  GgmlTensor many_axes = good;
  many_axes.stored.shape = {1, 1, 1, 2, 3};
  EXPECT_NE(error_of(write_ggml({many_axes}, config())).find("at most 4 axes"), std::string::npos);
  GgmlTensor long_name = good;
  long_name.stored.name = std::string(257, 'a');
  EXPECT_NE(error_of(write_ggml({long_name}, config())).find("at most 256 bytes"),
            std::string::npos);
  GgmlTensor negative = good;
  negative.stored.shape = {-2, 3};
  EXPECT_NE(error_of(write_ggml({negative}, config())).find("of f16 cannot have the shape [-2, 3]"),
            std::string::npos);
  EXPECT_NE(error_of(write_ggml({good, good}, config())).find("is there twice"), std::string::npos);
}

TEST(Ggml, RefusesAHeaderThatContradictsItself) {
  EXPECT_NE(error_of("GGUF" + write_ggml({}, config())).find("expected a ggml file"),
            std::string::npos);
  base::Json bad = config();
  bad["n_text_layer"] = 0;
  EXPECT_NE(error_of(write_ggml({}, bad)).find("n_text_layer must lie in"), std::string::npos);
  std::string filters = write_ggml({}, config());
  filters[4 + 11 * 4] = 4;
  EXPECT_NE(error_of(filters).find("expected mel filters of 3 bands, got 4"), std::string::npos);
  std::string words = write_ggml({}, config());
  words[4 + 11 * 4 + 8 + 3 * 2 * 4] = 6;
  EXPECT_NE(error_of(words).find("a vocabulary of at most 5 words, got 6"), std::string::npos);
}

}  // namespace
}  // namespace whinchat::weights
