// NumPy's .npz: the archive, each array's header, its elements.
#include <cstddef>
#include <cstdint>
#include <span>

#include "weights/formats/npz.h"
#include "whinchat/error.h"

using namespace whinchat;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    weights::read_npz(std::as_bytes(std::span(data, size)), nullptr, "weights.npz");
  } catch (const Error&) {
    return 0;  // a refusal is an answer
  }
  return 0;
}
