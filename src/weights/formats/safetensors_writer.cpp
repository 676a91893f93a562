#include "weights/formats/safetensors_writer.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "base/bytes.h"
#include "base/json.h"
#include "weights/formats/output_file.h"
#include "weights/formats/planned_tensor.h"
#include "weights/tensor.h"

namespace whinchat::weights {
namespace {

std::string type_name(DType dtype) {
  std::string name(name_of(dtype));
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::toupper(c); });
  return name;
}

// Padded, so that the data begin on a multiple of 8.
std::string make_header(std::span<const PlannedTensor> tensors) {
  base::Json header = {{"__metadata__", {{"format", "mlx"}}}};
  uint64_t position = 0;
  for (const PlannedTensor& tensor : tensors) {
    header[tensor.name] = {{"dtype", type_name(tensor.dtype)},
                           {"shape", tensor.shape},
                           {"data_offsets", {position, position + tensor.bytes()}}};
    position += tensor.bytes();
  }
  std::string text = header.dump();
  constexpr size_t kAlignment = 8;
  text.append((kAlignment - text.size() % kAlignment) % kAlignment, ' ');
  return text;
}

}  // namespace

bool write_safetensors(const std::filesystem::path& path, std::span<const PlannedTensor> tensors,
                       const OnWritten& on_written) {
  OutputFile file(path);
  const std::string header = make_header(tensors);
  const uint64_t header_bytes = header.size();
  file.write(std::as_bytes(std::span(&header_bytes, 1)));
  file.write(header);
  for (const PlannedTensor& tensor : tensors) {
    file.write(tensor.make().bytes);
    if (!on_written(tensor.bytes())) return false;
  }
  file.close();
  return true;
}

}  // namespace whinchat::weights
