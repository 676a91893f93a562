#include "transcription/writers/profile.h"

#include <algorithm>
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
};

std::string line_of(const std::string& name, const std::string& calls, double seconds,
                    double wall_s) {
  return fmt::format("{:<20} {:>7} {:>10.1f} {:>6.1f}%\n", name, calls, 1000 * seconds,
                     wall_s > 0 ? 100 * seconds / wall_s : 0.0);
}

}  // namespace

std::string write_profile(const Profile& profile) {
  std::map<std::string, Sum> by_name;
  double named_s = 0;
  for (const Profile::Span& span : profile.spans) {
    Sum& sum = by_name[span.name];
    ++sum.calls;
    sum.seconds += span.duration_s;
    named_s += span.duration_s;
  }
  std::vector<std::pair<std::string, Sum>> sorted(by_name.begin(), by_name.end());
  std::ranges::sort(
      sorted, [](const auto& a, const auto& b) { return a.second.seconds > b.second.seconds; });
  std::string table =
      fmt::format("{:<20} {:>7} {:>10} {:>7}\n", "operation", "calls", "ms", "share");
  for (const auto& [name, sum] : sorted) {
    table += line_of(name, std::to_string(sum.calls), sum.seconds, profile.wall_s);
  }
  table += line_of("between operations", "", profile.wall_s - named_s, profile.wall_s);
  return table + line_of("all", "", profile.wall_s, profile.wall_s);
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
                      {"tid", 1}});
  }
  const base::OrderedJson document = {{"traceEvents", std::move(events)},
                                      {"displayTimeUnit", "ms"}};
  return document.dump() + "\n";
}

}  // namespace whinchat::transcription
