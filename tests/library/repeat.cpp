// Transcribes files again and again in one process; resident memory must stay flat.
// usage: repeat MODEL TIMES FILE…
#include <malloc.h>
#include <unistd.h>

#include <cstddef>
#include <exception>
#include <fstream>
#include <iostream>
#include <span>
#include <stdexcept>
#include <string>

#include "whinchat/transcription.h"

namespace {

// By then every buffer that is kept has its size.
constexpr int kWarmUp = 10;
// What cannot be given back moves by this much; a leak of one window's features alone (3 MB at
// tiny.en) would show at once.
#ifdef __SANITIZE_ADDRESS__
constexpr double kMostGrowthMib = 1024;  // it keeps what was freed for a while
#else
constexpr double kMostGrowthMib = 4;
#endif

double resident_mib() {
  // An allocator keeps freed pages, or not, as its chunks happen to lie (46 MiB once, or never):
  // only what it cannot give back is ours.
  ::malloc_trim(0);
  std::ifstream file("/proc/self/statm");
  double pages = 0;
  double resident = 0;
  file >> pages >> resident;
  return resident * static_cast<double>(::sysconf(_SC_PAGESIZE)) / (1 << 20);
}

void repeat(const std::string& model, int times, std::span<char*> files) {
  whinchat::Transcriber transcriber({.model = model});
  std::string text;
  double warm_mib = 0;
  for (int i = 0; i < times; ++i) {
    const int beams = i % 5 == 0 ? 5 : 1;  // beams take three times as long
    const whinchat::Transcription result =
        transcriber.transcribe(files[static_cast<size_t>(i) % files.size()], {.beam_size = beams});
    if (text.empty()) text = result.text;
    if (result.text.empty()) throw std::runtime_error("a transcription has no words");
    if (i + 1 == kWarmUp) warm_mib = resident_mib();
  }
  const double growth_mib = resident_mib() - warm_mib;
  std::cout << text << '\n'
            << times << " transcriptions: " << warm_mib << " MiB resident after " << kWarmUp << ", "
            << growth_mib << " MiB more at the end\n";
  if (growth_mib > kMostGrowthMib) throw std::runtime_error("resident memory grew");
}

}  // namespace

int main(int count, char** first_word) {
  const std::span words(first_word, static_cast<size_t>(count));
  try {
    if (words.size() < 4) throw std::runtime_error("usage: repeat MODEL TIMES FILE…");
    const int times = std::stoi(words[2]);
    if (times <= kWarmUp) throw std::runtime_error("expected more than 10 times");
    repeat(words[1], times, words.subspan(3));
    return 0;
  } catch (const std::exception& error) {
    std::cerr << "repeat: " << error.what() << '\n';
    return 1;
  }
}
