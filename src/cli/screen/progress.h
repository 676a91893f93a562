// One line of progress on a terminal, rewritten in place; on a pipe or file only the last state of
// each file. One thread at a time.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>

#include "cli/screen/workload.h"

namespace whinchat::cli {

// "78.1 MB", "1.62 GB"
std::string size_text(uint64_t bytes);

// Which one of several it is, from 1.
struct Place {
  size_t number = 1, count = 1;
};

class Progress {
 public:
  // `quiet` leaves only note().
  Progress(std::ostream& out, bool quiet);
  Progress(std::ostream& out, bool quiet, int width);  // width: 0 is no terminal
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress() { clear(); }

  void start(const std::string& label, Place place = {});
  // As much of this as the terminal's line holds, some times a second.
  void show(const Pace& file, const Pace& all);
  void finish(double total_s);  // seconds of sound
  double elapsed_s() const;     // since the start
  // The same for bytes that are fetched; where there is no terminal, a first and a last line.
  void start_transfer(const std::string& label, uint64_t done_bytes, uint64_t total_bytes);
  void show_transfer(uint64_t done_bytes, uint64_t total_bytes);
  void finish_transfer(uint64_t total_bytes);
  void say(const std::string& line);         // a line of its own, unless quiet
  void remark(const std::string& sentence);  // "whinchat: sentence", unless quiet
  // "whinchat: LABEL: sentence", or without the label where the sentence names it.
  void note(const std::string& sentence);
  void clear();  // makes room for other output on the terminal

 private:
  int width() const;
  bool is_due();  // some time has gone by since the last was
  std::string place_text() const;
  void rewrite(const std::string& line);

  std::ostream& out_;
  bool quiet_;
  std::optional<int> width_;  // else the terminal's, which may change
  std::string shown_;         // what stands on the line
  std::string label_;
  Place place_;
  std::chrono::steady_clock::time_point begin_;
  std::chrono::steady_clock::time_point shown_at_;
  uint64_t begin_bytes_ = 0;
};

}  // namespace whinchat::cli
