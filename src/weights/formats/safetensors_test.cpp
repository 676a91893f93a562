#include "weights/formats/safetensors.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
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
  return read_safetensors(base::as_bytes(file), nullptr, "model.safetensors");
}

std::string with_header(const std::string& header, size_t data_bytes) {
  const uint64_t size = header.size();
  std::string file(8, '\0');
  std::memcpy(file.data(), &size, 8);
  return file + header + std::string(data_bytes, 'x');
}

std::vector<Stored> some_tensors() {
  return {make_stored("a", {5, 3}),         make_stored("b", {7}, DType::BF16),
          make_stored("c", {3}, DType::U8), make_stored("d", {2, 2}, DType::F32),
          make_stored("e", {}, DType::I64), make_stored("f", {0, 3}, DType::F32)};
}

TEST(Safetensors, ReadsTensorsAtAnyAddress) {
  for (int shift = 0; shift < 4; ++shift) {
    const std::string file = write_safetensors(some_tensors(), shift);
    const WeightMap map = read(file);
    EXPECT_EQ(map.names().size(), some_tensors().size());
    for (const Stored& stored : some_tensors()) {
      const Tensor* tensor = map.find(stored.name);
      ASSERT_NE(tensor, nullptr) << stored.name;
      EXPECT_EQ(tensor->dtype, stored.dtype) << stored.name;
      EXPECT_EQ(tensor->shape, stored.shape) << stored.name;
      EXPECT_EQ(base::as_text(tensor->bytes), stored.bytes) << stored.name;
    }
  }
}

TEST(Safetensors, ReadsEntriesInAnyOrderAndSkipsMetadata) {
  const WeightMap map = read(with_header(
      R"({"b":{"dtype":"U8","shape":[2],"data_offsets":[3,5]},"__metadata__":{"format":"mlx:1"},)"
      R"("a":{"dtype":"U8","shape":[3],"data_offsets":[0,3]}})",
      5));
  EXPECT_EQ(map.names(), (std::vector<std::string>{"a", "b"}));
}

struct Refused {
  const char* header;
  size_t data_bytes;
  const char* message;
};

TEST(Safetensors, RefusesHeadersThatContradictTheFile) {
  const Refused cases[] = {
      {R"({"a":{"dtype":"U8","shape":[3],"data_offsets":[0,3]}})", 4,
       "expected 3 bytes of data, got 4"},
      {R"({"a":{"dtype":"U8","shape":[3],"data_offsets":[0,3]}})", 2,
       "takes bytes 0 to 3 of the data, but the file ends after 2"},
      {R"({"a":{"dtype":"U8","shape":[3],"data_offsets":[1,4]}})", 4, "bytes of no tensor"},
      {R"({"a":{"dtype":"U8","shape":[3],"data_offsets":[3,0]}})", 3, "two rising data_offsets"},
      {R"({"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},)"
       R"("b":{"dtype":"U8","shape":[2],"data_offsets":[1,3]}})",
       3, "tensors overlap"},
      {R"({"a":{"dtype":"F16","shape":[3],"data_offsets":[0,3]}})", 3, "does not take 3 bytes"},
      {R"({"a":{"dtype":"U8","shape":[4294967296,4294967296],"data_offsets":[0,0]}})", 0,
       "does not take"},
      {R"({"a":{"dtype":"U8","shape":[-1],"data_offsets":[0,1]}})", 1, "whole numbers from 0"},
      {R"({"a":{"dtype":"U8","shape":[1.5],"data_offsets":[0,1]}})", 1, "whole numbers from 0"},
      {R"({"a":{"dtype":"U8","shape":[18446744073709551615],"data_offsets":[0,1]}})", 1,
       "whole numbers"},
      {R"({"a":{"dtype":"F8_E4M3","shape":[1],"data_offsets":[0,1]}})", 1, "\"F8_E4M3\""},
      {R"({"a":{"dtype":8,"shape":[1],"data_offsets":[0,1]}})", 1, "\"a\""},
      {R"({"a":{"dtype":"U8","data_offsets":[0,1]}})", 1, "a list shape"},
      {R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0]}})", 1, "data_offsets"},
      {R"({"a":[]})", 0, "an object"},
      {R"([])", 0, "a JSON object"},
      {R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},)"
       R"("a":{"dtype":"I8","shape":[1],"data_offsets":[0,1]}})",
       1, "tensors overlap"},
      {R"({"a":{"dtype":"U8","shape":[0],"data_offsets":[0,0]},)"
       R"("a":{"dtype":"I8","shape":[0],"data_offsets":[0,0]}})",
       0, "twice"},
      {R"({"a":{"dtype":"U8","dtype":"I8","shape":[1],"data_offsets":[0,1]}})", 1, "twice"},
      {R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1],"x":{"y":1,"y":1}}})", 1, "twice"},
      {R"({"a":)", 0, "syntax error"},
      {R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]})", 1, "syntax error"},
      {R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},})", 1, "syntax error"},
      {R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}}})", 1, "syntax error"},
      {R"({"a" {"dtype":"U8","shape":[1],"data_offsets":[0,1]}})", 1, "syntax error"},
      {R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1})", 1, "syntax error"},
      {"", 0, "syntax error"},
  };
  for (const Refused& refused : cases) {
    const std::string message =
        message_of([&] { read(with_header(refused.header, refused.data_bytes)); });
    EXPECT_NE(message.find(refused.message), std::string::npos) << refused.header << "\n"
                                                                << message;
    EXPECT_EQ(message.find("model.safetensors"), 0u) << message;
  }
}

