// An option that takes a number, or "none" for no such rule, as in openai-whisper.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "base/error.h"

namespace whinchat::cli {

inline CLI::Option* add_number_or_none(CLI::App& command, const std::string& name,
                                       std::optional<double>& target,
                                       const std::string& description) {
  const std::string shown = target ? fmt::format("{}", *target) : "none";
  const auto set = [&target](const std::string& value) {
    target.reset();
    if (CLI::detail::to_lower(value) != "none") {
      double number = 0;
      if (!CLI::detail::lexical_cast(value, number)) {
        throw CLI::ConversionError("expected a number or none, got " + value);
      }
      target = number;
    }
  };
  return command.add_option_function<std::string>(name, set, description)
      ->type_name("F")
      ->default_str(shown);
}

}  // namespace whinchat::cli
