// Writes a CTranslate2 model.bin of version 6 for a WhisperSpec of revision 3.
// Source: CTranslate2 4.8, python/ctranslate2/specs/model_spec.py.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "weights/formats/planned_tensor.h"

namespace whinchat::weights {

using NamedAliases = std::vector<std::pair<std::string, std::string>>;  // (alias, target)

// `variables` are ascending by name, as the library's are. False: stopped; then the file is not
// whole. Throws Error{Internal} for a disk that refuses.
bool write_ctranslate2(const std::filesystem::path& path, std::span<const PlannedTensor> variables,
                       const NamedAliases& aliases, const OnWritten& on_written);

}  // namespace whinchat::weights
