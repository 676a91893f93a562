#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "cli/options/number_or_none.h"
#include "cli/options/speech_options.h"
#include "whinchat/transcription.h"

namespace whinchat::cli {
namespace {

// By commas; an empty text is an empty list, which CLI11's own lists refuse.
void add_suppress_tokens(CLI::App& command, std::vector<int32_t>& tokens) {
  const auto set = [&tokens](const std::string& value) {
    tokens.clear();
    if (value.empty()) return;
    for (const std::string& each : CLI::detail::split(value, ',')) {
      if (!CLI::detail::lexical_cast(CLI::detail::trim_copy(each), tokens.emplace_back())) {
        throw CLI::ConversionError("expected tokens by commas, got " + value);
      }
    }
  };
  command
      .add_option_function<std::string>("--suppress-tokens", set,
                                        "Never written; -1: those of annotations")
      ->type_name("ID,…")
      ->default_str("-1");
}

}  // namespace

void add_constraint_options(CLI::App& command, TranscribeOptions& options) {
  command.add_flag("--without-timestamps", options.without_timestamps, "No times among the tokens");
  add_number_or_none(command, "--max-initial-timestamp", options.max_initial_timestamp,
                     "Seconds: a window's text begins by then");
  command.add_option("--max-new-tokens", options.max_new_tokens, "In a window; else up to 224")
      ->type_name("N")
      ->check(CLI::Range(1, 448).description(""));
  command.add_option("--suppress-blank", options.suppress_blank, "No text begins with a blank")
      ->type_name("BOOL")
      ->default_str("true");
  add_suppress_tokens(command, options.suppress_tokens);
  command
      .add_option("--suppress-regex", options.suppress_regex,
                  "Nor any token that this matches as a whole")
      ->type_name("REGEX");
  command
      .add_option("--repetition-penalty", options.repetition_penalty,
                  "Above 1: what was written is less likely")
      ->type_name("F")
      ->capture_default_str();
  command
      .add_option("--no-repeat-ngram-size", options.no_repeat_ngram_size,
                  "So many tokens never come again; 0: off")
      ->type_name("N")
      ->check(CLI::NonNegativeNumber.description(""))
      ->capture_default_str();
}

}  // namespace whinchat::cli
