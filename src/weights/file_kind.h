// What a file of a model is, by its bytes: names say nothing, as a ggml file and a CTranslate2 one
// both end in .bin.
#pragma once

#include <string>

#include "base/bytes.h"

namespace whinchat::weights {

enum class FileKind { Ggml, Torch, Npz, CTranslate2, Safetensors };

// Throws Error{Unsupported} with a sentence that says what can be read, for all other kinds.
FileKind kind_of_file(base::Bytes bytes, const std::string& source);

// Whether a model.bin is of another kind than CTranslate2's, whose files begin with no mark.
bool begins_with_mark(base::Bytes bytes);

}  // namespace whinchat::weights
