// The channels of a recording, each heard by itself, as one transcription.
#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "whinchat/transcription.h"

namespace whinchat::service {

struct Channels {
  std::vector<std::vector<float>> samples;  // of each channel: 16 kHz, −1 … 1
  std::vector<std::string> warnings;
};

// One alone where all are the same, which a warning says. Throws as open_audio(), and
// Error{Unsupported} for a pipe with several, which can be read once.
Channels read_channels(const std::filesystem::path& file, const std::stop_token& stop);

using Transcribe = std::function<Transcription(std::span<const float> samples,
                                               const TranscribeCallbacks& callbacks)>;

// Each channel by `transcribe`, merged by time, the segments labelled where there are several.
// `callbacks` hear progress over all channels, and the segments in their order at the end.
Transcription transcribe_channels(const Channels& channels, const TranscribeCallbacks& callbacks,
                                  const Transcribe& transcribe);

// `parts` are of channel 1, 2 …; a segment is told its channel and, where they differ, language.
Transcription merged(std::vector<Transcription> parts);

}  // namespace whinchat::service
