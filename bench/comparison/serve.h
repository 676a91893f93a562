// The loop of a program that ./dev bench peers times: the model stays loaded. Prints a line; then
// each line of standard input names a file of f32 samples, mono at 16 kHz, and gets one line of
// JSON: seconds, text. Reading the file is not timed. Built beside whisper.cpp too: C++ alone.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

namespace whinchat::bench {

inline std::vector<float> read_samples(const std::string& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) throw std::runtime_error(path + " cannot be read");
  std::vector<float> samples(static_cast<size_t>(file.tellg()) / sizeof(float));
  file.seekg(0);
  file.read(reinterpret_cast<char*>(samples.data()),
            static_cast<std::streamsize>(samples.size() * sizeof(float)));
  if (!file) throw std::runtime_error(path + " ended early");
  return samples;
}

inline std::string quoted(const std::string& text) {
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

// transcribe(samples) → text.
template <typename Transcribe>
void serve(const Transcribe& transcribe) {
  std::cout << "{}\n" << std::flush;
  for (std::string path; std::getline(std::cin, path);) {
    const std::vector<float> samples = read_samples(path);
    const auto start = std::chrono::steady_clock::now();
    const std::string text = transcribe(samples);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    std::cout << R"({"seconds": )" << seconds.count() << R"(, "text": )" << quoted(text) << "}\n"
              << std::flush;
  }
}

}  // namespace whinchat::bench
