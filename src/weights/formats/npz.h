// NumPy's .npz, as np.savez, np.savez_compressed and mx.savez write it: a ZIP archive with an array
// in each member NAME.npy. Stored arrays are spans of the file, packed ones are unpacked. MLX's
// bf16 is there as two bytes without a type. Source: NEP 1 (numpy.lib.format).
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "base/bytes.h"
#include "weights/weight_map.h"

namespace whinchat::weights {

// `owner` keeps `bytes` alive. Throws Error{Corrupt} for a file that contradicts itself,
// Error{Unsupported} for types that no model has, and for arrays of more axes than two that lie
// column by column.
WeightMap read_npz(base::Bytes bytes, const std::shared_ptr<const void>& owner,
                   const std::string& source);

WeightMap load_npz(const std::filesystem::path& file);

}  // namespace whinchat::weights
