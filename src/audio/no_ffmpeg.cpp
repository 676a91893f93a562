// A build without FFmpeg: WAV files of samples at 16 kHz are all that it hears.
#include <memory>
#include <span>
#include <vector>

#include "audio/audio_source.h"
#include "audio/byte_source.h"
#include "audio/container.h"
#include "audio/resample.h"
#include "base/error.h"
#include "whinchat/error.h"

namespace whinchat::audio {

std::unique_ptr<AudioSource> open_container(ByteSource bytes, const OpenOptions& /*options*/) {
  base::fail(
      ErrorKind::Unsupported,
      "expected a WAV file of uncompressed samples, got {}: this build has no FFmpeg to read "
      "others",
      bytes.name());
}

Resampler::Resampler(int from_hz, int to_hz) {
  base::fail(ErrorKind::Unsupported,
             "expected samples at {} Hz, got {} Hz: this build has no FFmpeg to resample them",
             to_hz, from_hz);
}

// The constructor throws, so there is nothing to do these with.
void Resampler::Free::operator()(SwrContext* /*context*/) const {}
void Resampler::push(std::span<const float> /*samples*/, std::vector<float>& /*out*/) {}
void Resampler::finish(std::vector<float>& /*out*/) {}

}  // namespace whinchat::audio
