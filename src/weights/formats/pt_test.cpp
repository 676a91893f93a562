#include "weights/formats/pt.h"

#include <gtest/gtest.h>

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

using pickled::dict;
using pickled::text;
using pickled::whole;

Stored matrix() { return make_stored("m", {2, 3}, DType::F32); }

// The file must outlive the result.
TorchFile read(const std::string& file) { return read_pt(base::as_bytes(file), nullptr, "a.pt"); }

std::string error_of_file(const std::string& file) {
  return message_of([&] { read(file); });
}

// Of a dictionary of one tensor, whose storage is that matrix.
std::string error_of(const std::string& tensor) {
  return error_of_file(
      write_zip({{"a/data/0", matrix().bytes}, {"a/data.pkl", whole(dict(text("m") + tensor))}}));
}

std::string strides(int32_t first, int32_t second) {
  return pickled::tuple(pickled::integer(first) + pickled::integer(second));
}

TEST(Pt, ReadsDimensionsAndTensorsWhereTheyLie) {
  for (const DType dtype : {DType::F32, DType::F16, DType::BF16}) {
    const std::vector<Stored> model = {make_stored("a", {2, 3}, dtype),
                                       make_stored("b", {4}, dtype)};
    const std::string file = write_pt(model, {{"n_mels", 80}});
    const TorchFile content = read(file);
    EXPECT_EQ(content.dims, base::Json({{"n_mels", 80}}));
    ASSERT_EQ(content.tensors.names().size(), 2);
    for (const Stored& stored : model) {
      const Tensor& tensor = *content.tensors.find(stored.name);
      EXPECT_EQ(tensor.dtype, dtype);
      EXPECT_EQ(tensor.shape, stored.shape);
      EXPECT_EQ(base::as_text(tensor.bytes), stored.bytes);
      EXPECT_GE(tensor.bytes.data(), base::as_bytes(file).data());
      EXPECT_LT(tensor.bytes.data(), base::as_bytes(file).data() + file.size());
    }
  }
}

TEST(Pt, ReadsTensorsAlone) {
  const std::string file =
      write_zip({{"a/data/0", matrix().bytes},
                 {"a/data.pkl", whole(dict(text("m") + pickled::tensor(matrix(), "0")))}});
  EXPECT_TRUE(read(file).dims.is_null());
  EXPECT_EQ(base::as_text(read(file).tensors.find("m")->bytes), matrix().bytes);
}

TEST(Pt, ReadsAPartOfAStorage) {
  const Stored row{"m", DType::F32, {3}, matrix().bytes.substr(12)};
  const std::string file =
      write_zip({{"a/data/0", matrix().bytes},
                 {"a/data.pkl", whole(dict(text("m") + pickled::tensor(row, "0", 3, "", 6)))}});
  EXPECT_EQ(base::as_text(read(file).tensors.find("m")->bytes), row.bytes);
  EXPECT_NE(error_of(pickled::tensor(row, "0", 4, "", 6)).find("beyond its storage of [6]"),
            std::string::npos);
  EXPECT_NE(error_of(pickled::tensor(row, "0", -1, "", 6)).find("expected a storage, an offset"),
            std::string::npos);
}

TEST(Pt, RefusesElementsThatDoNotLieRowByRow) {
  EXPECT_NE(error_of(pickled::tensor(matrix(), "0", 0, strides(1, 2)))
                .find("shape [2, 3] with strides [1, 2]: save its contiguous()"),
            std::string::npos);
  EXPECT_NE(
      error_of(pickled::tensor(matrix(), "0", 0, strides(0, 1))).find("save its contiguous()"),
      std::string::npos);
  const Stored column{"m", DType::F32, {6, 1}, matrix().bytes};
  EXPECT_EQ(error_of(pickled::tensor(column, "0", 0, strides(1, 77))), "");
}

