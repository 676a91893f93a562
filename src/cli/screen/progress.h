// One line of progress on a terminal, rewritten in place; on a pipe or file only the last state of
// each file. One thread at a time.
#pragma once

#include <chrono>
#include <cstdint>
#include <iosfwd>
#include <string>

namespace whinchat::cli {

// "78.1 MB", "1.62 GB"
std::string size_text(uint64_t bytes);

class Progress {
 public:
  // `quiet` leaves only note().
  Progress(std::ostream& out, bool quiet);
  Progress(std::ostream& out, bool quiet, int width);  // width: 0 is no terminal
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress() { clear(); }

  // `place` says which one of several it is: "file 3 of 12".
  void start(const std::string& label, const std::string& place = "");
  void show(double done_s, double total_s);  // seconds of audio
  void finish(double total_s);
  double elapsed_s() const;  // since the start
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
  void rewrite(const std::string& line);
  std::string speed(double done_s) const;

  std::ostream& out_;
  bool quiet_;
  int width_;
  bool shown_ = false;
  std::string label_;
  std::string place_;  // with ": " behind it, or empty
  std::chrono::steady_clock::time_point begin_;
  std::chrono::steady_clock::time_point shown_at_;
  uint64_t begin_bytes_ = 0;
};

}  // namespace whinchat::cli
