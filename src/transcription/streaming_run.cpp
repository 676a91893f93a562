#include "transcription/streaming_run.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "models/whisper/dimensions.h"
#include "models/whisper/whisper.h"
#include "transcription/speech/speech_clips.h"
#include "transcription/windows/clip_queue.h"
#include "transcription/windows/clips.h"
#include "transcription/windows/shared_window.h"
#include "transcription/windows/sound.h"
#include "transcription/windows/window_segments.h"
#include "whinchat/transcription.h"

namespace whinchat::transcription {
namespace {

using models::whisper::kFramesPerSecond;
using models::whisper::kHopLength;
using models::whisper::kSampleRate;
using models::whisper::kWindowSamples;

constexpr int64_t kNoMore = std::numeric_limits<int64_t>::max();

// Where the recording ends, and what is said behind a window, may matter to what is made of it.
int64_t lookahead_of(const TranscribeOptions& options, int window_frames) {
  const double threshold_s = options.hallucination_silence_threshold.value_or(0);
  const auto silence = static_cast<int64_t>(std::ceil(threshold_s * kFramesPerSecond));
  return std::max<int64_t>(silence, options.multilingual ? window_frames : 0);
}

// A window has one language, its text timestamps, and words that follow the sound (a translation's
// need not); silence between clips is nothing to be skipped.
bool may_share_windows(const TranscribeOptions& options) {
  return options.share_windows.value_or(true) && !options.multilingual &&
         !options.without_timestamps && options.task == Task::Transcribe &&
         !options.hallucination_silence_threshold;
}

// Several clips are one window; one may be longer than that.
std::vector<std::vector<Clip>> windows_of(std::span<const KnownClip> together, int window_frames) {
  std::vector<Clip> clips;
  for (const KnownClip& known : together) clips.push_back(known.clip);
  if (clips.size() > 1) return {clips};
  std::vector<std::vector<Clip>> windows;
  for (const Clip& window : windows_of(clips.front(), window_frames)) windows.push_back({window});
  return windows;
}

// Of a window at most: what is held does not grow with what is fed at once.
std::vector<std::span<const float>> pieces_of(std::span<const float> samples) {
  std::vector<std::span<const float>> pieces;
  for (size_t begin = 0; begin < samples.size(); begin += kWindowSamples) {
    pieces.push_back(
        samples.subspan(begin, std::min<size_t>(samples.size() - begin, kWindowSamples)));
  }
  return pieces;
}

}  // namespace

Survey::Survey(const models::whisper::Whisper& model)
    : is_needed_(!model.log_mel().is_faithful()), sound_(model.log_mel()) {}

void Survey::feed(std::span<const float> samples) {
  samples_ += static_cast<int64_t>(samples.size());
  if (!is_needed_) return;
  for (const auto piece : pieces_of(samples)) {
    sound_.push(piece);
    sound_.measure();
  }
}

Foreknown Survey::finish() {
  Foreknown found{.samples = samples_};
  sound_.finish();
  if (is_needed_) found.greatest_log_power = sound_.maximum();
  return found;
}

StreamingRun::StreamingRun(const Hearing& hearing, TranscribeOptions options,
                           TranscribeCallbacks callbacks, const Foreknown& foreknown)
    : options_(std::move(options)),
      callbacks_(std::move(callbacks)),
      foreknown_(foreknown),
      sound_(hearing.model.log_mel(), foreknown.greatest_log_power),
      loop_(hearing.model, hearing.tokenizer, options_, callbacks_, sound_),
      clips_(options_.clip_timestamps),
      shares_windows_(hearing.vad != nullptr && may_share_windows(options_)),
      lookahead_(lookahead_of(options_, loop_.window_frames())) {
  if (hearing.vad) speech_.emplace(options_.vad_parameters, hearing.vad);
}

void StreamingRun::feed(std::span<const float> samples) {
  for (const auto piece : pieces_of(samples)) {
    if (wants_more() && is_stopped()) is_cut_short_ = true;
    if (is_cut_short_) return;
    samples_ += std::ssize(piece);
    if (!wants_more()) continue;
    sound_.push(piece);
    if (speech_) speech_->hear(piece);
    advance();
  }
}

Transcription StreamingRun::finish() {
  sound_.finish();
  if (speech_) speech_->finish();
  advance();
  Transcription result = loop_.take_result();
  const int64_t samples = std::max(samples_, foreknown_.samples.value_or(0));
  result.duration_s = static_cast<double>(samples) / kSampleRate;
  result.cancelled = is_cut_short_ || clips_.front().has_value();
  return result;
}

void StreamingRun::advance() {
  if (speech_) {
    tell_speech(speech_->finder(), clips_);
  } else {
    const Clip all{0, sound_.frames()};
    clips_.hear({all, sound_.is_finished(), all});
  }
  while (!is_stopped() && step()) {
  }
  std::vector<Clip> waiting;
  for (const KnownClip& known : clips_.known()) waiting.push_back(known.clip);
  const int64_t settled = settled_frame();
  sound_.keep(waiting, settled);
  if (!is_stopped()) report(waiting.empty() ? settled : waiting.front().begin);
}

// What is told of the recording from now on begins there or behind it.
int64_t StreamingRun::settled_frame() const {
  if (!speech_ || sound_.is_finished()) return sound_.frames();
  return transcription::settled_frame(speech_->finder());
}

bool StreamingRun::step() {
  const std::vector<KnownClip> known = clips_.known();
  if (known.empty()) return false;
  if (loop_.wants_language()) {
    const auto windows = language_windows();
    if (!windows) return false;
    loop_.detect_language(*windows);
  }
  if (only_detects_) return false;
  const std::optional<size_t> count = clips_of_next_window(known);
  if (!count) return false;
  return *count == 1 ? transcribe_front(known.front())
                     : transcribe_together(std::span(known).first(*count));
}

std::optional<size_t> StreamingRun::clips_of_next_window(std::span<const KnownClip> known) const {
  if (!shares_windows_ || known.front().clip.begin < apart_) return 1;
  const int64_t settled = settled_frame();
  const bool is_all = sound_.is_finished() || clips_.is_all_before(settled);
  return clips_of_window(known, loop_.window_frames(), is_all ? kNoMore : settled);
}

bool StreamingRun::transcribe_together(std::span<const KnownClip> clips) {
  const int64_t end = clips.back().clip.end;
  if (end > sound_.frames()) return false;
  const size_t done = loop_.transcribe_together(clips);
  if (done == 0) {
    apart_ = end;
    return true;
  }
  finish_before(clips[done - 1].clip.end);
  return true;
}

bool StreamingRun::transcribe_front(const KnownClip& front) {
  const Clip& rest = front.clip;
  if (!is_there(rest, front.is_closed)) return false;
  if (rest.begin != seek_) loop_.begin_clip(rest.end - rest.begin > loop_.window_frames());
  const Clip* voice = speech_ ? &front.voice : nullptr;
  const int64_t seek = std::min(loop_.transcribe_window(rest, voice), rest.end);
  seek_ = seek;
  if (front.is_closed && seek == rest.end) seek_.reset();  // another clip may begin there
  finish_before(seek);
  return true;
}

void StreamingRun::finish_before(int64_t frame) {
  clips_.finish_before(frame);
  report(frame);
}

bool StreamingRun::is_there(const Clip& rest, bool is_closed) const {
  const int64_t end = rest.begin + loop_.window_frames();
  // One frame more says that another window follows.
  if (!is_closed && rest.end <= end + lookahead_) return false;
  return sound_.is_finished() || sound_.frames() >= std::min(end, rest.end) + lookahead_;
}

// The windows that the language is asked of; unset while they are not there.
std::optional<std::vector<std::vector<Clip>>> StreamingRun::language_windows() const {
  const auto most = static_cast<size_t>(options_.language_detection_segments);
  const int window_frames = loop_.window_frames();
  std::vector<std::vector<Clip>> windows;
  const std::vector<KnownClip> clips = clips_.known();
  for (std::span<const KnownClip> known = clips; !known.empty();) {
    const std::optional<size_t> count = clips_of_next_window(known);
    if (!count) return std::nullopt;
    const std::span<const KnownClip> together = known.first(*count);
    known = known.subspan(*count);
    for (const std::vector<Clip>& window : windows_of(together, window_frames)) {
      const bool is_whole = together.back().is_closed || frames_of(window) == window_frames;
      if (!is_whole || window.back().end > sound_.frames()) return std::nullopt;
      windows.push_back(window);
      if (windows.size() == most) return windows;
    }
  }
  if (!sound_.is_finished()) return std::nullopt;
  return windows;
}

void StreamingRun::report(int64_t frame) {
  if (!callbacks_.on_progress) return;
  const int64_t done = clips_.asked_frames(frame);
  if (done <= reported_) return;  // speech that goes on began before a clip that is done
  reported_ = done;
  const int64_t samples = sound_.is_finished() ? samples_ : foreknown_.samples.value_or(0);
  callbacks_.on_progress(seconds_at(done), seconds_at(clips_.asked_frames(samples / kHopLength)));
}

Transcription transcribe(const Hearing& hearing, std::span<const float> samples,
                         const TranscribeOptions& options, const TranscribeCallbacks& callbacks) {
  Survey survey(hearing.model);
  survey.feed(samples);
  StreamingRun run(hearing, options, callbacks, survey.finish());
  run.feed(samples);
  return run.finish();
}

}  // namespace whinchat::transcription
