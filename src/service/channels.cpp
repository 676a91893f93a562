#include "service/channels.h"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <iterator>
#include <memory>
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

constexpr size_t kPieceSamples = 65536;

bool are_same(std::span<const std::unique_ptr<audio::AudioSource>> sources,
              const std::stop_token& stop) {
  while (true) {
    const std::vector<float> first = audio::read_piece(*sources.front(), kPieceSamples, stop);
    for (const auto& other : sources.subspan(1)) {
      if (audio::read_piece(*other, kPieceSamples, stop) != first) return false;
    }
    if (first.empty()) return true;
  }
}

}  // namespace

Channels find_channels(const std::filesystem::path& file, const std::stop_token& stop) {
  Channels result;
  std::vector<std::unique_ptr<audio::AudioSource>> sources;
  for (int channel = 1; channel <= result.count && !stop.stop_requested(); ++channel) {
    sources.push_back(audio::open_audio(file, {.channel = channel, .stop = stop}));
    result.count = sources.front()->channels();
    if (result.count > 1 && !audio::can_open_again(file)) {
      base::fail(ErrorKind::Unsupported,
                 "the {} channels of a pipe cannot be split: expected a file", result.count);
    }
  }
  result.are_same = stop.stop_requested() || result.count == 1 || are_same(sources, stop);
  if (result.are_same && !stop.stop_requested()) {
    result.warnings.push_back(
        result.count == 1
            ? "there is one channel, and nothing to split"
            : fmt::format("all {} channels are the same: heard as one", result.count));
  }
  return result;
}

Transcription transcribe_channels(const Channels& channels, const TranscribeCallbacks& callbacks,
                                  const Transcribe& transcribe) {
  if (channels.are_same) return transcribe(1, callbacks);
  std::vector<Transcription> parts;
  const auto count = static_cast<size_t>(channels.count);
  for (size_t i = 0; i < count && (parts.empty() || !parts.back().cancelled); ++i) {
    parts.push_back(transcribe(static_cast<int>(i) + 1, callbacks_of(i, count, callbacks)));
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
