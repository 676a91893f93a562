// CTranslate2's model.bin, versions 2 to 6, of a Whisper model: its variables under their own names
// (`encoder/conv1/weight`), aliases as tensors of the same bytes, flags as tensors of rank 0.
// Quantised variables come as they are stored, with their `<name>_scale` beside them.
// Source: CTranslate2's Model::load.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "base/bytes.h"
#include "weights/weight_map.h"

namespace whinchat::weights {

// `owner` keeps `bytes` alive. Throws Error{Corrupt} for a file that ends early or contradicts
// itself, Error{Unsupported} for another version or kind of model.
WeightMap read_ctranslate2(base::Bytes bytes, const std::shared_ptr<const void>& owner,
                           const std::string& source);

WeightMap load_ctranslate2(const std::filesystem::path& file);

}  // namespace whinchat::weights