TEST(Safetensors, RefusesHeadersLongerThanTheFile) {
  for (const uint64_t size :
       {uint64_t{3}, uint64_t{16'000'000}, uint64_t{1'000'000'000'000}, UINT64_MAX}) {
    std::string file(8, '\0');
    std::memcpy(file.data(), &size, 8);
    EXPECT_THROW(read(file + "{}"), Error) << size;
  }
}

TEST(Safetensors, ReadsManyTensorsInLinearTime) {
  std::string header = "{";
  for (int i = 0; i < 20000; ++i) {
    header += (i == 0 ? "\"t" : ",\"t") + std::to_string(i) +
              R"(":{"dtype":"U8","shape":[0],"data_offsets":[0,0]})";
  }
  EXPECT_EQ(read(with_header(header + "}", 0)).names().size(), 20000u);
}

TEST(Safetensors, EveryTruncationIsAnError) {
  const std::string file = write_safetensors(some_tensors());
  for (size_t size = 0; size < file.size(); ++size) {
    EXPECT_THROW(read(std::string_view(file).substr(0, size)), Error) << size;
  }
}

constexpr const char* kIndex =
    R"({"metadata":{},"weight_map":{"a":"1.safetensors","b":"2.safetensors"}})";

TEST(Safetensors, JoinsTheShardsOfAnIndex) {
  const Folder folder;
  folder.write("index.json", kIndex);
  folder.write("1.safetensors", write_safetensors({make_stored("a", {3})}));
  folder.write("2.safetensors", write_safetensors({make_stored("b", {2})}));
  const WeightMap map = load_sharded_safetensors(folder.path() / "index.json");
  EXPECT_EQ(map.names(), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(base::as_text(map.find("b")->bytes), make_stored("b", {2}).bytes);
}

TEST(Safetensors, NamesAShardOrATensorThatIsMissing) {
  const Folder folder;
  folder.write("index.json", kIndex);
  folder.write("1.safetensors", write_safetensors({make_stored("a", {3})}));
  const auto load = [&] { load_sharded_safetensors(folder.path() / "index.json"); };
  EXPECT_NE(message_of(load).find("2.safetensors"), std::string::npos);
  folder.write("2.safetensors", write_safetensors({make_stored("c", {3})}));
  EXPECT_NE(message_of(load).find("the tensor \"b\" is missing in 2.safetensors"),
            std::string::npos);
}

TEST(Safetensors, AnIndexOfOtherValuesIsShownThem) {
  const Folder folder;
  const auto load = [&] { load_sharded_safetensors(folder.path() / "index.json"); };
  folder.write("index.json", R"({"weight_map":{"a":7}})");
  EXPECT_NE(message_of(load).find("weight_map: expected plain file names, got 7"),
            std::string::npos);
  folder.write("index.json", R"({"metadata":{},"weight_map":"a"})");
  EXPECT_NE(message_of(load).find("weight_map: expected a JSON object"), std::string::npos);
}

TEST(Safetensors, AnIndexReachesNoOtherFolder) {
  const Folder folder;
  for (const char* name : {"../a", "/etc/passwd", "..", "", "a/b"}) {
    folder.write("index.json", std::string(R"({"weight_map":{"a":")") + name + "\"}}");
    const std::string message =
        message_of([&] { load_sharded_safetensors(folder.path() / "index.json"); });
    EXPECT_NE(message.find("plain file names"), std::string::npos) << name;
  }
}

}  // namespace
}  // namespace whinchat::weights
