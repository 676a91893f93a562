// bench_transcribe_warm: whinchat's side of ./dev bench peers (serve.h), through the public face
// alone.

#include <cstddef>
#include <exception>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

#include "serve.h"
#include "whinchat/option_values.h"
#include "whinchat/transcription.h"

namespace {

struct Options {
  whinchat::ModelOptions model;
  // Without fallback, as the peers; what is heard is said for all of them.
  whinchat::TranscribeOptions transcribe{
      .vad_filter = false, .temperatures = {0.0}, .beam_size = 1};
};

whinchat::Compute compute_named(const std::string& name) {
  const auto compute = whinchat::find_value(whinchat::kComputes, name);
  if (!compute) throw std::runtime_error("--compute: expected a type, got " + name);
  return *compute;
}

void set_option(Options& options, const std::string& name, const std::string& value) {
  if (name == "--model") {
    options.model.model = value;
  } else if (name == "--language") {
    options.transcribe.language = value;
  } else if (name == "--compute") {
    options.model.compute = compute_named(value);
  } else if (name == "--threads") {
    options.model.threads = std::stoi(value);
  } else if (name == "--beam-size") {
    options.transcribe.beam_size = std::stoi(value);
  } else if (name == "--condition-on-previous-text") {
    options.transcribe.condition_on_previous_text = value == "True";
  } else if (name == "--vad-filter") {
    options.transcribe.vad_filter = value == "True";
  } else if (name == "--share-windows") {
    options.transcribe.share_windows = value == "True";
  } else {
    throw std::runtime_error(name + " is no option of this program");
  }
}

// Some of `whinchat transcribe`'s, by its names.
Options read_options(const std::vector<std::string>& args) {
  Options options;
  for (size_t i = 0; i < args.size(); ++i) {
    if (args[i] == "--faithful") {
      options.model.faithful = true;
    } else if (i + 1 < args.size()) {
      set_option(options, args[i], args[i + 1]);
      ++i;
    } else {
      throw std::runtime_error(args[i] + ": expected a value");
    }
  }
  return options;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const Options options = read_options({argv + 1, argv + argc});
    whinchat::Transcriber transcriber(options.model);
    whinchat::bench::serve([&](const std::vector<float>& samples) {
      return transcriber.transcribe(samples, options.transcribe).text;
    });
  } catch (const std::exception& error) {
    std::cerr << "bench_transcribe_warm: " << error.what() << '\n';
    return 1;
  }
  return 0;
}
