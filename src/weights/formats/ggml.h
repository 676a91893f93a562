// whisper.cpp's model file (ggml .bin): dimensions, mel filters, a vocabulary and the tensors, f32,
// f16, bf16 or quantised, under openai-whisper's names. Matrices of a quantised type get computed
// rows; all others lie where they lie in the file. The filters and the vocabulary are OpenAI's,
// which we have: they are only stepped over. Source: whisper_model_load in whisper.cpp.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "base/bytes.h"
#include "base/json.h"
#include "weights/weight_map.h"

namespace whinchat::weights {

struct GgmlFile {
  base::Json config;  // names/whisper_config.h lists the fields
  WeightMap tensors;
};

bool is_ggml(base::Bytes bytes);

// `owner` keeps `bytes` alive. Throws Error{Corrupt} for a file that ends early or contradicts
// itself, Error{Unsupported} for another type of tensor or version of the quantised ones.
GgmlFile read_ggml(base::Bytes bytes, const std::shared_ptr<const void>& owner,
                   const std::string& source);

}  // namespace whinchat::weights
