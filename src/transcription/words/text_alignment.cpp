#include "transcription/words/text_alignment.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/compression.h"
#include "base/error.h"
#include "models/whisper/dimensions.h"
#include "models/whisper/whisper.h"
#include "text/characters.h"
#include "text/whisper_tokenizer.h"
#include "text/whisper_tokens.h"
#include "transcription/streaming_run.h"
#include "transcription/token_details.h"
#include "transcription/windows/segment_times.h"
#include "transcription/windows/sound.h"
#include "transcription/windows/window_features.h"
#include "transcription/windows/window_segments.h"
#include "transcription/words/alignment.h"
#include "transcription/words/known_text.h"
#include "transcription/words/word_fit.h"
#include "transcription/words/word_timer.h"
#include "whinchat/transcription.h"

namespace whinchat::transcription {
namespace {

using models::whisper::kWindowFrames;

struct Line {
  TokenSegment segment{std::numeric_limits<double>::infinity(), 0, {}};
  int64_t seek = 0;
  double logprob = 0;  // sum over its tokens
};

class TextAligner {
 public:
  TextAligner(const models::whisper::Whisper& model, const text::WhisperTokenizer& tokenizer,
              const TranscribeOptions& options, std::string_view language_code)
      : model_(model),
        tokenizer_(tokenizer),
        options_(options),
        language_(language_code),
        sot_sequence_(tokenizer.sot_sequence(language_code, text::Task::Transcribe)),
        timer_(tokenizer, options_) {
    options_.hallucination_silence_threshold.reset();  // the text is what was said
  }

  size_t max_tokens() const {
    // As many as the decoder itself would write, of what it was taught.
    return static_cast<size_t>(model_.dims().n_text_ctx) / 2 - sot_sequence_.size() - 2;
  }

  void time(std::span<const KnownWord> words, const KnownWindow& place, WindowFeatures& features,
            std::vector<Line>& lines);

 private:
  const models::whisper::Whisper& model_;
  const text::WhisperTokenizer& tokenizer_;
  TranscribeOptions options_;
  std::string_view language_;
  std::vector<int32_t> sot_sequence_;
  WordTimer timer_;
};

void TextAligner::time(std::span<const KnownWord> words, const KnownWindow& place,
                       WindowFeatures& features, std::vector<Line>& lines) {
  const Window window{place.seek, place.frames, 2};
  WindowSegments parts{{}, place.seek + place.frames, true};
  std::vector<size_t> line_of_part;
  for (const KnownWord& word : words) {
    if (line_of_part.empty() || line_of_part.back() != word.line) {
      line_of_part.push_back(word.line);
      parts.segments.push_back({word.start_s, word.end_s, {}});
    }
    TokenSegment& part = parts.segments.back();
    part.tokens.insert(part.tokens.end(), word.tokens.begin(), word.tokens.end());
    part.end_s = word.end_s;
  }
  features.forget_before(place.seek);
  const TokenTimes times =
      align_tokens(model_, features.cross(place.seek, place.frames), tokenizer_.tokens(),
                   sot_sequence_, timer_.text_tokens(parts), place.frames);
  timer_.time(parts, window, times, language_, place.seek + place.frames);

  auto probability = times.probabilities.begin();
  for (size_t i = 0; i < line_of_part.size(); ++i) {
    TokenSegment& part = parts.segments[i];
    Line& line = lines[line_of_part[i]];
    if (line.segment.tokens.empty()) line.seek = place.seek;
    for (size_t token = 0; token < part.tokens.size(); ++token, ++probability) {
      const float logprob = std::log(std::max(*probability, std::numeric_limits<float>::min()));
      line.logprob += logprob;
      line.segment.logprobs.push_back(logprob);
    }
    TokenSegment& whole = line.segment;
    whole.start_s = std::min(whole.start_s, part.start_s);
    whole.end_s = std::max(whole.end_s, part.end_s);
    whole.tokens.insert(whole.tokens.end(), part.tokens.begin(), part.tokens.end());
    std::ranges::move(part.words, std::back_inserter(whole.words));
  }
}

void add_lines(std::vector<Line> lines, int64_t content_frames,
               const text::WhisperTokenizer& tokenizer, Transcription& result) {
  WindowSegments all{{}, content_frames, true};
  for (Line& line : lines) all.segments.push_back(std::move(line.segment));
  const Window whole{0, static_cast<int>(content_frames), 2};
  fit_words(all, whole);
  fit_times(all, whole);
  for (size_t i = 0; i < lines.size(); ++i) {
    TokenSegment& segment = all.segments[i];
    Segment added{.id = static_cast<int>(i),
                  .seek = lines[i].seek,
                  .start_s = segment.start_s,
                  .end_s = segment.end_s,
                  .text = tokenizer.decode(segment.tokens),
                  .tokens = std::move(segment.tokens),
                  .words = std::move(segment.words)};
    added.token_details = token_details(tokenizer, added.tokens, segment.logprobs);
    added.avg_logprob = lines[i].logprob / static_cast<double>(added.tokens.size());
    added.compression_ratio = base::compression_ratio(added.text);
    result.text += added.text;
    result.segments.push_back(std::move(added));
  }
}

std::vector<Word> words_of(const Transcription& heard) {
  std::vector<Word> words;
  for (const Segment& segment : heard.segments) {
    words.insert(words.end(), segment.words.begin(), segment.words.end());
  }
  return words;
}

}  // namespace

Transcription align_text(const Hearing& hearing, std::span<const float> samples,
                         std::string_view text, const TranscribeOptions& options,
                         const TranscribeCallbacks& callbacks) {
  const models::whisper::Whisper& model = hearing.model;
  const text::WhisperTokenizer& tokenizer = hearing.tokenizer;
  if (text::stripped(text).empty()) {
    base::fail(ErrorKind::BadInput, "align: expected a text with words, got none");
  }
  if (options.task == Task::Translate) {
    base::fail(ErrorKind::BadInput, "align: expected the text of what is said, not a translation");
  }
  TranscribeCallbacks listening = callbacks;
  listening.on_segment = nullptr;
  Transcription heard = transcribe(hearing, samples, options, listening);
  Transcription result{.language = heard.language.empty() ? "en" : heard.language,
                       .has_words = true,
                       .duration_s = heard.duration_s,
                       .warnings = std::move(heard.warnings),
                       .cancelled = heard.cancelled};
  Sound sound = Sound::whole(model.log_mel(), samples);
  const int64_t content_frames = sound.frames();
  if (result.cancelled || content_frames == 0) return result;

  std::vector<KnownWord> words = split_text(tokenizer, text, result.language);
  TextAligner aligner(model, tokenizer, options, result.language);
  for (const KnownWord& word : words) {
    if (word.tokens.size() <= aligner.max_tokens()) continue;
    base::fail(ErrorKind::BadInput, "align: expected words of at most {} tokens, got one of {}",
               aligner.max_tokens(), word.tokens.size());
  }
  place_words(words, words_of(heard), result.duration_s);
  WindowFeatures features(model, sound, kWindowFrames);
  std::vector<Line> lines(words.back().line + 1);
  for (const KnownWindow& window : make_windows(words, aligner.max_tokens(), content_frames)) {
    result.cancelled = callbacks.stop.stop_requested();
    if (result.cancelled) return result;
    aligner.time(std::span(words).subspan(window.begin, window.end - window.begin), window,
                 features, lines);
  }
  add_lines(std::move(lines), content_frames, tokenizer, result);
  if (callbacks.on_segment) std::ranges::for_each(result.segments, callbacks.on_segment);
  return result;
}

}  // namespace whinchat::transcription
