// A model in one file, written from a CTranslate2 folder by oracles/ggml_file.py and pt_file.py,
// holds the same dimensions and the same tensors in every bit as the folder does. The files that
// the build writes are tiny.en's in f16; others (base.f32.pt, …) are compared where they are.
#include <gtest/gtest.h>
#include <mlx/types/half_types.h>
#include <stdlib.h>  // NOLINT(modernize-deprecated-headers): getenv

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "weights/checkpoint.h"
#include "weights/tensor.h"
#include "weights/weight_map.h"

namespace whinchat::weights {
namespace {

namespace fs = std::filesystem;

std::vector<std::byte> widened(base::Bytes halves) {
  std::vector<std::byte> floats;
  floats.reserve(halves.size() * 2);
  for (size_t i = 0; i < halves.size(); i += 2) {
    const auto half =
        std::bit_cast<mlx::core::float16_t>(base::load_unaligned<uint16_t>(halves.data() + i));
    const auto bytes = std::bit_cast<std::array<std::byte, 4>>(static_cast<float>(half));
    floats.insert(floats.end(), bytes.begin(), bytes.end());
  }
  return floats;
}

void expect_equal(const Checkpoint& file, const Checkpoint& folder, const std::string& name) {
  EXPECT_EQ(file.config, folder.config) << name;
  ASSERT_EQ(file.weights.names(), folder.weights.names()) << name;
  for (const std::string& tensor_name : folder.weights.names()) {
    const Tensor& expected = *folder.weights.find(tensor_name);
    const Tensor& tensor = *file.weights.find(tensor_name);
    ASSERT_EQ(expected.dtype, DType::F16) << tensor_name;
    ASSERT_EQ(tensor.shape, expected.shape) << name << " " << tensor_name;
    const bool is_f32 = tensor.dtype == DType::F32;
    ASSERT_TRUE(is_f32 || tensor.dtype == DType::F16) << name << " " << tensor_name;
    const bool is_same = is_f32 ? std::ranges::equal(tensor.bytes, widened(expected.bytes))
                                : std::ranges::equal(tensor.bytes, expected.bytes);
    ASSERT_TRUE(is_same) << name << " " << tensor_name;
  }
}

// Tensors by type: whisper.cpp keeps matrices and convolutions as they are, and widens the rest.
std::map<DType, int> types_of(const Checkpoint& checkpoint) {
  std::map<DType, int> counts;
  for (const std::string& name : checkpoint.weights.names()) {
    ++counts[checkpoint.weights.find(name)->dtype];
  }
  return counts;
}

TEST(SingleFileParity, EqualsTheFolderInEveryBit) {
  const char* oracle_files = getenv("WHINCHAT_ORACLE_FILES");
  ASSERT_NE(oracle_files, nullptr);
  const fs::path files = oracle_files;
  const fs::path models = fs::path(WHINCHAT_CACHE) / "models";
  int compared = 0;
  for (const std::string model : {"tiny.en", "base"}) {
    const Checkpoint folder = load_checkpoint(models / model);
    for (const std::string end : {".f16.bin", ".f16.pt", ".f32.bin", ".f32.pt"}) {
      const fs::path path = files / (model + end);
      const bool is_written_here = model == "tiny.en" && end.starts_with(".f16");
      if (!is_written_here && !fs::exists(path)) continue;
      const Checkpoint file = load_checkpoint(path);
      expect_equal(file, folder, path.string());
      const std::map<DType, int> types = types_of(file);
      EXPECT_EQ(types.contains(DType::F16), end.starts_with(".f16")) << path;
      EXPECT_EQ(types.contains(DType::F32), end != ".f16.pt") << path;
      ++compared;
    }
  }
  EXPECT_GE(compared, 2);
  RecordProperty("files", compared);
}

}  // namespace
}  // namespace whinchat::weights
