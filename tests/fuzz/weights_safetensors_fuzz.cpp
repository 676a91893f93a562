// A safetensors file: the reader, then the names of what it read.
#include <cstddef>
#include <cstdint>
#include <span>

#include "weights/formats/safetensors.h"
#include "weights/names/whisper_hf.h"
#include "weights/names/whisper_mlx.h"
#include "weights/weight_map.h"
#include "whinchat/error.h"

using namespace whinchat;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    weights::WeightMap tensors = weights::read_safetensors(std::as_bytes(std::span(data, size)),
                                                           nullptr, "model.safetensors");
    if (weights::has_whisper_hf_names(tensors)) tensors = weights::name_whisper_hf(tensors);
    weights::read_alignment_heads(tensors);
    weights::tolerate_whisper_mlx(tensors);
    tensors.audit();
  } catch (const Error&) {
    return 0;  // a refusal is an answer
  }
  return 0;
}
