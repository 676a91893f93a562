// Writes a safetensors file. Source: the format's own README (huggingface/safetensors).
#pragma once

#include <filesystem>
#include <span>

#include "weights/formats/planned_tensor.h"

namespace whinchat::weights {

// False: stopped; then the file is not whole. Throws Error{Internal} for a disk that refuses.
bool write_safetensors(const std::filesystem::path& path, std::span<const PlannedTensor> tensors,
                       const OnWritten& on_written);

}  // namespace whinchat::weights
