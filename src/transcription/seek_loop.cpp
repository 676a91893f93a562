#include "transcription/seek_loop.h"

#include <mlx/array.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "models/whisper/dimensions.h"
#include "models/whisper/whisper.h"
#include "ops/key_value.h"
#include "text/whisper_tokenizer.h"
#include "transcription/language.h"
#include "transcription/prompt_history.h"
#include "transcription/repetition.h"
#include "transcription/spoken_language.h"
#include "transcription/token_details.h"
#include "transcription/windows/clips.h"
#include "transcription/windows/segment_times.h"
#include "transcription/windows/window_decoder.h"
#include "transcription/windows/window_features.h"
#include "transcription/windows/window_segments.h"
#include "transcription/words/alignment.h"
#include "transcription/words/word_fit.h"
#include "transcription/words/word_timer.h"
#include "whinchat/transcription.h"

namespace whinchat::transcription {
namespace {

namespace mx = mlx::core;
using models::whisper::kFramesPerSecond;
using models::whisper::kWindowFrames;

constexpr double kHottestPrompt = 0.5;

// Each of the encoder's positions is of two frames.
int frames_per_window(const TranscribeOptions& options) {
  return options.audio_ctx > 0 ? 2 * options.audio_ctx : kWindowFrames;
}

// Whether frames [begin, begin + count) hold nothing but zeros.
bool is_digital_silence(std::span<const float> samples, int64_t begin, int64_t count) {
  const auto size = static_cast<int64_t>(samples.size());
  const int64_t first = std::min(begin * models::whisper::kHopLength, size);
  const int64_t end = std::min((begin + count) * models::whisper::kHopLength, size);
  const auto sound = samples.subspan(static_cast<size_t>(first), static_cast<size_t>(end - first));
  return std::ranges::all_of(sound, [](float sample) { return sample == 0; });
}

class SeekLoop {
 public:
  SeekLoop(const models::whisper::Whisper& model, const text::WhisperTokenizer& tokenizer,
           const TranscribeOptions& options, const TranscribeCallbacks& callbacks)
      : model_(model),
        tokenizer_(tokenizer),
        options_(options),
        callbacks_(callbacks),
        judge_(tokenizer, options),
        word_timer_(tokenizer, options),
        history_(tokenizer, model.dims(), options, result_),
        language_(model, tokenizer.tokens(), options, callbacks, result_) {
    result_.has_words = options.word_timestamps;
    if (options.word_timestamps && options.task == Task::Translate) {
      result_.warnings.emplace_back("the times of a translation's words may not be reliable");
    }
  }

  Transcription run(std::span<const float> samples);

 private:
  // From the beginning of `rest` on; where the next window begins: there again if it was stopped.
  int64_t transcribe_window(WindowFeatures& features, const Clip& rest);
  const WindowDecoder& decoder_for(const std::string& language);
  std::optional<DecodedWindow> decode(const std::vector<ops::KeyValue>& cross,
                                      const std::string& language, const Window& place);
  void add_segment(TokenSegment segment, int64_t seek, const DecodedWindow& decoded,
                   const std::string& language);
  // False: nothing of the window stays.
  bool time_words(WindowSegments& parts, const Window& window, const std::string& language,
                  const std::vector<ops::KeyValue>& cross);
  bool is_timestamp(int32_t token) const { return tokenizer_.tokens().is_timestamp(token); }

