#include "transcription/prompt_history.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/text.h"
#include "models/whisper/dimensions.h"
#include "text/whisper_tokenizer.h"
#include "whinchat/transcription.h"

namespace whinchat::transcription {
namespace {

std::span<const int32_t> last(std::span<const int32_t> tokens, size_t count) {
  return tokens.last(std::min(tokens.size(), count));
}

void append(std::vector<int32_t>& tokens, std::span<const int32_t> more) {
  tokens.insert(tokens.end(), more.begin(), more.end());
}

// The end of a text that may have `budget` tokens.
std::vector<int32_t> encode_end(const text::WhisperTokenizer& tokenizer, std::string_view name,
                                std::string_view text, size_t budget,
                                std::vector<std::string>& warnings) {
  text = base::trimmed(text);
  if (text.empty()) return {};
  std::vector<int32_t> tokens = tokenizer.encode(fmt::format(" {}", text));
  if (tokens.size() <= budget) return tokens;
  const std::string kept = budget == 0 ? "none is" : fmt::format("the last {} are", budget);
  warnings.push_back(
      fmt::format("the {} has {} tokens, of which {} used", name, tokens.size(), kept));
  const std::span<const int32_t> end = last(tokens, budget);
  return {end.begin(), end.end()};
}

// A list that reads as a sentence, so that it is not taken for the beginning of one.
std::vector<int32_t> encode_list(const text::WhisperTokenizer& tokenizer,
                                 const std::vector<std::string>& words) {
  if (words.empty()) return {};
  return tokenizer.encode(fmt::format(" {}.", base::join(words, ", ")));
}

std::string omission(const VocabularyReport& vocabulary) {
  constexpr size_t kNamed = 5;
  const std::vector<std::string>& omitted = vocabulary.omitted;
  std::vector<std::string> named(
      omitted.begin(),
      omitted.begin() + static_cast<std::ptrdiff_t>(std::min(omitted.size(), kNamed)));
  if (omitted.size() > kNamed) named.emplace_back("…");
  return fmt::format("{} of {} words of the vocabulary do not fit into the prompt: {}",
                     omitted.size(), omitted.size() + vocabulary.included.size(),
                     base::join(named, ", "));
}

}  // namespace

size_t prompt_budget(const models::whisper::ModelDimensions& dims) {
  return static_cast<size_t>(dims.n_text_ctx) / 2 - 1;
}

size_t prefix_budget(const models::whisper::ModelDimensions& dims,
                     const TranscribeOptions& options) {
  constexpr int kStart = 8;  // the start sequence, and a few tokens to choose
  const int half = dims.n_text_ctx / 2;
  const int to_follow = options.max_new_tokens.value_or(half);
  const int budget = to_follow < half ? std::min(half - to_follow, half - kStart) : half / 2;
  return static_cast<size_t>(budget);
}

VocabularyReport fit_vocabulary(const text::WhisperTokenizer& tokenizer,
                                std::span<const std::string> words, size_t budget) {
  VocabularyReport report;
  for (const std::string& given : words) {
    const std::string word(base::trimmed(given));
    const bool is_known = std::ranges::find(report.included, word) != report.included.end();
    if (word.empty() || is_known) continue;
    report.included.push_back(word);
    if (encode_list(tokenizer, report.included).size() <= budget) continue;
    report.included.pop_back();
    report.omitted.push_back(word);
  }
  return report;
}

PromptHistory::PromptHistory(const text::WhisperTokenizer& tokenizer,
                             const models::whisper::ModelDimensions& dims,
                             const TranscribeOptions& options, Transcription& result)
    : budget_(prompt_budget(dims)), carries_initial_prompt_(options.carry_initial_prompt) {
  std::vector<std::string>& warnings = result.warnings;
  hotwords_ = encode_end(tokenizer, "text of hotwords", options.hotwords, budget_, warnings);
  const size_t left = budget_ - hotwords_.size();
  tokens_ = encode_end(tokenizer, "initial prompt", options.initial_prompt, left, warnings);
  initial_tokens_ = tokens_.size();
  result.vocabulary = fit_vocabulary(tokenizer, options.vocabulary, left - initial_tokens_);
  vocabulary_ = encode_list(tokenizer, result.vocabulary.included);
  if (!result.vocabulary.omitted.empty()) warnings.push_back(omission(result.vocabulary));
  prefix_ = encode_end(tokenizer, "prefix", options.prefix, prefix_budget(dims, options), warnings);
}

void PromptHistory::add(std::span<const int32_t> tokens) { append(tokens_, tokens); }

WindowStart PromptHistory::window_start(bool timestamps) const {
  WindowStart start{.previous = previous(), .prefix = prefix_, .timestamps = timestamps};
  std::vector<int32_t> text = previous_text();
  if (!prefix_.empty() || start.previous != text) start.unhinted = std::move(text);
  return start;
}

std::vector<int32_t> PromptHistory::previous() const {
  const std::span<const int32_t> all = tokens_;
  std::vector<int32_t> previous = vocabulary_;
  if (prefix_.empty()) append(previous, hotwords_);
  size_t told_begin = told_begin_;
  if (carries_initial_prompt_) {
    append(previous, all.first(initial_tokens_));
    told_begin = std::max(told_begin, initial_tokens_);
  }
  append(previous, last(all.subspan(told_begin), budget_ - previous.size()));
  return previous;
}

std::vector<int32_t> PromptHistory::previous_text() const {
  const std::span<const int32_t> text =
      last(std::span(tokens_).subspan(std::max(told_begin_, initial_tokens_)), budget_);
  return {text.begin(), text.end()};
}

}  // namespace whinchat::transcription
