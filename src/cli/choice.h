// An option that takes one of a few words.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/text.h"

namespace whinchat::cli {

template <typename Value>
using Choices = std::vector<std::pair<std::string, Value>>;

// The words in any case, listed in help, man page and completion as a|b. (CLI11's own table of
// names shows numbers to the user.)
template <typename Value>
CLI::Option* add_choice(CLI::App& command, const std::string& names, Value& target,
                        const Choices<Value>& values, const std::string& description) {
  std::vector<std::string> words;
  for (const auto& [word, value] : values) words.push_back(word);
  const std::string type = base::join(words, "|");
  const std::string last = words.back();
  words.pop_back();
  const std::string expected = base::join(words, ", ") + " or " + last;
  const auto transform = [values, expected](std::string& name) {
    for (const auto& [word, value] : values) {
      if (word != CLI::detail::to_lower(name)) continue;
      name = std::to_string(static_cast<int>(value));
      return std::string();
    }
    return fmt::format("expected {}, got {}", expected, name);
  };
  return command.add_option(names, target, description)
      ->type_name(type)
      ->transform(CLI::Validator(transform, ""));
}

}  // namespace whinchat::cli
