// What the next window is told of the text before it: vocabulary, prompts and what was transcribed,
// within Whisper's budget of 223 tokens (openai-whisper 20250625, transcribe.py; hotwords:
// faster-whisper 1.2.1). One transcription's.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "models/whisper/dimensions.h"
#include "text/whisper_tokenizer.h"
#include "whinchat/transcription.h"

namespace whinchat::transcription {

// How many tokens a window can be told: 223.
size_t prompt_budget(const models::whisper::ModelDimensions& dims);

// How many tokens a text may begin with: what is left of the window's tokens, and half of them
// where the options do not say how many are to follow. (openai-whisper would then take any number,
// to fail past the context.)
size_t prefix_budget(const models::whisper::ModelDimensions& dims,
                     const TranscribeOptions& options);

// The words, in their order, that fit into `budget` tokens as a prompt.
VocabularyReport fit_vocabulary(const text::WhisperTokenizer& tokenizer,
                                std::span<const std::string> words, size_t budget);

// What stands before a window's text.
struct WindowStart {
  std::vector<int32_t> previous;  // what it is told of the text before it, within the budget
  std::vector<int32_t> prefix;    // what its text begins with
  bool timestamps = true;
  // What it is told without hints (vocabulary, hotwords, prompts, prefix); unset if it has none.
  std::optional<std::vector<int32_t>> unhinted;
};

class PromptHistory {
 public:
  // `result` gets the report on the vocabulary, and a warning for each text that a budget cuts.
  PromptHistory(const text::WhisperTokenizer& tokenizer,
                const models::whisper::ModelDimensions& dims, const TranscribeOptions& options,
                Transcription& result);

  // A segment's tokens.
  void add(std::span<const int32_t> tokens);

  // The next window is not the first one any more.
  void end_window() { prefix_.clear(); }

  // The next window is told nothing of what was added until now, or that again.
  size_t forget() { return std::exchange(told_begin_, tokens_.size()); }
  void remember(size_t forgotten) { told_begin_ = forgotten; }

  // Whether it is told what was transcribed.
  bool tells_text() const { return tokens_.size() > std::max(told_begin_, initial_tokens_); }

  // Of the next window; only the first one has a prefix.
  WindowStart window_start(bool timestamps) const;

  // All tokens that were added.
  std::span<const int32_t> added() const { return std::span(tokens_).subspan(initial_tokens_); }

 private:
  std::vector<int32_t> previous() const;
  std::vector<int32_t> previous_text() const;  // of that, what was transcribed

  size_t budget_;
  bool carries_initial_prompt_;
  std::vector<int32_t> vocabulary_, hotwords_, prefix_;
  std::vector<int32_t> tokens_;  // the initial prompt, then what was added
  size_t initial_tokens_ = 0;    // of the initial prompt
  size_t told_begin_ = 0;        // of tokens_: the first that windows are told
};

}  // namespace whinchat::transcription
