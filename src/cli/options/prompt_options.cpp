#include <CLI/CLI.hpp>
#include <fstream>
#include <string>
#include <vector>

#include "base/text.h"
#include "cli/options/speech_options.h"
#include "whinchat/transcription.h"

namespace whinchat::cli {
namespace {

// A line each; empty ones are left out.
std::vector<std::string> read_words(const std::string& path) {
  std::ifstream file(path);
  std::vector<std::string> words;
  for (std::string line; std::getline(file, line);) {
    if (!base::trimmed(line).empty()) words.emplace_back(base::trimmed(line));
  }
  if (!file.is_open() || file.bad()) {
    throw CLI::ValidationError("--vocabulary", path + " cannot be read");
  }
  return words;
}

void add_vocabulary(CLI::App& command, std::vector<std::string>& vocabulary) {
  const auto set = [&vocabulary](const std::string& value) {
    vocabulary =
        value.starts_with('@') ? read_words(value.substr(1)) : CLI::detail::split(value, ',');
  };
  command
      .add_option_function<std::string>("--vocabulary", set,
                                        "Words to expect; a file has one a line")
      ->type_name("W,…|@FILE");
}

}  // namespace

void add_prompt_options(CLI::App& command, TranscribeOptions& options) {
  command
      .add_option("--condition-on-previous-text", options.condition_on_previous_text,
                  "Give earlier text to the next window")
      ->type_name("BOOL")
      ->default_str("true");
  command
      .add_option("--prompt-reset-on-repetition", options.prompt_reset_on_repetition,
                  "Without it where a text goes in circles")
      ->type_name("BOOL")
      ->default_str("true");
  command
      .add_option("--initial-prompt", options.initial_prompt,
                  "Text that could stand before: names, spelling")
      ->type_name("TEXT");
  command.add_flag("--carry-initial-prompt", options.carry_initial_prompt,
                   "That text before every window");
  add_vocabulary(command, options.vocabulary);
  command.add_option("--hotwords", options.hotwords, "A text of words to expect, in every window")
      ->type_name("TEXT");
  command.add_option("--prefix", options.prefix, "What the first text begins with; not written")
      ->type_name("TEXT");
}

}  // namespace whinchat::cli
