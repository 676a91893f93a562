#include "weights/formats/npz.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <ios>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "weights/fixture.h"
#include "weights/formats/npy_header.h"
#include "weights/tensor.h"
#include "weights/weight_map.h"
#include "whinchat/error.h"

namespace whinchat::weights {
namespace {

namespace fs = std::filesystem;

// oracles/npz.py wrote them.
fs::path stored(const std::string& name) { return fs::path(WHINCHAT_TEST_DATA) / "npz" / name; }

std::string content_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

template <typename T>
std::vector<T> elements_of(const Tensor& tensor) {
  std::vector<T> elements(tensor.bytes.size() / sizeof(T));
  for (size_t i = 0; i < elements.size(); ++i) {
    elements[i] = base::load_unaligned<T>(tensor.bytes.data() + i * sizeof(T));
  }
  return elements;
}

template <typename T>
std::vector<T> counted() {
  std::vector<T> elements(24);
  for (size_t i = 0; i < elements.size(); ++i) elements[i] = static_cast<T>(i);
  return elements;
}

TEST(Npz, ReadsWhatNumpyAndMlxWrite) {
  for (const char* name : {"numpy.npz", "packed.npz", "mlx.npz"}) {
    const WeightMap tensors = load_npz(stored(name));
    const Tensor& floats = *tensors.find("f32");
    EXPECT_EQ(floats.dtype, DType::F32) << name;
    EXPECT_EQ(floats.shape, (std::vector<int64_t>{2, 3, 4})) << name;
    EXPECT_EQ(elements_of<float>(floats), counted<float>()) << name;
    const Tensor& halves = *tensors.find("f16");
    EXPECT_EQ(halves.dtype, DType::F16) << name;
    EXPECT_EQ(elements_of<uint16_t>(halves)[1], 0x3C00) << name;
    EXPECT_EQ(elements_of<uint32_t>(*tensors.find("alignment_heads")), counted<uint32_t>()) << name;
    EXPECT_EQ(elements_of<float>(*tensors.find("row")), counted<float>()) << name;
    EXPECT_EQ(elements_of<float>(*tensors.find("scalar")), std::vector<float>{5}) << name;
    EXPECT_TRUE(tensors.find("scalar")->shape.empty()) << name;
  }
}

TEST(Npz, ReadsMlxsBf16WhichIsThereWithoutAType) {
  const WeightMap tensors = load_npz(stored("mlx.npz"));
  const Tensor& tensor = *tensors.find("bf16");
  EXPECT_EQ(tensor.dtype, DType::BF16);
  EXPECT_EQ(elements_of<uint16_t>(tensor)[1], 0x3F80);
}

TEST(Npz, StoredArraysAreSpansOfTheFile) {
  const std::string file = content_of(stored("mlx.npz"));
  const WeightMap tensors = read_npz(base::as_bytes(file), nullptr, "w.npz");
  const auto* data = reinterpret_cast<const char*>(tensors.find("f32")->bytes.data());
  EXPECT_GE(data, file.data());
  EXPECT_LT(data, file.data() + file.size());
}

TEST(Npz, TurnsAMatrixThatLiesColumnByColumn) {
  const WeightMap tensors = load_npz(stored("columns.npz"));
  const Tensor& matrix = *tensors.find("heads");
  EXPECT_EQ(matrix.shape, (std::vector<int64_t>{3, 2}));
  EXPECT_EQ(elements_of<int64_t>(matrix), (std::vector<int64_t>{0, 3, 1, 4, 2, 5}));
}

TEST(Npz, RefusesColumnByColumnOfMoreAxes) {
  EXPECT_NE(message_of([] { load_npz(stored("cube.npz")); }).find("[4, 3, 2] column by column"),
            std::string::npos);
}

TEST(Npz, EveryTruncationIsAnError) {
  const std::string file = content_of(stored("packed.npz"));
  for (size_t size = 0; size < file.size(); ++size) {
    EXPECT_THROW(read_npz(base::as_bytes(std::string_view(file).substr(0, size)), nullptr, "w.npz"),
                 Error)
        << size;
  }
}

// The file with one piece of its text replaced by another of the same length.
std::string error_after(const std::string& from, const std::string& to) {
  std::string file = content_of(stored("mlx.npz"));
  file.replace(file.find(from), from.size(), to);
  return message_of([&] { read_npz(base::as_bytes(file), nullptr, "w.npz"); });
}

TEST(Npz, NamesTheArrayThatIsWrong) {
  EXPECT_NE(error_after("<V2", "<V4").find(R"("bf16.npy": the type "<V4" is not known)"),
            std::string::npos);
  EXPECT_NE(error_after("(24, )", "(25, )").find("shape [25] of f32 does not take 96 bytes"),
            std::string::npos);
  EXPECT_NE(error_after("NUMPY", "NOMPY").find("expected an array of NumPy"), std::string::npos);
  EXPECT_NE(error_after(std::string("NUMPY\x01", 6), std::string("NUMPY\x04", 6)).find("got 4"),
            std::string::npos);
}

NpyHeader parse(std::string_view text) { return read_npy_header(text, "a.npy"); }

TEST(NpyHeader, ReadsBothWritersSpelling) {
  for (const char* text : {"{'descr': '<f4', 'fortran_order': True, 'shape': (3, 4), }      \n",
                           "{'shape':(3,4,),'fortran_order':True,'descr':'<f4'}"}) {
    const NpyHeader header = parse(text);
    EXPECT_EQ(header.descr, "<f4");
    EXPECT_TRUE(header.fortran_order);
    EXPECT_EQ(header.shape, (std::vector<int64_t>{3, 4}));
  }
  EXPECT_TRUE(parse("{'descr': 'x', 'fortran_order': False, 'shape': ()}").shape.empty());
}

TEST(NpyHeader, RefusesWhateverElsePythonWouldTake) {
  const std::string head = "{'descr': '<f4', 'fortran_order': False, 'shape': ";
  for (const std::string& text :
       {std::string(""), std::string("{}"), head, head + "(3)", head + "(3, 4)} x",
        head + "[3, 4]}", head + "(-1,)}", head + "(1.5,)}", head + "(0x3,)}",
        head + "(99999999999999999999,)}", head + "(1,1,1,1,1,1,1,1,1)}", head + "(,)}",
        head + "(3,), 'shape': (3,)}", head + "(3,), 'name': 'x'}",
        std::string("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': ()}"),
        std::string("{'descr': \"<f4\", 'fortran_order': False, 'shape': ()}"),
        std::string("{'descr': '<\\x664', 'fortran_order': False, 'shape': ()}"),
        std::string("{'descr': '<f4', 'fortran_order': 0, 'shape': ()}"),
        std::string("__import__('os')")}) {
    const std::string message = message_of([&] { parse(text); });
    EXPECT_EQ(message.find("a.npy: expected "), 0u) << text << ": " << message;
  }
}

}  // namespace
}  // namespace whinchat::weights
