#include "cli/options/clock_time.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/error.h"

namespace whinchat::cli {
namespace {

constexpr double kBase = 60;  // seconds of a minute, minutes of an hour
constexpr size_t kMostParts = 3;

bool is_digit(char letter) { return letter >= '0' && letter <= '9'; }

// Digits, and a fraction where one may be.
std::optional<double> parse_part(std::string_view text, bool may_have_fraction) {
  const size_t point = may_have_fraction ? text.find('.') : std::string_view::npos;
  const std::string_view whole = text.substr(0, point);
  const bool has_fraction = point != std::string_view::npos;
  const std::string_view fraction = has_fraction ? text.substr(point + 1) : "0";
  for (const std::string_view digits : {whole, fraction}) {
    if (digits.empty() || !std::ranges::all_of(digits, is_digit)) return std::nullopt;
  }
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || !std::isfinite(value)) return std::nullopt;
  return value;
}

// Two digits before a fraction.
bool is_below_sixty(std::string_view part) {
  return part.substr(0, part.find('.')).size() == 2 && part.front() < '6';
}

double clock_time_of(const std::string& name, const std::string& text) {
  const std::optional<double> seconds = parse_clock_time(text);
  if (!seconds) {
    throw CLI::ValidationError(
        name, fmt::format("expected a time from 0 on, as 90, 1:30 or 1:02:03.5, got {}", text));
  }
  return *seconds;
}

}  // namespace

std::optional<double> parse_clock_time(std::string_view text) {
  double seconds = 0;
  for (size_t part = 0; part < kMostParts; ++part) {
    const size_t colon = text.find(':');
    const bool is_last = colon == std::string_view::npos;
    const std::string_view number = text.substr(0, colon);
    const std::optional<double> value = parse_part(number, is_last);
    if (!value || (part > 0 && !is_below_sixty(number))) return std::nullopt;
    seconds = seconds * kBase + *value;
    if (is_last) return std::isfinite(seconds) ? std::optional(seconds) : std::nullopt;
    text.remove_prefix(colon + 1);
  }
  return std::nullopt;
}

std::string clock_text(double seconds) {
  constexpr double kMost = 1e15;
  if (!(seconds >= 0) || seconds > kMost) return "?";
  constexpr int64_t kMinute = 60;
  constexpr int64_t kHour = 60 * kMinute;
  const int64_t all = std::llround(seconds);
  const std::string end = fmt::format("{:02}", all % kMinute);
  if (all < kHour) return fmt::format("{}:{}", all / kMinute, end);
  return fmt::format("{}:{:02}:{}", all / kHour, all % kHour / kMinute, end);
}

ClipOptions add_clip_options(CLI::App& command, std::vector<double>& clip) {
  const auto set_start = [&clip](const std::string& text) {
    clip = {clock_time_of("--start", text)};
  };
  // The parser comes to this one after --start, wherever they were typed.
  const auto set_end = [&clip](const std::string& text) {
    const double start = clip.empty() ? 0 : clip.front();
    const double end = clock_time_of("--end", text);
    if (end <= start) {
      throw CLI::ValidationError(
          "--end", fmt::format("expected a time after the start, {} s, got {} s", start, end));
    }
    clip = {start, end};
  };
  return {command
              .add_option_function<std::string>("--start", set_start,
                                                "Hear nothing before: seconds, M:SS or H:MM:SS")
              ->type_name("TIME"),
          command.add_option_function<std::string>("--end", set_end, "Nor anything after")
              ->type_name("TIME")};
}

}  // namespace whinchat::cli
