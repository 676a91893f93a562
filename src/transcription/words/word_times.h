// From the times of tokens to the times of words: openai-whisper 20250625's timing.py after its
// alignment, without a model.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "text/word_tokens.h"
#include "transcription/windows/window_segments.h"
#include "transcription/words/alignment.h"

namespace whinchat::transcription {

struct TimedWord {
  std::string word;  // empty once it is part of a neighbour
  std::vector<int32_t> tokens;
  double start_s, end_s;  // since the window's start
  double probability;     // mean of its tokens
};

// `words` hold the tokens of `times` in order.
std::vector<TimedWord> time_words(std::vector<text::WordTokens> words, const TokenTimes& times);

// How long words are: what is longer than `max_s` is suspect.
struct WordDurations {
  double median_s, max_s;  // of words that take any time; 0 where none does
};
WordDurations word_durations(std::span<const TimedWord> words);

// Marks that end a sentence, and words that follow one, take in the pause: at most max_s stays.
void shorten_at_sentence_ends(std::span<TimedWord> words, const WordDurations& durations);

// Gives `prepended` marks that follow a space to the word after them, `appended` ones to the word
// before.
void merge_punctuations(std::span<TimedWord> words, std::string_view prepended,
                        std::string_view appended);

struct TimedWords {
  std::vector<TimedWord> words;
  WordDurations durations;  // as the decoder looked at them
};

struct WordBorders {
  double offset_s;       // of the window
  double last_speech_s;  // end of the last word before it
  int32_t eot;           // text tokens lie below
};

// Gives each segment the words of its tokens, on the file's clock. A word that is too long after a
// pause or at a segment's border is cut; otherwise the border moves to the word's.
void give_words(std::span<TokenSegment> segments, std::span<const TimedWord> words,
                const WordDurations& durations, WordBorders borders);

}  // namespace whinchat::transcription
