// Safetensors files: tensors under their own names. A u64 header length, a JSON header, the data.
// Strict: every byte of the data belongs to exactly one tensor, and no key is there twice.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "base/bytes.h"
#include "weights/weight_map.h"

namespace whinchat::weights {

// `owner` keeps `bytes` alive. Throws Error{Corrupt} for a file that contradicts itself,
// Error{Unsupported} for a type that is not known here.
WeightMap read_safetensors(base::Bytes bytes, const std::shared_ptr<const void>& owner,
                           const std::string& source);

WeightMap load_safetensors(const std::filesystem::path& file);

// The files that a `model.safetensors.index.json` lists, which lie beside it.
WeightMap load_sharded_safetensors(const std::filesystem::path& index_file);

}  // namespace whinchat::weights
