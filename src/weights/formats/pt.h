// What torch.save writes since torch 1.6: a ZIP archive of one pickle and the tensors' bytes, which
// stay where they lie in the file. Read as openai-whisper saves a model, {"dims": {…},
// "model_state_dict": {…}}, or as a dictionary of tensors alone. No code in it is run: what is
// neither a number nor a tensor is refused by name. Tensors are f32, f16 or bf16, row by row.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "base/bytes.h"
#include "base/json.h"
#include "weights/weight_map.h"

namespace whinchat::weights {

struct TorchFile {
  base::Json dims;  // its integers by name; null where the file has none
  WeightMap tensors;
};

// `owner` keeps `bytes` alive. Throws Error{Corrupt} for a file that contradicts itself,
// Error{Unsupported} for what is not read.
TorchFile read_pt(base::Bytes bytes, const std::shared_ptr<const void>& owner,
                  const std::string& source);

}  // namespace whinchat::weights
