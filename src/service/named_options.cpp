#include "service/named_options.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <vector>

#include "base/error.h"
#include "base/text.h"
#include "whinchat/option_values.h"
#include "whinchat/transcription.h"

namespace whinchat::service {
namespace {

using Set = void (*)(SpeechOptions& options, std::string_view name, std::string_view value);

struct Option {
  std::string_view name;
  Set set;
};

constexpr auto kSwitches =
    std::to_array<Named<bool>>({{"true", true}, {"false", false}, {"1", true}, {"0", false}});

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

// By commas.
std::vector<double> parse_numbers(std::string_view name, std::string_view values) {
  std::vector<double> numbers;
  while (true) {
    const size_t comma = values.find(',');
    numbers.push_back(parse_number<double>(name, values.substr(0, comma)));
    if (comma == std::string_view::npos) return numbers;
    values.remove_prefix(comma + 1);
  }
}

std::optional<double> parse_threshold(std::string_view name, std::string_view value) {
  if (value == "none") return std::nullopt;
  return parse_number<double>(name, value);
}

constexpr auto kOptions = std::to_array<Option>({
    {"model", [](SpeechOptions& options, std::string_view,
                 std::string_view value) { options.model.model = value; }},
    {"faithful",
     [](SpeechOptions& options, std::string_view name, std::string_view value) {
       options.model.faithful = parse_name(kSwitches, name, value);
     }},
    {"compute",
     [](SpeechOptions& options, std::string_view name, std::string_view value) {
       options.model.compute = parse_name(kComputes, name, value);
     }},
    {"device",
     [](SpeechOptions& options, std::string_view name, std::string_view value) {
       options.model.device = parse_name(kDevices, name, value);
     }},
    {"threads",
     [](SpeechOptions& options, std::string_view name, std::string_view value) {
       options.model.threads = parse_number<int>(name, value);
     }},
    {"language", [](SpeechOptions& options, std::string_view,
                    std::string_view value) { options.transcribe.language = value; }},
    {"task",
     [](SpeechOptions& options, std::string_view name, std::string_view value) {
       options.transcribe.task = parse_name(kTasks, name, value);
     }},
    {"channel",
     [](SpeechOptions& options, std::string_view name, std::string_view value) {
       options.transcribe.channel = parse_number<int>(name, value);
     }},
    {"condition-on-previous-text",
     [](SpeechOptions& options, std::string_view name, std::string_view value) {
       options.transcribe.condition_on_previous_text = parse_name(kSwitches, name, value);
     }},
    {"initial-prompt", [](SpeechOptions& options, std::string_view,
                          std::string_view value) { options.transcribe.initial_prompt = value; }},
    {"carry-initial-prompt",
     [](SpeechOptions& options, std::string_view name, std::string_view value) {
       options.transcribe.carry_initial_prompt = parse_name(kSwitches, name, value);
     }},
    {"temperature",
     [](SpeechOptions& options, std::string_view name,
        std::string_view value) { options.transcribe.temperatures = parse_numbers(name, value); }},
    {"best-of",
     [](SpeechOptions& options, std::string_view name,
        std::string_view value) { options.transcribe.best_of = parse_number<int>(name, value); }},
    {"seed",
     [](SpeechOptions& options, std::string_view name,
        std::string_view value) { options.transcribe.seed = parse_number<uint64_t>(name, value); }},
    {"beam-size",
     [](SpeechOptions& options, std::string_view name,
        std::string_view value) { options.transcribe.beam_size = parse_number<int>(name, value); }},
    {"patience",
     [](SpeechOptions& options, std::string_view name,
        std::string_view
            value) { options.transcribe.patience = parse_number<double>(name, value); }},
    {"length-penalty",
     [](SpeechOptions& options, std::string_view name,
        std::string_view
            value) { options.transcribe.length_penalty = parse_number<double>(name, value); }},
    {"compression-ratio-threshold",
     [](SpeechOptions& options, std::string_view name, std::string_view value) {
       options.transcribe.compression_ratio_threshold = parse_threshold(name, value);
     }},
    {"logprob-threshold",
     [](SpeechOptions& options, std::string_view name, std::string_view value) {
       options.transcribe.logprob_threshold = parse_threshold(name, value);
     }},
    {"no-speech-threshold",
     [](SpeechOptions& options, std::string_view name, std::string_view value) {
       options.transcribe.no_speech_threshold = parse_threshold(name, value);
     }},
});

[[noreturn]] void fail_unknown(std::string_view name) {
  std::vector<std::string> names;
  names.reserve(kOptions.size());
  for (const Option& option : kOptions) names.emplace_back(option.name);
  base::fail(ErrorKind::BadInput, "there is no option {}; expected one of {}", name,
             base::join(names, ", "));
}

}  // namespace

void set_option(SpeechOptions& options, std::string_view name, std::string_view value) {
  std::string dashed(name);
  std::ranges::replace(dashed, '_', '-');
  const auto* option = std::ranges::find(kOptions, dashed, &Option::name);
  if (option == kOptions.end()) fail_unknown(name);
  option->set(options, option->name, value);
}

}  // namespace whinchat::service
