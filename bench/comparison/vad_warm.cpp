// bench_vad_warm THREADS OUT.f32: whinchat's side of ./dev bench vad (serve.h): the probabilities
// of speech in each chunk of a file of samples. The first request's go to OUT.f32.

#include <exception>
#include <fstream>
#include <ios>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

#include "models/vad/silero_vad.h"
#include "ops/engine_thread.h"
#include "serve.h"

namespace {

constexpr int kRateHz = 16000;

void write(const std::vector<float>& values, const std::string& path) {
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(values.data()),
             static_cast<std::streamsize>(values.size() * sizeof(float)));
  if (!file.flush()) throw std::runtime_error(path + " cannot be written");
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc != 3) throw std::runtime_error("usage: bench_vad_warm THREADS OUT.f32");
    whinchat::ops::begin_engine_thread();
    const whinchat::models::vad::SileroVad vad(kRateHz, std::stoi(argv[1]));
    bool is_first = true;
    whinchat::bench::serve([&](const std::vector<float>& samples) {
      whinchat::models::vad::SileroVad::State state;
      const std::vector<float> found = vad.probabilities(samples, state);
      if (is_first) write(found, argv[2]);
      is_first = false;
      return std::string();
    });
  } catch (const std::exception& error) {
    std::cerr << "bench_vad_warm: " << error.what() << '\n';
    return 1;
  }
  return 0;
}
