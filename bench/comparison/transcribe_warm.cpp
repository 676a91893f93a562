// bench_transcribe_warm: whinchat's side of ./dev bench peers, through the public face alone.
// Loads the model and prints a line. Then each line of standard input names a file of f32 samples,
// mono at 16 kHz, and gets one line of JSON: seconds, text. Reading the file is not timed.

#include <chrono>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <fstream>
#include <iostream>
#include <ostream>
#include <stdexcept>
#include <string>
#include <vector>

#include "whinchat/option_values.h"
#include "whinchat/transcription.h"

namespace {

struct Options {
  whinchat::ModelOptions model;
  // Greedy without fallback, as the peers.
  whinchat::TranscribeOptions transcribe{.temperatures = {0.0}, .beam_size = 1};
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

std::vector<float> read_samples(const std::string& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) throw std::runtime_error(path + " cannot be read");
  std::vector<float> samples(static_cast<size_t>(file.tellg()) / sizeof(float));
  file.seekg(0);
  file.read(reinterpret_cast<char*>(samples.data()),
            static_cast<std::streamsize>(samples.size() * sizeof(float)));
  if (!file) throw std::runtime_error(path + " ended early");
  return samples;
}

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      result += {'\\', c};
    } else if (static_cast<unsigned char>(c) < 0x20) {
      char code[7];
      std::snprintf(code, sizeof(code), "\\u%04x", static_cast<unsigned>(c));
      result += code;
    } else {
      result += c;
    }
  }
  return result + '"';
}

void answer(whinchat::Transcriber& transcriber, const whinchat::TranscribeOptions& options,
            const std::string& path) {
  const std::vector<float> samples = read_samples(path);
  const auto start = std::chrono::steady_clock::now();
  const whinchat::Transcription result = transcriber.transcribe(samples, options);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  std::cout << R"({"seconds": )" << seconds.count() << R"(, "text": )" << quoted(result.text)
            << "}\n"
            << std::flush;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const Options options = read_options({argv + 1, argv + argc});
    whinchat::Transcriber transcriber(options.model);
    std::cout << "{}\n" << std::flush;
    for (std::string path; std::getline(std::cin, path);) {
      answer(transcriber, options.transcribe, path);
    }
  } catch (const std::exception& error) {
    std::cerr << "bench_transcribe_warm: " << error.what() << '\n';
    return 1;
  }
  return 0;
}
