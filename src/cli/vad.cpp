#include "cli/vad.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <exception>
#include <filesystem>
#include <functional>
#include <iostream>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <system_error>
#include <vector>

#include "base/error.h"
#include "base/json.h"
#include "cli/files/output_files.h"
#include "cli/files/wav_file.h"
#include "cli/interrupt.h"
#include "cli/options/choice.h"
#include "cli/options/clock_time.h"
#include "cli/options/span_options.h"
#include "cli/screen/progress.h"
#include "cli/screen/workload.h"
#include "whinchat/option_values.h"
#include "whinchat/vad.h"

namespace whinchat::cli {
namespace {

enum class Shape { Tsv, Json };

constexpr auto kShapes = std::to_array<Named<Shape>>({{"tsv", Shape::Tsv}, {"json", Shape::Json}});

struct Request {
  std::string file;
  FindSpeechOptions options;
  std::vector<double> clip;
  Shape shape = Shape::Tsv;
  std::string output;
  bool probabilities = false;
  bool quiet = false;
};

long long milliseconds(double seconds) { return std::llround(seconds * 1000); }

double rounded(double seconds) { return std::round(seconds * 1000) / 1000; }

// One file, from its first sample to what is said of it.
class Search {
 public:
  explicit Search(const Request& request)
      : request_(request), interrupt_(request.quiet), progress_(std::cerr, request.quiet) {}

  int run();

 private:
  FindSpeechCallbacks callbacks();
  void show(double done_s, std::optional<double> total_s);
  void begin_table();
  void print_row(const std::string& row);
  void print_line(const std::string& line);
  void print_document(const Speech& speech);
  void finish(const Speech& speech);

  const Request& request_;
  const Interrupt interrupt_;  // first of all that may start a thread
  Progress progress_;
  std::optional<WavFile> wav_;
  std::vector<float> probabilities_;
  bool has_table_ = false;
};

// A short one needs no progress.
void Search::show(double done_s, std::optional<double> total_s) {
  constexpr double kSoon = 2;
  if (progress_.elapsed_s() < kSoon) return;
  const double start_s = request_.options.start_s;
  if (request_.options.end_s) total_s = std::min(total_s.value_or(done_s), *request_.options.end_s);
  Pace pace{.done_s = done_s - start_s, .elapsed_s = progress_.elapsed_s()};
  if (total_s && *total_s >= done_s) pace.total_s = *total_s - start_s;
  progress_.show(pace, pace);
}

// Once the first row is there, or it is known that there is none.
void Search::begin_table() {
  if (has_table_) return;
  has_table_ = true;
  print_line(request_.probabilities ? "start\tprobability" : "start\tend");
}

void Search::print_row(const std::string& row) {
  begin_table();
  print_line(row);
}

void Search::print_line(const std::string& line) {
  progress_.clear();
  std::cout << line << '\n';
  flush_standard_output();
}

FindSpeechCallbacks Search::callbacks() {
  FindSpeechCallbacks callbacks{.stop = interrupt_.token()};
  callbacks.on_progress = [this](double done_s, std::optional<double> total_s) {
    show(done_s, total_s);
  };
  if (wav_) {
    callbacks.on_samples = [this](std::span<const float> samples) { wav_->write(samples); };
  }
  if (request_.shape == Shape::Json) {
    if (!request_.probabilities) return callbacks;
    callbacks.on_probability = [this](double, float value) { probabilities_.push_back(value); };
  } else if (request_.probabilities) {
    callbacks.on_probability = [this](double start_s, float probability) {
      print_row(fmt::format("{}\t{:.6f}", milliseconds(start_s), probability));
    };
  } else {
    callbacks.on_segment = [this](const SpeechSegment& segment) {
      print_row(fmt::format("{}\t{}", milliseconds(segment.start_s), milliseconds(segment.end_s)));
    };
  }
  return callbacks;
}

void Search::print_document(const Speech& speech) {
  base::OrderedJson segments = base::OrderedJson::array();
  for (const SpeechSegment& segment : speech.segments) {
    segments.push_back({{"start", rounded(segment.start_s)}, {"end", rounded(segment.end_s)}});
  }
  base::OrderedJson document{{"sampling_rate", request_.options.sampling_rate_hz},
                             {"start", rounded(request_.options.start_s)},
                             {"end", rounded(speech.end_s)},
                             {"segments", segments}};
  if (request_.probabilities) {
    base::OrderedJson& all = document["probabilities"] = base::OrderedJson::array();
    for (const float value : probabilities_) all.push_back(std::round(double{value} * 1e6) / 1e6);
  }
  print_line(document.dump(1));
}

void Search::finish(const Speech& speech) {
  if (request_.shape == Shape::Json) {
    print_document(speech);
  } else {
    begin_table();
  }
  progress_.clear();
  for (const std::string& warning : speech.warnings) progress_.note("warning: " + warning);
  if (speech.cancelled) {
    progress_.note(fmt::format("interrupted: {:.1f} s heard", speech.end_s));
  } else if (wav_) {
    wav_->finish();
  }
}

int Search::run() {
  progress_.start(request_.file);
  try {
    if (!request_.output.empty()) {
      wav_.emplace(request_.output, request_.options.sampling_rate_hz);
    }
    const Speech speech = find_speech(request_.file, request_.options, callbacks());
    finish(speech);
  } catch (const std::exception& error) {
    if (!std::cout) throw;
    progress_.note(error.what());
    return 1;
  }
  return interrupt_.is_requested() ? interrupt_.status() : 0;
}

void require_other_file(const Request& request) {
  std::error_code ignored;
  if (request.output.empty() ||
      !std::filesystem::equivalent(request.file, request.output, ignored)) {
    return;
  }
  base::fail(ErrorKind::BadInput, "--output: expected another file than the one that is heard");
}

int run(Request request) {
  if (!request.clip.empty()) request.options.start_s = request.clip.front();
  if (request.clip.size() > 1) request.options.end_s = request.clip.back();
  check_find_speech_options(request.options);
  require_other_file(request);
  return Search(request).run();
}

void add_options(CLI::App& command, Request& request) {
  const auto begin_part = [&](const char* title) { command.option_defaults()->group(title); };
  begin_part("What is heard");
  command.add_option("FILE", request.file, "Audio or video; - is standard input")
      ->type_name("")
      ->required();
  command
      .add_option("--sampling-rate", request.options.sampling_rate_hz, "What the model hears at")
      ->type_name("16000|8000")
      ->capture_default_str();
  command.add_option("--channel", request.options.channel, "Hear one, from 1; else their average")
      ->type_name("N")
      ->check(CLI::Range(1, 65535).description(""));
  add_clip_options(command, request.clip);
  begin_part("What is speech");
  add_span_options(command, "--", request.options.vad);
  add_cut_options(command, request.options.vad);
  begin_part("Output");
  add_choice(command, "-f,--output-format", request.shape, kShapes, "Times in ms, or in seconds");
  command.add_flag("--probabilities", request.probabilities, "Of every 32 ms; tsv has them alone");
  command.add_option("--output", request.output, "The speech alone, as a WAV file")
      ->type_name("FILE");
  command.add_flag("-q,--quiet", request.quiet, "No progress on standard error");
}

}  // namespace

std::function<int()> add_vad(CLI::App& app) {
  const auto request = std::make_shared<Request>();
  CLI::App* command = app.add_subcommand("vad", "Say where speech is in a file");
  add_options(*command, *request);
  return [request] { return run(*request); };
}

}  // namespace whinchat::cli
