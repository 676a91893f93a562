// CTranslate2's model.bin: the reader, then names, dimensions and quantised rows of what it read.
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "weights/formats/ctranslate2.h"
#include "weights/names/whisper_ct2.h"
#include "weights/tensor.h"
#include "weights/weight_map.h"
#include "whinchat/error.h"

using namespace whinchat;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    const weights::WeightMap variables =
        weights::read_ctranslate2(std::as_bytes(std::span(data, size)), nullptr, "model.bin");
    weights::whisper_ct2_config(variables);
    const weights::WeightMap named = weights::name_whisper_ct2(variables);
    for (const std::string& name : named.names()) weights::decoded(*named.find(name));
    named.audit();
  } catch (const Error&) {
    return 0;  // a refusal is an answer
  }
  return 0;
}
