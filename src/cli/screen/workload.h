// How much sound of several files was heard, how fast, and how much is left. What is not begun is
// estimated: by its bytes, from files of the same kind that were heard.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace whinchat::cli {

// Seconds of sound, on a clock of seconds; unset: not known (yet).
struct Pace {
  double done_s = 0;
  std::optional<double> total_s;
  double elapsed_s = 0;  // on the clock

  std::optional<double> speed() const;   // times real time
  std::optional<double> left_s() const;  // on the clock
};

struct Load {
  std::string kind;              // as of its extension
  std::optional<uint64_t> size;  // in bytes, where they say how long it may be
};

class Workload {
 public:
  explicit Workload(std::vector<Load> files);

  void leave_out(size_t file);  // there is nothing to hear of it
  void begin(size_t file);
  // Of the file that was begun last; a total that is not above 0 is not known.
  void hear(double done_s, double total_s);
  void finish();  // with what was heard of it so far

  size_t files() const { return files_.size(); }
  size_t files_done() const { return files_done_; }  // or left out
  Pace file(double elapsed_s) const;                 // the one that was begun last
  Pace all(double elapsed_s) const;                  // the total may be an estimate

 private:
  struct Heard {
    double seconds = 0;
    double bytes = 0;
  };

  std::optional<double> total_s() const;

  std::vector<Load> files_;
  std::vector<bool> is_ahead_;  // neither begun nor left out
  std::map<std::string, Heard> heard_;
  size_t current_ = 0;
  size_t files_done_ = 0;
  double done_s_ = 0;  // of the files that are finished
  Pace pace_;          // of the one in hand
};

}  // namespace whinchat::cli
