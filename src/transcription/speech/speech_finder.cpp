#include "transcription/speech/speech_finder.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "base/error.h"
#include "whinchat/vad.h"

namespace whinchat::transcription {

SpeechFinder::SpeechFinder(const VadOptions& options, int rate_hz, int chunk_samples)
    : cuts_in_longest_(options.use_max_poss_sil_at_max_speech),
      threshold_(options.threshold),
      neg_threshold_(options.neg_threshold.value_or(std::max(options.threshold - 0.15, 0.01))),
      chunk_(chunk_samples) {
  const auto samples = [&](double ms) { return rate_hz * ms / 1000; };
  min_speech_ = samples(options.min_speech_duration_ms);
  min_silence_ = samples(options.min_silence_duration_ms);
  min_silence_at_max_ = samples(options.min_silence_at_max_speech);
  pad_ = int64_t{rate_hz} * options.speech_pad_ms / 1000;
  max_speech_ =
      rate_hz * options.max_speech_duration_s - chunk_samples - 2 * samples(options.speech_pad_ms);
}

void SpeechFinder::push(float probability) {
  const double speech = probability;
  at_least_ = at_ + 1;
  if (current_) {
    if (!go_on(*current_, speech)) current_.reset();
  } else if (speech >= threshold_) {
    current_ = Current{.start = at_};
  }
  at_ += chunk_;
  give_settled();
}

// Returns whether speech goes on. The order of the steps is silero's.
bool SpeechFinder::go_on(Current& current, double speech) {
  if (speech >= threshold_ && current.silence != 0) end_silence(current);
  if (static_cast<double>(at_ - current.start) > max_speech_ && !cut(current)) return false;
  return speech >= neg_threshold_ || !hear_silence(current);
}

// Speech goes on after a silence that was too short to end it.
void SpeechFinder::end_silence(Current& current) const {
  const int64_t length = at_ - current.silence;
  if (cuts_in_longest_) {
    const int64_t longest = current.cut_start - current.cut_end;
    if (static_cast<double>(length) > min_silence_at_max_ && length > longest) {
      current.cut_end = current.silence;
      current.cut_start = at_;
    }
  } else if (current.cut_start < current.cut_end) {
    current.cut_start = at_;
  }
  current.silence = 0;
}

// Speech is too long. Returns whether it goes on behind the cut: not at once, nor where the silence
// that it is cut in has not ended.
bool SpeechFinder::cut(Current& current) {
  const Current whole = current;
  current = Current{.start = whole.cut_start};
  keep({whole.start, whole.cut_end != 0 ? whole.cut_end : at_});
  return whole.cut_end != 0 && whole.cut_start >= whole.cut_end;
}

// Returns whether the silence is long enough to end speech.
bool SpeechFinder::hear_silence(Current& current) {
  if (current.silence == 0) current.silence = at_;
  const auto length = static_cast<double>(at_ - current.silence);
  if (!cuts_in_longest_ && length > min_silence_at_max_) current.cut_end = current.silence;
  if (length < min_silence_) return false;
  if (is_long_enough(current.start, current.silence)) keep({current.start, current.silence});
  return true;
}

void SpeechFinder::finish(int64_t total_samples) {
  if (total_samples > at_ || total_samples < at_least_) {
    base::fail(ErrorKind::Internal,
               "[transcription.SpeechFinder] expected {} to {} samples, got {}", at_least_, at_,
               total_samples);
  }
  at_ = at_least_ = total_samples;
  if (current_ && is_long_enough(current_->start, total_samples)) {
    keep({current_->start, total_samples});
  }
  current_.reset();
  if (kept_) give(*kept_, std::min(total_samples, kept_->end + pad_));
  kept_.reset();
  is_finished_ = true;
}

void SpeechFinder::keep(const SpeechSpan& speech) {
  const int64_t begin = padded_begin(speech.begin);
  if (kept_) {
    give(*kept_, kept_->end + share_of(speech.begin - kept_->end));
  }
  kept_ = SpeechSpan{begin, speech.end, speech.begin, speech.end};
  last_end_ = speech.end;
}

// Speech that was kept is final once it is known how it shares the silence behind it.
void SpeechFinder::give_settled() {
  if (!kept_) return;
  const SpeechSpan kept = *kept_;
  const int64_t silence = (current_ ? current_->start : at_) - kept.end;
  const bool is_far = silence >= 2 * pad_ && kept.end + pad_ <= at_least_;
  const bool has_neighbour = current_ && is_sure(*current_);
  if (!is_far && !has_neighbour) return;
  give(kept, kept.end + share_of(silence));
  kept_.reset();
}

void SpeechFinder::give(SpeechSpan span, int64_t padded_end) {
  span.end = padded_end;
  ready_.push_back(span);
}

int64_t SpeechFinder::padded_begin(int64_t start) const {
  if (last_end_ < 0) return std::max<int64_t>(0, start - pad_);
  return start - share_of(start - last_end_);
}

// Neighbours share a silence that is too short for both.
int64_t SpeechFinder::share_of(int64_t silence) const { return std::min(pad_, silence / 2); }

bool SpeechFinder::is_long_enough(int64_t start, int64_t end) const {
  return static_cast<double>(end - start) > min_speech_;
}

// Where the speech in hand would end if no more came.
int64_t SpeechFinder::end_so_far(const Current& current) const {
  return current.silence != 0 ? current.silence : at_least_;
}

bool SpeechFinder::is_sure(const Current& current) const {
  return is_long_enough(current.start, end_so_far(current));
}

std::vector<SpeechSpan> SpeechFinder::take() { return std::exchange(ready_, {}); }

std::optional<SpeechSpan> SpeechFinder::open() const {
  if (!current_ || !is_sure(*current_)) return std::nullopt;
  int64_t end = end_so_far(*current_);
  const bool may_be_cut = max_speech_ < std::numeric_limits<double>::infinity();
  if (may_be_cut && current_->cut_end != 0) end = std::min(end, current_->cut_end);
  return SpeechSpan{padded_begin(current_->start), end, current_->start, end};
}

int64_t SpeechFinder::settled() const {
  if (!ready_.empty()) return ready_.front().begin;
  if (kept_) return kept_->begin;
  if (current_) return padded_begin(current_->start);
  // The next speech begins with the next chunk, if there is one.
  return is_finished_ ? at_ : std::min(padded_begin(at_), at_least_);
}

}  // namespace whinchat::transcription
