// What torch.save writes: the archive, its pickle, names and dimensions of what they hold. An input
// that is no archive is taken for the pickle alone.
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/bytes.h"
#include "weights/formats/pickle.h"
#include "weights/formats/pt.h"
#include "weights/names/whisper_config.h"
#include "weights/names/whisper_openai.h"
#include "weights/weight_map.h"
#include "whinchat/error.h"

using namespace whinchat;

namespace {

constexpr std::string_view kGlobals[] = {"torch._utils._rebuild_tensor_v2", "torch.HalfStorage"};

void read(base::Bytes input) {
  if (!base::as_text(input).starts_with("PK")) {
    const weights::Pickle pickle = weights::read_pickle(input, kGlobals, "data.pkl");
    weights::find_item(*pickle.root, "dims");
    return;
  }
  const weights::TorchFile file = weights::read_pt(input, nullptr, "a.pt");
  weights::name_whisper_openai(file.tensors).audit();
  weights::read_whisper_config(file.dims, "a.pt");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    read(std::as_bytes(std::span(data, size)));
  } catch (const Error&) {
    return 0;  // a refusal is an answer
  }
  return 0;
}
