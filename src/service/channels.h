// The channels of a recording, each heard by itself, as one transcription.
#pragma once

#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "whinchat/transcription.h"

namespace whinchat::service {

struct Channels {
  int count = 1;
  bool are_same = false;  // then the first is heard alone, which a warning says
  std::vector<std::string> warnings;
};

// Reads no more than shows that channels differ. Throws as open_audio(), and Error{Unsupported} for
// a pipe with several, which can be read once.
Channels find_channels(const std::filesystem::path& file, const std::stop_token& stop);

// Of one channel, from 1.
using Transcribe = std::function<Transcription(int channel, const TranscribeCallbacks& callbacks)>;

// Each channel by `transcribe`, merged by time, the segments labelled where there are several.
// `callbacks` hear progress over all channels, and the segments in their order at the end.
Transcription transcribe_channels(const Channels& channels, const TranscribeCallbacks& callbacks,
                                  const Transcribe& transcribe);

// `parts` are of channel 1, 2 …; a segment is told its channel and, where they differ, language.
Transcription merged(std::vector<Transcription> parts);

}  // namespace whinchat::service
