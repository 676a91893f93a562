// whisper.cpp's ggml .bin: the reader, every computed row, then the names of what it read.
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "weights/formats/ggml.h"
#include "weights/names/whisper_openai.h"
#include "weights/tensor.h"
#include "weights/weight_map.h"
#include "whinchat/error.h"

using namespace whinchat;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    const weights::GgmlFile file =
        weights::read_ggml(std::as_bytes(std::span(data, size)), nullptr, "a.bin");
    for (const std::string& name : file.tensors.names()) {
      weights::decoded(*file.tensors.find(name));
    }
    weights::name_whisper_openai(file.tensors).audit();
  } catch (const Error&) {
    return 0;  // a refusal is an answer
  }
  return 0;
}
