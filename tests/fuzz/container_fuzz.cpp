// Whatever FFmpeg takes the bytes for, as a file and through a pipe; and what we look at ourselves.
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "audio/audio_source.h"
#include "audio/byte_source.h"
#include "audio/container.h"
#include "audio/mp3_frame.h"
#include "audio/ogg_tail.h"
#include "fuzz_bytes.h"
#include "whinchat/error.h"

namespace {

using namespace whinchat;

void hear(audio::ByteSource bytes) {
  try {
    const auto source = audio::open_container(std::move(bytes), {});
    fuzz::read_some(*source);
    static_cast<void>(source->warnings());
    static_cast<void>(source->duration_s());
  } catch (const Error&) {
    return;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  hear(fuzz::file_of({data, size}));
  hear(fuzz::pipe_of({data, size}));
  audio::ByteSource file = fuzz::file_of({data, size});
  audio::ogg_has_end_mark(file);
  audio::is_cut_mp3_frame(std::as_bytes(std::span(data, size)));
  return 0;
}
