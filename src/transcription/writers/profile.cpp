#include "transcription/writers/profile.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/json.h"
#include "whinchat/transcription.h"

namespace whinchat::transcription {
namespace {

struct Sum {
  int calls = 0;
  double seconds = 0;
  int64_t flop = 0, read_bytes = 0;
};

std::string head_of(const std::string& name, const std::string& calls, double seconds,
                    double wall_s) {
  return fmt::format("{:<20} {:>7} {:>10.1f} {:>6.1f}%", name, calls, 1000 * seconds,
                     wall_s > 0 ? 100 * seconds / wall_s : 0.0);
}

// Thousands of millions a second; blank where nothing was counted.
std::string rate_of(int64_t amount, double seconds) {
  constexpr double kGiga = 1e9;
  if (amount == 0 || seconds <= 0) return "";
  return fmt::format("{:.1f}", static_cast<double>(amount) / seconds / kGiga);
}

std::string line_of(const std::string& name, const Sum& sum, double wall_s) {
  const std::string line =
      fmt::format("{} {:>9} {:>8}", head_of(name, std::to_string(sum.calls), sum.seconds, wall_s),
                  rate_of(sum.flop, sum.seconds), rate_of(sum.read_bytes, sum.seconds));
  return line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
}

std::string memory_line(const Profile& profile) {
  constexpr double kMega = 1e6;
  if (profile.resident_bytes == 0) return "";
  return fmt::format("memory: {:.0f} MB, {:.0f} MB at its peak\n",
                     static_cast<double>(profile.resident_bytes) / kMega,
                     static_cast<double>(profile.peak_resident_bytes) / kMega);
}

}  // namespace

std::string write_profile(const Profile& profile) {
  std::map<std::string, Sum> by_name;
  double named_s = 0;
  for (const Profile::Span& span : profile.spans) {
    Sum& sum = by_name[span.name];
    ++sum.calls;
    sum.seconds += span.duration_s;
    sum.flop += span.flop;
    sum.read_bytes += span.read_bytes;
    named_s += span.duration_s;
  }
  std::vector<std::pair<std::string, Sum>> sorted(by_name.begin(), by_name.end());
  std::ranges::sort(
      sorted, [](const auto& a, const auto& b) { return a.second.seconds > b.second.seconds; });
  std::string table = fmt::format("{:<20} {:>7} {:>10} {:>7} {:>9} {:>8}\n", "operation", "calls",
                                  "ms", "share", "GFLOP/s", "GB/s");
  for (const auto& [name, sum] : sorted) table += line_of(name, sum, profile.wall_s);
  table += head_of("between operations", "", profile.wall_s - named_s, profile.wall_s) + "\n";
  table += head_of("all", "", profile.wall_s, profile.wall_s) + "\n";
  return table + memory_line(profile);
}

std::string write_chrome_trace(const Profile& profile) {
  constexpr double kMicroseconds = 1e6;
  base::OrderedJson events = base::OrderedJson::array();
  for (const Profile::Span& span : profile.spans) {
    events.push_back({{"name", span.name},
                      {"ph", "X"},
                      {"ts", kMicroseconds * span.start_s},
                      {"dur", kMicroseconds * span.duration_s},
                      {"pid", 1},
                      {"tid", 1},
                      {"args", {{"flop", span.flop}, {"read_bytes", span.read_bytes}}}});
  }
  const base::OrderedJson document = {{"traceEvents", std::move(events)},
                                      {"displayTimeUnit", "ms"}};
  return document.dump() + "\n";
}

}  // namespace whinchat::transcription
