#include "service/channels.h"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <iterator>
#include <span>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "audio/audio_source.h"
#include "base/error.h"
#include "whinchat/error.h"
#include "whinchat/transcription.h"

namespace whinchat::service {
namespace {

// What is said of one channel, or of all in the same words, is said once.
void add_warnings(std::vector<std::string>& all, const std::vector<std::string>& more) {
  for (const std::string& warning : more) {
    if (std::ranges::find(all, warning) == all.end()) all.push_back(warning);
  }
}

// Progress on the recording's own clock: a channel of several is so much of it.
TranscribeCallbacks callbacks_of(size_t channel, size_t channels,
                                 const TranscribeCallbacks& callbacks) {
  TranscribeCallbacks own{.on_language = callbacks.on_language, .stop = callbacks.stop};
  if (!callbacks.on_progress) return own;
  own.on_progress = [&callbacks, channel, channels](double done_s, double total_s) {
    const double all_s = static_cast<double>(channel) * total_s + done_s;
    callbacks.on_progress(all_s / static_cast<double>(channels), total_s);
  };
  return own;
}

}  // namespace

Channels read_channels(const std::filesystem::path& file, const std::stop_token& stop) {
  Channels result;
  int count = 1;
  for (int channel = 1; channel <= count && !stop.stop_requested(); ++channel) {
    const auto source = audio::open_audio(file, {.channel = channel, .stop = stop});
    if (channel == 1) count = source->channels();
    if (count > 1 && !audio::can_open_again(file)) {
      base::fail(ErrorKind::Unsupported,
                 "the {} channels of a pipe cannot be split: expected a file", count);
    }
    result.samples.push_back(audio::read_all(*source, stop));
    add_warnings(result.warnings, source->warnings());
  }
  const bool are_same = std::ranges::adjacent_find(result.samples, std::ranges::not_equal_to()) ==
                        result.samples.end();
  if (are_same && !stop.stop_requested()) {
    result.samples.resize(1);
    result.warnings.push_back(
        count == 1 ? "there is one channel, and nothing to split"
                   : fmt::format("all {} channels are the same: heard as one", count));
  }
  return result;
}

Transcription transcribe_channels(const Channels& channels, const TranscribeCallbacks& callbacks,
                                  const Transcribe& transcribe) {
  const size_t count = channels.samples.size();
  if (count == 1) return transcribe(channels.samples.front(), callbacks);
  std::vector<Transcription> parts;
  for (size_t i = 0; i < count && (parts.empty() || !parts.back().cancelled); ++i) {
    parts.push_back(transcribe(channels.samples[i], callbacks_of(i, count, callbacks)));
  }
  Transcription result = merged(std::move(parts));
  for (const Segment& segment : result.segments) {
    if (callbacks.on_segment) callbacks.on_segment(segment);
  }
  return result;
}

Transcription merged(std::vector<Transcription> parts) {
  const auto heard =
      std::ranges::find_if(parts, [](const Transcription& part) { return !part.language.empty(); });
  Transcription result = heard == parts.end() ? parts.front() : *heard;
  const bool have_one_language = std::ranges::all_of(parts, [&](const Transcription& part) {
    return part.language.empty() || part.language == result.language;
  });
  result.segments.clear();
  result.warnings.clear();
  for (size_t i = 0; i < parts.size(); ++i) {
    for (Segment& segment : parts[i].segments) {
      segment.channel = static_cast<int>(i) + 1;
      if (!have_one_language && segment.language.empty()) segment.language = parts[i].language;
    }
    std::ranges::move(parts[i].segments, std::back_inserter(result.segments));
    add_warnings(result.warnings, parts[i].warnings);
    result.cancelled = result.cancelled || parts[i].cancelled;
  }
  std::ranges::stable_sort(result.segments, {}, &Segment::start_s);
  result.text.clear();
  int id = 0;
  for (Segment& segment : result.segments) {
    segment.id = id++;
    result.text += segment.text;
  }
  return result;
}

}  // namespace whinchat::service
