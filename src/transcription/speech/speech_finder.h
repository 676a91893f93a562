// Speech from probabilities, chunk by chunk: the spans that get_speech_timestamps of silero-vad
// 6.2.3 finds in a whole recording, each as soon as nothing can change it. Memory does not grow.
// faster-whisper 1.2.1 is the same with use_max_poss_sil_at_max_speech off, but for a chunk of
// silence behind a recording of whole chunks.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "whinchat/vad.h"

namespace whinchat::transcription {

struct SpeechSpan {
  int64_t begin, end;                      // samples of the recording; end is exclusive
  int64_t voice_begin = 0, voice_end = 0;  // of that, without padding

  bool operator==(const SpeechSpan& other) const {
    return begin == other.begin && end == other.end;  // which is all that silero-vad says
  }
};

class SpeechFinder {
 public:
  // `options` have been checked.
  SpeechFinder(const VadOptions& options, int rate_hz, int chunk_samples);

  void push(float probability);  // of the next chunk

  // No more chunks; total_samples end in the last one, which may be a part of a chunk. Throws
  // Error{Internal} for a total that does not.
  void finish(int64_t total_samples);

  // Spans that are final by now, in order, each given once.
  std::vector<SpeechSpan> take();

  // The span in hand, once its begin is final and it is sure not to be dropped: an end that it will
  // at least have.
  std::optional<SpeechSpan> open() const;

  // No span given later begins before this sample: what lies before it and in no given span is no
  // speech.
  int64_t settled() const;

 private:
  // Speech that began and has not ended; positions are samples, 0 where there is none: no silence
  // begins in the first chunk.
  struct Current {
    int64_t start;
    int64_t silence = 0;  // where the silence in hand began (silero's temp_end)
    // The silence that is cut in if speech grows too long, and where speech goes on (prev_end and
    // next_start, or the longest of possible_ends).
    int64_t cut_end = 0, cut_start = 0;
  };

  bool go_on(Current& current, double speech);
  void end_silence(Current& current) const;
  bool cut(Current& current);
  bool hear_silence(Current& current);
  void keep(const SpeechSpan& speech);
  void give_settled();
  void give(SpeechSpan span, int64_t padded_end);
  int64_t padded_begin(int64_t start) const;
  int64_t share_of(int64_t silence) const;
  bool is_long_enough(int64_t start, int64_t end) const;
  int64_t end_so_far(const Current& current) const;
  bool is_sure(const Current& current) const;

  bool cuts_in_longest_;
  double threshold_, neg_threshold_;
  // In samples.
  double min_speech_, min_silence_, min_silence_at_max_, max_speech_;
  int64_t pad_, chunk_;

  int64_t at_ = 0;        // where the chunk in hand begins, then the next one
  int64_t at_least_ = 0;  // samples that the recording has at least
  std::optional<Current> current_;
  std::optional<SpeechSpan> kept_;  // its begin is padded, its end not: that waits for what follows
  int64_t last_end_ = -1;           // of the last speech kept, not padded; −1: there was none
  std::vector<SpeechSpan> ready_;
  bool is_finished_ = false;
};

}  // namespace whinchat::transcription
