// decode_audio FILE OUT.f32: the samples that whinchat hears, for oracles that must hear the same.

#include <exception>
#include <fstream>
#include <iostream>
#include <vector>

#include "audio/audio_source.h"

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: decode_audio FILE OUT.f32\n";
    return 2;
  }
  try {
    const auto source = whinchat::audio::open_audio(argv[1]);
    const std::vector<float> samples = whinchat::audio::read_all(*source);
    std::ofstream out(argv[2], std::ios::binary);
    out.write(reinterpret_cast<const char*>(samples.data()),
              static_cast<std::streamsize>(samples.size() * sizeof(float)));
    return out.flush() ? 0 : 1;
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
