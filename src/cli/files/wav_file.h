// A WAV file of 16 bits, one channel, while its samples come: written as .part and renamed when it
// is whole, so that it appears whole or not at all.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <span>

namespace whinchat::cli {

class WavFile {
 public:
  // Throws Error{BadInput} with the reason, as all of it does.
  WavFile(std::filesystem::path path, int rate_hz);
  ~WavFile();  // removes what was not finished
  WavFile(const WavFile&) = delete;
  WavFile& operator=(const WavFile&) = delete;

  // In −1 … 1; what is louder is cut off.
  void write(std::span<const float> samples);
  void finish();

 private:
  void write_header();
  void require_written();

  std::filesystem::path path_, part_;
  int rate_hz_;
  std::ofstream file_;
  uint64_t data_bytes_ = 0;
  bool is_finished_ = false;
};

}  // namespace whinchat::cli
