#include "whinchat/vad.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <utility>
#include <vector>

#include "audio/audio_source.h"
#include "base/error.h"
#include "ops/mlx_library.h"
#include "service/engine.h"
#include "service/on_engine.h"
#include "service/speech_cut.h"
#include "transcription/speech/speech_finder.h"
#include "transcription/speech/speech_listener.h"
#include "transcription/speech/vad_options.h"
#include "whinchat/error.h"

namespace whinchat {
namespace {

using service::on_engine;
using transcription::SpeechListener;
using transcription::SpeechSpan;

// Samples that are heard at once: in between, others have the engine.
constexpr size_t kPieceSamples = size_t{1} << 16U;
constexpr double kMostSeconds = 1e9;

// Of one recording, from a clip's start on.
class Search {
 public:
  Search(const FindSpeechOptions& options, const FindSpeechCallbacks& callbacks, int64_t begin);
  ~Search();
  Search(const Search&) = delete;
  Search& operator=(const Search&) = delete;

  void hear(std::span<const float> samples);
  void finish();
  double heard_to_s() const { return seconds(heard_); }
  std::vector<SpeechSegment> take() { return std::move(segments_); }

 private:
  double seconds(int64_t sample) const { return static_cast<double>(begin_ + sample) / rate_hz_; }
  void tell(std::span<const float> probabilities);

  const FindSpeechCallbacks& callbacks_;
  int rate_hz_;
  int64_t begin_;  // of the clip, in samples of the recording
  std::unique_ptr<SpeechListener> listener_;
  service::SpeechCut cut_;
  int64_t heard_ = 0;   // samples
  int64_t chunks_ = 0;  // whose probabilities are known
  std::vector<SpeechSegment> segments_;
};

Search::Search(const FindSpeechOptions& options, const FindSpeechCallbacks& callbacks,
               int64_t begin)
    : callbacks_(callbacks),
      rate_hz_(options.sampling_rate_hz),
      begin_(begin),
      listener_(on_engine(service::Engine::shared(),
                          [&] { return std::make_unique<SpeechListener>(options.vad, rate_hz_); })),
      cut_(callbacks.on_samples) {}

Search::~Search() {
  service::Engine::shared().run([this] { listener_.reset(); });
}

void Search::hear(std::span<const float> samples) {
  heard_ += std::ssize(samples);
  cut_.hear(samples);
  tell(on_engine(service::Engine::shared(), [&] { return listener_->hear(samples); }));
}

void Search::finish() {
  tell(on_engine(service::Engine::shared(), [this] { return listener_->finish(); }));
}

void Search::tell(std::span<const float> probabilities) {
  for (const float probability : probabilities) {
    const double start_s = seconds(chunks_++ * listener_->chunk_samples());
    if (callbacks_.on_probability) callbacks_.on_probability(start_s, probability);
  }
  const std::vector<SpeechSpan> spans = listener_->finder().take();
  cut_.give(spans, listener_->finder());
  for (const SpeechSpan& span : spans) {
    segments_.push_back({seconds(span.begin), seconds(span.end)});
    if (callbacks_.on_segment) callbacks_.on_segment(segments_.back());
  }
}

// Samples that are there, as a source of them.
class Samples final : public audio::AudioSource {
 public:
  Samples(std::span<const float> samples, int rate_hz)
      : left_(samples), duration_s_(static_cast<double>(samples.size()) / rate_hz) {}

  size_t read(std::span<float> samples) override {
    const size_t count = std::min(samples.size(), left_.size());
    std::copy_n(left_.begin(), count, samples.begin());
    left_ = left_.subspan(count);
    return count;
  }
  std::optional<double> duration_s() const override { return duration_s_; }

 private:
  std::span<const float> left_;
  double duration_s_;
};

// In samples of the recording.
struct Clip {
  int64_t begin, end;
};

Clip clip_of(const FindSpeechOptions& options) {
  const auto sample = [&](double s) {
    return static_cast<int64_t>(std::llround(std::min(s, kMostSeconds) * options.sampling_rate_hz));
  };
  return {sample(options.start_s), sample(options.end_s.value_or(kMostSeconds))};
}

// Hears what lies in the clip, or what comes until a stop.
void hear_all(audio::AudioSource& source, const Clip& clip, Search& search,
              const FindSpeechCallbacks& callbacks) {
  std::vector<float> piece(kPieceSamples);
  for (int64_t at = 0; at < clip.end && !callbacks.stop.stop_requested();) {
    const auto size = static_cast<int64_t>(source.read(piece));
    if (size == 0) break;
    const int64_t begin = std::clamp<int64_t>(clip.begin - at, 0, size);
    const int64_t end = std::clamp<int64_t>(clip.end - at, 0, size);
    search.hear(
        std::span(piece).subspan(static_cast<size_t>(begin), static_cast<size_t>(end - begin)));
    at += size;
    if (callbacks.on_progress) callbacks.on_progress(search.heard_to_s(), source.duration_s());
  }
}

Speech find_in(audio::AudioSource& source, const FindSpeechOptions& options,
               const FindSpeechCallbacks& callbacks) {
  ops::require_built_mlx();
  const Clip clip = clip_of(options);
  Search search(options, callbacks, clip.begin);
  hear_all(source, clip, search, callbacks);
  const bool is_cancelled = callbacks.stop.stop_requested();
  if (!is_cancelled) search.finish();
  return {.segments = search.take(),
          .end_s = search.heard_to_s(),
          .warnings = source.warnings(),
          .cancelled = is_cancelled};
}

}  // namespace

void check_find_speech_options(const FindSpeechOptions& options) {
  transcription::check_vad_options(options.vad);
  if (options.sampling_rate_hz != 16000 && options.sampling_rate_hz != 8000) {
    base::fail(ErrorKind::BadInput, "sampling-rate: expected 16000 or 8000, got {}",
               options.sampling_rate_hz);
  }
  if (!(options.start_s >= 0 && options.start_s <= kMostSeconds)) {
    base::fail(ErrorKind::BadInput, "start: expected 0 s or more, got {} s", options.start_s);
  }
  if (options.end_s && !(*options.end_s > options.start_s)) {
    base::fail(ErrorKind::BadInput, "end: expected a time after the start, {} s, got {} s",
               options.start_s, *options.end_s);
  }
}

Speech find_speech(const std::filesystem::path& file, const FindSpeechOptions& options,
                   const FindSpeechCallbacks& callbacks) {
  check_find_speech_options(options);
  try {
    const std::unique_ptr<audio::AudioSource> source = audio::open_audio(
        file,
        {.channel = options.channel, .rate_hz = options.sampling_rate_hz, .stop = callbacks.stop});
    return find_in(*source, options, callbacks);
  } catch (const Error&) {
    if (!callbacks.stop.stop_requested()) throw;  // else a pipe that was cut short by it
    return {.cancelled = true};
  }
}

Speech find_speech(std::span<const float> samples, const FindSpeechOptions& options,
                   const FindSpeechCallbacks& callbacks) {
  check_find_speech_options(options);
  Samples source(samples, options.sampling_rate_hz);
  return find_in(source, options, callbacks);
}

}  // namespace whinchat
