// What a model's options say of the machine, as the runtime that it is loaded for.
#pragma once

#include "ops/runtime.h"
#include "whinchat/transcription.h"

namespace whinchat::transcription {

// Throws Error: {BadInput} for options that do not go together, {Unsupported} for what the machine
// lacks, and where MLX's products do not run on OpenBLAS.
ops::Runtime runtime_for(const ModelOptions& options);

}  // namespace whinchat::transcription