  const models::whisper::Whisper& model_;
  const text::WhisperTokenizer& tokenizer_;
  const TranscribeOptions& options_;
  const TranscribeCallbacks& callbacks_;
  const RepetitionJudge judge_;
  std::map<std::string, WindowDecoder> decoders_;  // by language
  WordTimer word_timer_;
  std::span<const float> samples_;
  int64_t content_frames_ = 0;
  Transcription result_;
  PromptHistory history_;             // warns in the result
  SpokenLanguage language_;           // tells the result
  bool timestamps_ = true;            // whether the decoder has them
  std::vector<int64_t> cut_windows_;  // seek points of windows that lost the end of their text
};

const WindowDecoder& SeekLoop::decoder_for(const std::string& language) {
  return decoders_.try_emplace(language, model_, tokenizer_, language, options_).first->second;
}

void SeekLoop::add_segment(TokenSegment segment, int64_t seek, const DecodedWindow& decoded,
                           const std::string& language) {
  Segment result{.id = static_cast<int>(result_.segments.size()),
                 .seek = seek,
                 .start_s = segment.start_s,
                 .end_s = segment.end_s,
                 .text = tokenizer_.decode(tokenizer_.text_tokens(segment.tokens)),
                 .tokens = std::move(segment.tokens),
                 .temperature = decoded.temperature,
                 .avg_logprob = decoded.avg_logprob,
                 .compression_ratio = decoded.compression_ratio,
                 .no_speech_prob = decoded.no_speech_prob,
                 .language = options_.multilingual ? language : "",
                 .words = std::move(segment.words)};
  if (base::trimmed(result.text).empty()) {
    result.text.clear();
    result.tokens.clear();
    result.words.clear();
  }
  history_.add(result.tokens);
  result.token_details = token_details(tokenizer_, result.tokens, segment.logprobs);
  if (options_.without_timestamps) {
    std::erase_if(result.tokens, [&](int32_t token) { return is_timestamp(token); });
    std::erase_if(result.token_details, [&](const Token& each) { return is_timestamp(each.id); });
  }
  result_.segments.push_back(std::move(result));
  if (callbacks_.on_segment) callbacks_.on_segment(result_.segments.back());
}

bool SeekLoop::time_words(WindowSegments& parts, const Window& window, const std::string& language,
                          const std::vector<ops::KeyValue>& cross) {
  const std::vector<int32_t>& start = decoder_for(language).sot_sequence();
  const TokenTimes times = align_tokens(model_, cross, tokenizer_.tokens(), start,
                                        word_timer_.text_tokens(parts), window.segment_frames);
  return word_timer_.time(parts, window, times, language, content_frames_);
}

std::optional<DecodedWindow> SeekLoop::decode(const std::vector<ops::KeyValue>& cross,
                                              const std::string& language, const Window& place) {
  const WindowDecoder& decoder = decoder_for(language);
  std::optional<DecodedWindow> decoded =
      decoder.decode(cross, history_.window_start(timestamps_), place.seek, callbacks_.stop);
  if (!decoded || !history_.tells_text() || is_silent(*decoded, options_)) return decoded;
  const ToldWindow told{result_.segments, *decoded, place};
  if (!judge_.suspects(told)) return decoded;

  const size_t told_from = history_.forget();
  std::optional<DecodedWindow> untold =
      decoder.decode(cross, history_.window_start(timestamps_), place.seek, callbacks_.stop);
  if (!untold || judge_.prefers(*untold, told)) return untold;
  history_.remember(told_from);
  return decoded;
}

int64_t SeekLoop::transcribe_window(WindowFeatures& features, const Clip& rest) {
  const int64_t seek = rest.begin;
  const int frames = features.frames_of(rest);
  if (options_.skip_digital_silence == true && is_digital_silence(samples_, seek, frames)) {
    return seek + frames;
  }
  features.forget_before(seek);
  const std::vector<ops::KeyValue>& cross = features.cross(seek, frames);
  const std::string language = language_.of_window(cross, history_);
  Window place{seek, frames, kWindowFrames / model_.dims().n_audio_ctx};
  const std::optional<DecodedWindow> result = decode(cross, language, place);
  if (!result) return seek;
  const DecodedWindow& decoded = *result;
  const bool silent = is_silent(decoded, options_);
  if (decoded.is_cut && !timestamps_ && !silent) {
    timestamps_ = true;  // the text needs more than a window
    return seek;
  }
  history_.end_window();
  if (silent) return seek + frames;
  place.is_cut = decoded.is_cut;
  WindowSegments window = split_window(decoded.tokens, tokenizer_.tokens().timestamp_begin, place);
  give_logprobs(window.segments, decoded.logprobs);
  if (options_.word_timestamps && !time_words(window, place, language, cross)) {
    return window.next_seek;
  }
  for (TokenSegment& segment : window.segments) {
    if (segment.start_s == segment.end_s) segment.tokens.clear();  // as the oracle
  }
  fit_words(window, place);
  fit_times(window, place);
  for (TokenSegment& segment : window.segments) {
    add_segment(std::move(segment), seek, decoded, language);
  }
  // Text that was drawn at a high temperature may be wrong and would mislead what follows.
  const bool is_hot = decoded.temperature > kHottestPrompt;
  if (!options_.condition_on_previous_text || is_hot) history_.forget();
  // A decoder may end where its language ends: what another one says behind that would be lost.
  const int64_t end = window.segments.empty() ? seek : frame_at(window.segments.back().end_s);
  const bool skips = window.next_seek == seek + frames && seek + frames - end >= kFramesPerSecond;
  if (options_.multilingual && skips && end > seek) {
    const Clip tail{end, rest.end};
    const auto& heard = features.cross(end, features.frames_of(tail));
    if (is_spoken(model_, heard, tokenizer_.tokens(), options_)) return end;
  }
  if (decoded.is_cut && window.next_seek == seek + frames) cut_windows_.push_back(seek);
  return window.next_seek;
}

Transcription SeekLoop::run(std::span<const float> samples) {
  samples_ = samples;
  const mx::array mel = model_.log_mel().of(samples, models::whisper::kWindowSamples);
  content_frames_ = mel.shape(0) - kWindowFrames;
  result_.duration_s = static_cast<double>(samples.size()) / models::whisper::kSampleRate;
  const std::vector<Clip> clips = make_clips(options_.clip_timestamps, content_frames_);
  WindowFeatures features(model_, mel, frames_per_window(options_));
  language_.detect(features, clips);
  int64_t total_frames = 0;
  for (const Clip& clip : clips) total_frames += clip.end - clip.begin;
  int64_t done_frames = 0;  // of earlier clips
  for (const Clip& clip : clips) {
    // Without timestamps a window ends anywhere, in the middle of a word too: openai-whisper loses
    // words there. Where one window holds everything there is no such place.
    timestamps_ = !options_.without_timestamps || features.frames_of(clip) < clip.end - clip.begin;
    int64_t seek = clip.begin;
    while (seek < clip.end && !callbacks_.stop.stop_requested()) {
      seek = std::min(transcribe_window(features, {seek, clip.end}), clip.end);
      if (callbacks_.on_progress) {
        callbacks_.on_progress(seconds_at(done_frames + seek - clip.begin),
                               seconds_at(total_frames));
      }
    }
    result_.cancelled = seek < clip.end;
    if (result_.cancelled) break;
    done_frames += clip.end - clip.begin;
  }
  if (!cut_windows_.empty()) result_.warnings.push_back(cut_warning(cut_windows_));
  result_.text = tokenizer_.decode(history_.added());
  return std::move(result_);
}

}  // namespace

Transcription transcribe(const models::whisper::Whisper& model,
                         const text::WhisperTokenizer& tokenizer, std::span<const float> samples,
                         const TranscribeOptions& options, const TranscribeCallbacks& callbacks) {
  return SeekLoop(model, tokenizer, options, callbacks).run(samples);
}

}  // namespace whinchat::transcription
