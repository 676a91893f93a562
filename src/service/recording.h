// A recording's samples, given out in pieces, as often as they can be had: those of a short one are
// kept, a long one's file is read again, and a long pipe is heard once. One thread at a time.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "audio/audio_source.h"

namespace whinchat::service {

class Recording {
 public:
  // So much is kept: 5 minutes.
  static constexpr size_t kKeptSamples = size_t{300} * audio::kSampleRate;

  // Reads what is kept. Throws as audio::open_audio(), unless a stop cut it short: that is the end.
  Recording(std::filesystem::path file, const audio::OpenOptions& options,
            size_t kept_samples = kKeptSamples);

  bool can_be_read_again() const;

  // Gives the samples out, at most 30 s at once, until a stop, the end, or `take` wants no more;
  // throws what that throws.
  void read(const std::function<bool(std::span<const float>)>& take);

  bool was_stopped() const { return was_stopped_; }  // before the end
  // Complete once all is read.
  std::vector<std::string> warnings() const { return warnings_; }

 private:
  std::vector<float> next_piece();

  std::filesystem::path file_;
  audio::OpenOptions options_;
  std::unique_ptr<audio::AudioSource> source_;
  std::vector<float> kept_;  // from the beginning, the source being right behind it
  bool is_whole_ = false;    // and that is all
  bool was_stopped_ = false;
  std::vector<std::string> warnings_;
};

}  // namespace whinchat::service
