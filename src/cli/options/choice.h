// An option that takes one of a few words.
#pragma once

#include <CLI/CLI.hpp>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "cli/suggestion.h"
#include "whinchat/option_values.h"

namespace whinchat::cli {

// The words in any case, listed in help, man page and completion as a|b. (CLI11's own table of
// names shows numbers to the user.)
template <typename Value, size_t N>
CLI::Option* add_choice(CLI::App& command, const std::string& names, Value& target,
                        const std::array<Named<Value>, N>& values, const std::string& description) {
  std::string type;
  for (const Named<Value>& each : values)
    type += (type.empty() ? "" : "|") + std::string(each.name);
  const auto check = [values](const std::string& name) {
    if (find_value(values, name)) return std::string();
    std::vector<std::string> known;
    known.reserve(N);
    for (const Named<Value>& each : values) known.emplace_back(each.name);
    return fmt::format("expected {}, got {}{}", list_names(values), name,
                       did_you_mean(name, known));
  };
  const auto set = [&target, values](const std::string& name) {
    target = find_value(values, name).value();
  };
  return command.add_option_function<std::string>(names, set, description)
      ->type_name(type)
      ->check(CLI::Validator(check, ""));
}

}  // namespace whinchat::cli
