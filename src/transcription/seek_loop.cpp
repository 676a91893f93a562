#include "transcription/seek_loop.h"

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
#include "transcription/speech/voice_fit.h"
#include "transcription/spoken_language.h"
#include "transcription/token_details.h"
#include "transcription/windows/clip_queue.h"
#include "transcription/windows/clips.h"
#include "transcription/windows/segment_times.h"
#include "transcription/windows/sound.h"
#include "transcription/windows/window_decoder.h"
#include "transcription/windows/window_features.h"
#include "transcription/windows/window_segments.h"
#include "transcription/words/alignment.h"
#include "transcription/words/clip_words.h"
#include "transcription/words/word_fit.h"
#include "transcription/words/word_timer.h"
#include "whinchat/transcription.h"

namespace whinchat::transcription {
namespace {

using models::whisper::kFramesPerSecond;
using models::whisper::kWindowFrames;

constexpr double kHottestPrompt = 0.5;

// Each of the encoder's positions is of two frames.
int frames_per_window(const TranscribeOptions& options) {
  return options.audio_ctx > 0 ? 2 * options.audio_ctx : kWindowFrames;
}

void settle_times(WindowSegments& window, const Window& place) {
  for (TokenSegment& segment : window.segments) {
    if (segment.start_s == segment.end_s) segment.tokens.clear();  // as the oracle
  }
  fit_words(window, place);
  fit_times(window, place);
}

}  // namespace

SeekLoop::SeekLoop(const models::whisper::Whisper& model, const text::WhisperTokenizer& tokenizer,
                   const TranscribeOptions& options, const TranscribeCallbacks& callbacks,
                   Sound& sound)
    : model_(model),
      tokenizer_(tokenizer),
      options_(options),
      callbacks_(callbacks),
      sound_(sound),
      features_(model, sound, frames_per_window(options)),
      judge_(tokenizer, options),
      word_timer_(tokenizer, options),
      history_(tokenizer, model.dims(), options, result_),
      language_(model, tokenizer.tokens(), options, callbacks, result_) {
  result_.has_words = options.word_timestamps;
  if (options.word_timestamps && options.task == Task::Translate) {
    result_.warnings.emplace_back("the times of a translation's words may not be reliable");
  }
}

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
  const TokenTimes times = token_times(parts, window, language, cross);
  return word_timer_.time(parts, window, times, language, sound_.frames());
}

TokenTimes SeekLoop::token_times(const WindowSegments& parts, const Window& window,
                                 const std::string& language,
                                 const std::vector<ops::KeyValue>& cross) {
  const std::vector<int32_t>& start = decoder_for(language).sot_sequence();
  return align_tokens(model_, cross, tokenizer_.tokens(), start, word_timer_.text_tokens(parts),
                      window.segment_frames);
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

// Without timestamps a window ends anywhere, in the middle of a word too: openai-whisper loses
// words there. Where one window holds everything there is no such place.
void SeekLoop::begin_clip(bool is_longer_than_a_window) {
  timestamps_ = !options_.without_timestamps || is_longer_than_a_window;
}

int64_t SeekLoop::transcribe_window(const Clip& rest, const Clip* voice) {
  const int64_t seek = rest.begin;
  const int frames = features_.frames_of(rest);
  if (options_.skip_digital_silence == true && sound_.is_digital_silence(seek, frames)) {
    return seek + frames;
  }
  features_.forget_before(seek);
  const std::vector<ops::KeyValue>& cross = features_.cross(seek, frames);
  const std::string language = language_.of_window(cross, history_);
  Window place{seek, frames, frames_per_timestamp()};
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
  settle_times(window, place);
  if (voice != nullptr) fit_to_voice(window, rest, *voice);
  const int64_t next_seek = window.next_seek;
  const int64_t end = add_segments(std::move(window), place, decoded, language);
  forget_if_misleading(decoded);
  // A decoder may end where its language ends: what another one says behind that would be lost.
  const bool skips = next_seek == seek + frames && seek + frames - end >= kFramesPerSecond;
  if (options_.multilingual && skips && end > seek) {
    const Clip tail{end, rest.end};
    const auto& heard = features_.cross(end, features_.frames_of(tail));
    if (is_spoken(model_, heard, tokenizer_.tokens(), options_)) return end;
  }
  if (decoded.is_cut && next_seek == seek + frames) cut_windows_.push_back(seek);
  return next_seek;
}

size_t SeekLoop::transcribe_together(std::span<const KnownClip> clips) {
  timestamps_ = true;  // they tell the clips apart
  std::vector<Clip> sound;
  for (const KnownClip& known : clips) sound.push_back(known.clip);
  const Window place{sound.front().begin, static_cast<int>(frames_of(sound)),
                     frames_per_timestamp()};
  features_.forget_before(place.seek);
  const std::vector<ops::KeyValue>& cross = features_.cross(sound);
  const std::string language = language_.of_window(cross, history_);
  const std::optional<DecodedWindow> result =
      decoder_for(language).decode_once(cross, history_.window_start(timestamps_), place.seek);
  if (!result || result->is_cut || is_silent(*result, options_)) return 0;
  const DecodedWindow& decoded = *result;
  const bool is_told = history_.tells_text();
  if (is_told && judge_.suspects({result_.segments, decoded, place})) return 0;

  WindowSegments window = split_window(decoded.tokens, tokenizer_.tokens().timestamp_begin, place);
  give_logprobs(window.segments, decoded.logprobs);
  const TokenTimes times = token_times(window, place, language, cross);
  std::vector<WindowSegments> parts =
      told_apart(window.segments, word_timer_.words(window, times, language).words, clips,
                 tokenizer_.tokens().eot);
  if (2 * parts.size() < clips.size()) return 0;
  history_.end_window();
  for (size_t i = 0; i < parts.size(); ++i) {
    const auto& [clip, is_closed, voice] = clips[i];
    WindowSegments& part = parts[i];
    const Window own{clip.begin, static_cast<int>(clip.end - clip.begin), frames_per_timestamp()};
    settle_times(part, own);
    fit_to_voice(part, clip, voice);
    word_timer_.set_last_speech_s(part.segments.back().end_s);
    if (!options_.word_timestamps) {
      for (TokenSegment& segment : part.segments) segment.words.clear();
    }
    add_segments(std::move(part), own, decoded, language);
  }
  forget_if_misleading(decoded);
  return parts.size();
}

// Text that was drawn at a high temperature may be wrong and would mislead what follows.
void SeekLoop::forget_if_misleading(const DecodedWindow& decoded) {
  const bool is_hot = decoded.temperature > kHottestPrompt;
  if (!options_.condition_on_previous_text || is_hot) history_.forget();
}

int SeekLoop::frames_per_timestamp() const { return kWindowFrames / model_.dims().n_audio_ctx; }

int64_t SeekLoop::add_segments(WindowSegments window, const Window& place,
                               const DecodedWindow& decoded, const std::string& language) {
  if (window.segments.empty()) return place.seek;
  const double end_s = window.segments.back().end_s;
  for (TokenSegment& segment : window.segments) {
    add_segment(std::move(segment), place.seek, decoded, language);
  }
  return frame_at(end_s);
}

Transcription SeekLoop::take_result() {
  if (!cut_windows_.empty()) result_.warnings.push_back(cut_warning(cut_windows_));
  result_.text = tokenizer_.decode(history_.added());
  return std::move(result_);
}

}  // namespace whinchat::transcription