TEST(Pt, RefusesAStorageOfAnotherSize) {
  EXPECT_NE(
      error_of(pickled::tensor(matrix(), "0", 0, "", 7)).find("7 elements of f32 do not take 24"),
      std::string::npos);
  EXPECT_NE(
      error_of(pickled::tensor(matrix(), "1")).find("expected the member \"a/data/1\", got none"),
      std::string::npos);
  Stored large = matrix();
  large.shape = {1 << 15, 1 << 15};
  EXPECT_NE(error_of(pickled::tensor(large, "0")).find("beyond its storage"), std::string::npos);
}

TEST(Pt, RefusesWhatIsNoTensor) {
  EXPECT_NE(error_of("K\1").find("expected a tensor, got another value"), std::string::npos);
  const std::string call = pickled::global("torch._utils", "_rebuild_tensor_v2");
  EXPECT_NE(error_of(call + ")R").find("expected a storage, an offset"), std::string::npos);
  EXPECT_NE(error_of(call + "(NQK" + std::string(1, '\0') + "))tR").find("a storage with a type"),
            std::string::npos);
  EXPECT_NE(
      error_of_file(write_zip({{"a/data.pkl", whole("K\1")}})).find("a dictionary of tensors"),
      std::string::npos);
  EXPECT_NE(error_of_file(write_zip({{"a/data.pkl", whole(dict("K\1N"))}})).find("tensors by name"),
            std::string::npos);
}

TEST(Pt, RefusesDimensionsThatAreNone) {
  const auto error = [](const std::string& dims) {
    return error_of_file(write_zip(
        {{"a/data.pkl", whole(dict(text("dims") + dims + text("model_state_dict") + "}"))}}));
  };
  EXPECT_NE(error("N").find("expected a dictionary dims"), std::string::npos);
  EXPECT_NE(error(dict(text("n_mels") + text("80"))).find("whole numbers by name"),
            std::string::npos);
  EXPECT_NE(error_of_file(write_zip({{"a/data.pkl", whole(dict(text("dims") + "}"))}}))
                .find("expected both dims and model_state_dict"),
            std::string::npos);
}

TEST(Pt, RefusesArchivesThatTorchDoesNotWrite) {
  EXPECT_NE(error_of_file(write_zip({{"a.npy", "x"}})).find("expected data.pkl"),
            std::string::npos);
  const std::string empty = whole("}");
  EXPECT_NE(
      error_of_file(write_zip({{"a/data.pkl", empty}, {"b/data.pkl", empty}})).find("one data.pkl"),
      std::string::npos);
  EXPECT_NE(error_of_file(write_zip({{"a/data.pkl", empty}, {"a/byteorder", "big"}}))
                .find("little-endian"),
            std::string::npos);
  EXPECT_NE(error_of_file(write_zip({{"a/data.pkl", empty}}, true))
                .find("stored as it is, got it packed"),
            std::string::npos);
  EXPECT_NE(error_of_file(write_zip({{"a/data.pkl", std::string(2'000'001, '}')}}))
                .find("at most 2000000"),
            std::string::npos);
}

TEST(WhisperOpenai, RenamesAndMovesConvolutionAxes) {
  const std::string file = write_pt(make_openai_model(), base::parse_json(kMlxConfig, "config"));
  const TorchFile content = read(file);
  EXPECT_TRUE(has_whisper_openai_names(content.tensors));
  WeightMap weights = name_whisper_openai(content.tensors);
  for (const Stored& stored : make_mlx_model()) {
    const Tensor* tensor = weights.find(stored.name);
    ASSERT_NE(tensor, nullptr) << stored.name;
    EXPECT_EQ(tensor->shape, stored.shape) << stored.name;
    EXPECT_EQ(base::as_text(tensor->bytes), stored.bytes) << stored.name;
  }
  take_whisper(weights, content.dims);
  EXPECT_EQ(message_of([&] { weights.audit(); }), "");
}

}  // namespace
}  // namespace whinchat::weights
