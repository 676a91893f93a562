#include "service/named_options.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <vector>

#include "base/error.h"
#include "whinchat/formats.h"
#include "whinchat/option_values.h"
#include "whinchat/transcription.h"
#include "whinchat/vad.h"

namespace whinchat::service {
namespace {

template <typename Value, size_t N>
Value parse_name(const std::array<Named<Value>, N>& values, std::string_view name,
                 std::string_view value) {
  const std::optional<Value> found = find_value(values, value);
  if (!found) {
    base::fail(ErrorKind::BadInput, "{}: expected {}, got {}", name, list_names(values), value);
  }
  return *found;
}

template <typename Number>
Number parse_number(std::string_view name, std::string_view value) {
  Number number{};
  const char* begin = value.data();  // NOLINT(bugprone-suspicious-stringview-data-usage)
  const char* end = begin + value.size();
  const auto [last, error] = std::from_chars(begin, end, number);
  bool is_good = error == std::errc() && last == end;
  if constexpr (std::is_floating_point_v<Number>) is_good = is_good && std::isfinite(number);
  if (!is_good) {
    base::fail(ErrorKind::BadInput, "{}: expected a {}number, got {}", name,
               std::is_integral_v<Number> ? "whole " : "", value);
  }
  return number;
}

// What a value's text means is said by the type of the member that takes it.
template <typename Number>
void parse(std::string_view name, std::string_view value, Number& out)
  requires std::is_arithmetic_v<Number>
{
  out = parse_number<Number>(name, value);
}

void parse(std::string_view name, std::string_view value, bool& out) {
  constexpr auto kSwitches =
      std::to_array<Named<bool>>({{"true", true}, {"false", false}, {"1", true}, {"0", false}});
  out = parse_name(kSwitches, name, value);
}

void parse(std::string_view name, std::string_view value, Task& out) {
  out = parse_name(kTasks, name, value);
}

void parse(std::string_view name, std::string_view value, Compute& out) {
  out = parse_name(kComputes, name, value);
}

void parse(std::string_view name, std::string_view value, Device& out) {
  out = parse_name(kDevices, name, value);
}

void parse(std::string_view name, std::string_view value, SplitAt& out) {
  out = parse_name(kSplits, name, value);
}

void parse(std::string_view /*name*/, std::string_view value, std::string& out) { out = value; }

template <typename Value>
void parse(std::string_view name, std::string_view value, std::optional<Value>& out) {
  out.reset();
  if (value != "none") parse(name, value, out.emplace());
}

// By commas; an empty text is no value at all.
template <typename Value>
void parse(std::string_view name, std::string_view values, std::vector<Value>& out) {
  out.clear();
  while (!values.empty() || !out.empty()) {
    const size_t comma = values.find(',');
    parse(name, values.substr(0, comma), out.emplace_back());
    if (comma == std::string_view::npos) return;
    values.remove_prefix(comma + 1);
  }
}

template <auto Member>
void set_member(SpeechOptions& options, std::string_view name, std::string_view value) {
  if constexpr (requires { options.model.*Member; }) {
    parse(name, value, options.model.*Member);
  } else if constexpr (requires { options.transcribe.vad_parameters.*Member; }) {
    parse(name, value, options.transcribe.vad_parameters.*Member);
  } else if constexpr (requires { options.writer.*Member; }) {
    parse(name, value, options.writer.*Member);
  } else {
    parse(name, value, options.transcribe.*Member);
  }
}

void set_channel(SpeechOptions& options, std::string_view name, std::string_view value) {
  options.transcribe.channel.reset();
  options.transcribe.split_channels = value == "split";
  if (value != "split") parse(name, value, options.transcribe.channel);
}

struct Option {
  std::string_view name;
  void (*set)(SpeechOptions& options, std::string_view name, std::string_view value);
};

constexpr auto kOptions = std::to_array<Option>({
    {"model", set_member<&ModelOptions::model>},
    {"offline", set_member<&ModelOptions::offline>},
    {"faithful", set_member<&ModelOptions::faithful>},
    {"compute", set_member<&ModelOptions::compute>},
    {"device", set_member<&ModelOptions::device>},
    {"threads", set_member<&ModelOptions::threads>},
    {"language", set_member<&TranscribeOptions::language>},
    {"languages", set_member<&TranscribeOptions::languages>},
    {"language-detection-segments", set_member<&TranscribeOptions::language_detection_segments>},
    {"language-detection-threshold", set_member<&TranscribeOptions::language_detection_threshold>},
    {"multilingual", set_member<&TranscribeOptions::multilingual>},
    {"task", set_member<&TranscribeOptions::task>},
    {"channel", set_channel},
    {"clip-timestamps", set_member<&TranscribeOptions::clip_timestamps>},
    {"vad-filter", set_member<&TranscribeOptions::vad_filter>},
    {"share-windows", set_member<&TranscribeOptions::share_windows>},
    {"vad-threshold", set_member<&VadOptions::threshold>},
    {"vad-neg-threshold", set_member<&VadOptions::neg_threshold>},
    {"vad-min-speech-duration-ms", set_member<&VadOptions::min_speech_duration_ms>},
    {"vad-max-speech-duration-s", set_member<&VadOptions::max_speech_duration_s>},
    {"vad-min-silence-duration-ms", set_member<&VadOptions::min_silence_duration_ms>},
    {"vad-speech-pad-ms", set_member<&VadOptions::speech_pad_ms>},
    {"audio-ctx", set_member<&TranscribeOptions::audio_ctx>},
    {"initial-prompt", set_member<&TranscribeOptions::initial_prompt>},
    {"carry-initial-prompt", set_member<&TranscribeOptions::carry_initial_prompt>},
    {"vocabulary", set_member<&TranscribeOptions::vocabulary>},
    {"hotwords", set_member<&TranscribeOptions::hotwords>},
    {"prefix", set_member<&TranscribeOptions::prefix>},
    {"condition-on-previous-text", set_member<&TranscribeOptions::condition_on_previous_text>},
    {"skip-digital-silence", set_member<&TranscribeOptions::skip_digital_silence>},
    {"prompt-reset-on-repetition", set_member<&TranscribeOptions::prompt_reset_on_repetition>},
    {"temperature", set_member<&TranscribeOptions::temperatures>},
    {"best-of", set_member<&TranscribeOptions::best_of>},
    {"seed", set_member<&TranscribeOptions::seed>},
    {"beam-size", set_member<&TranscribeOptions::beam_size>},
    {"patience", set_member<&TranscribeOptions::patience>},
    {"length-penalty", set_member<&TranscribeOptions::length_penalty>},
    {"compression-ratio-threshold", set_member<&TranscribeOptions::compression_ratio_threshold>},
    {"logprob-threshold", set_member<&TranscribeOptions::logprob_threshold>},
    {"no-speech-threshold", set_member<&TranscribeOptions::no_speech_threshold>},
    {"word-timestamps", set_member<&TranscribeOptions::word_timestamps>},
    {"prepend-punctuations", set_member<&TranscribeOptions::prepend_punctuations>},
    {"append-punctuations", set_member<&TranscribeOptions::append_punctuations>},
    {"hallucination-silence-threshold",
     set_member<&TranscribeOptions::hallucination_silence_threshold>},
    {"without-timestamps", set_member<&TranscribeOptions::without_timestamps>},
    {"max-initial-timestamp", set_member<&TranscribeOptions::max_initial_timestamp>},
    {"max-new-tokens", set_member<&TranscribeOptions::max_new_tokens>},
    {"suppress-blank", set_member<&TranscribeOptions::suppress_blank>},
    {"suppress-tokens", set_member<&TranscribeOptions::suppress_tokens>},
    {"suppress-regex", set_member<&TranscribeOptions::suppress_regex>},
    {"repetition-penalty", set_member<&TranscribeOptions::repetition_penalty>},
    {"no-repeat-ngram-size", set_member<&TranscribeOptions::no_repeat_ngram_size>},
    {"max-line-width", set_member<&WriterOptions::max_line_width>},
    {"max-line-count", set_member<&WriterOptions::max_line_count>},
    {"max-words-per-line", set_member<&WriterOptions::max_words_per_line>},
    {"highlight-words", set_member<&WriterOptions::highlight_words>},
    {"split-at", set_member<&WriterOptions::split_at>},
});

[[noreturn]] void fail_unknown(std::string_view name) {
  base::fail(ErrorKind::BadInput, "there is no option {}; expected one of {}", name,
             fmt::join(option_names(), ", "));
}

}  // namespace

std::vector<std::string_view> option_names() {
  std::vector<std::string_view> names;
  names.reserve(kOptions.size());
  for (const Option& option : kOptions) names.push_back(option.name);
  return names;
}

void set_option(SpeechOptions& options, std::string_view name, std::string_view value) {
  std::string dashed(name);
  std::ranges::replace(dashed, '_', '-');
  const auto* option = std::ranges::find(kOptions, dashed, &Option::name);
  if (option == kOptions.end()) fail_unknown(name);
  option->set(options, option->name, value);
}

}  // namespace whinchat::service
