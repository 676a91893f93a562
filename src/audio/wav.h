// PCM and float WAV files as an AudioSource, by our own exact reader; it streams and never seeks
// while it reads samples. Throws Error{BadInput} when no frame follows the header.
#pragma once

#include <memory>

#include "audio/audio_source.h"
#include "audio/byte_source.h"
#include "audio/wav_header.h"

namespace whinchat::audio {

// `bytes` stands at the first sample.
std::unique_ptr<AudioSource> open_wav(ByteSource bytes, const WavHeader& header,
                                      const OpenOptions& options);

}  // namespace whinchat::audio
