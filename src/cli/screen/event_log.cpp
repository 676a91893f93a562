#include "cli/screen/event_log.h"

#include <cerrno>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <ios>
#include <optional>
#include <ostream>
#include <string>
#include <system_error>
#include <vector>

#include "base/error.h"
#include "base/json.h"
#include "cli/screen/screen_text.h"
#include "cli/screen/workload.h"
#include "whinchat/transcription.h"

namespace whinchat::cli {
namespace {

using base::OrderedJson;

OrderedJson names_of(const std::vector<std::filesystem::path>& files) {
  OrderedJson names = OrderedJson::array();
  for (const std::filesystem::path& file : files) names.push_back(printable(file.string()));
  return names;
}

OrderedJson words_of(const Segment& segment) {
  OrderedJson words = OrderedJson::array();
  for (const Word& word : segment.words) {
    words.push_back({{"word", word.text},
                     {"start", word.start_s},
                     {"end", word.end_s},
                     {"probability", word.probability}});
  }
  return words;
}

// What is not known is null.
OrderedJson rounded(const std::optional<double>& value) {
  constexpr double kStep = 100;
  return value ? OrderedJson(std::round(*value * kStep) / kStep) : OrderedJson();
}

OrderedJson fields_of(const Pace& pace) {
  return {{"done_s", rounded(pace.done_s)},
          {"total_s", rounded(pace.total_s)},
          {"speed", rounded(pace.speed())},
          {"left_s", rounded(pace.left_s())}};
}

}  // namespace

EventLog::EventLog(const std::string& path) : path_(path) {
  if (path_.empty()) return;
  out_.open(path_, std::ios::binary | std::ios::app);
  if (out_) return;
  base::fail(ErrorKind::BadInput, "--json-progress: {} cannot be written: {}", path_,
             std::generic_category().message(errno));
}

void EventLog::write(const char* event, const OrderedJson& fields) {
  if (path_.empty()) return;
  OrderedJson line{{"event", event}};
  line.update(fields);
  out_ << line.dump(-1, ' ', false, OrderedJson::error_handler_t::replace) << '\n' << std::flush;
  if (!out_) base::fail(ErrorKind::Internal, "--json-progress: {} cannot be written", path_);
}

void EventLog::write_of_file(const char* event, const OrderedJson& fields) {
  OrderedJson with_number{{"number", number_}};
  with_number.update(fields);
  write(event, with_number);
}

void EventLog::begin(const std::string& file, size_t number, size_t count) {
  number_ = number;
  write_of_file("begin", {{"count", count}, {"file", printable(file)}});
}

void EventLog::language(const std::string& code, double probability) {
  write_of_file("language", {{"language", code}, {"probability", probability}});
}

void EventLog::segment(const Segment& segment) {
  OrderedJson fields{{"id", segment.id},
                     {"start", segment.start_s},
                     {"end", segment.end_s},
                     {"text", segment.text}};
  if (segment.channel > 0) fields["channel"] = segment.channel;
  if (!segment.language.empty()) fields["language"] = segment.language;
  if (!segment.words.empty()) fields["words"] = words_of(segment);
  write_of_file("segment", fields);
}

void EventLog::progress(const Workload& work, const Pace& file, const Pace& all) {
  OrderedJson fields = fields_of(file);
  fields["all"] = {{"files", work.files()}, {"files_done", work.files_done()}};
  fields["all"].update(fields_of(all));
  write_of_file("progress", fields);
}

void EventLog::done(const Transcription& result, double elapsed_s,
                    const std::vector<std::filesystem::path>& outputs) {
  write_of_file("done", {{"language", result.language},
                         {"duration_s", result.duration_s},
                         {"elapsed_s", elapsed_s},
                         {"cancelled", result.cancelled},
                         {"outputs", names_of(outputs)},
                         {"warnings", result.warnings}});
}

void EventLog::failed(const std::string& message) {
  write_of_file("failed", {{"message", printable(message)}});
}

void EventLog::skipped(const std::vector<std::filesystem::path>& outputs) {
  write_of_file("skipped", {{"outputs", names_of(outputs)}});
}

void EventLog::done_before(const std::vector<std::filesystem::path>& outputs) {
  write_of_file("done_before", {{"outputs", names_of(outputs)}});
}

void EventLog::failed_at_all(const std::string& message) {
  write("failed", {{"message", printable(message)}});
}

void EventLog::summary(const Tally& tally, int status) {
  write("summary", {{"files", tally.files},
                    {"done", tally.done},
                    {"done_before", tally.done_before},
                    {"failed", tally.failed},
                    {"skipped", tally.skipped},
                    {"not_begun", tally.not_begun()},
                    {"status", status}});
}

}  // namespace whinchat::cli
