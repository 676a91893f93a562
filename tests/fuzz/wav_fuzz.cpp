// Our WAV reader, on a file and through a pipe: the same samples, or the same kind of error.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "audio/audio_source.h"
#include "audio/byte_source.h"
#include "audio/wav.h"
#include "audio/wav_header.h"
#include "fuzz_bytes.h"
#include "whinchat/error.h"

namespace {

using namespace whinchat;

// Empty where the file is refused or is for FFmpeg.
std::optional<std::vector<float>> hear(audio::ByteSource bytes, const audio::OpenOptions& options) {
  try {
    const std::optional<audio::WavHeader> header = audio::read_wav_header(bytes);
    if (!header) return std::nullopt;
    const auto source = audio::open_wav(std::move(bytes), *header, options);
    std::vector<float> samples = fuzz::read_some(*source);
    static_cast<void>(source->warnings());
    return samples;
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::span bytes(data, size);
  const bool is_wav = audio::is_wav(std::as_bytes(bytes.first(std::min<size_t>(size, 12))));
  if (!is_wav) return 0;
  const auto samples = hear(fuzz::file_of(bytes), {});
  hear(fuzz::file_of(bytes), {.channel = 2});
  const auto piped = hear(fuzz::pipe_of(bytes), {});
  // A wrapped size can be unwrapped for files only, so the file may hold more.
  if (piped && samples && piped->size() > samples->size()) std::abort();
  return 0;
}
