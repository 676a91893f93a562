#include "service/recording.h"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "audio/audio_source.h"
#include "whinchat/error.h"

namespace whinchat::service {
namespace {

constexpr size_t kPieceSamples = size_t{30} * audio::kSampleRate;

}  // namespace

Recording::Recording(std::filesystem::path file, const audio::OpenOptions& options,
                     size_t kept_samples)
    : file_(std::move(file)), options_(options) {
  kept_.reserve(kept_samples + kPieceSamples);  // of which pages are there once they are filled
  while (kept_.size() < kept_samples) {
    const std::vector<float> piece = next_piece();
    if (piece.empty()) break;
    kept_.insert(kept_.end(), piece.begin(), piece.end());
  }
  is_whole_ = kept_.size() < kept_samples;
}

bool Recording::can_be_read_again() const { return is_whole_ || audio::can_open_again(file_); }

void Recording::read(const std::function<bool(std::span<const float>)>& take) {
  for (size_t begin = 0; begin < kept_.size(); begin += kPieceSamples) {
    was_stopped_ = was_stopped_ || options_.stop.stop_requested();
    if (was_stopped_) return;
    if (!take(std::span(kept_).subspan(begin, std::min(kPieceSamples, kept_.size() - begin))))
      return;
  }
  if (is_whole_) return;
  std::vector<float>().swap(kept_);
  while (true) {
    const std::vector<float> piece = next_piece();
    if (piece.empty() || !take(piece)) break;
  }
  source_.reset();
}

// Empty at the end.
std::vector<float> Recording::next_piece() {
  std::vector<float> piece;
  try {
    if (!source_) source_ = audio::open_audio(file_, options_);
    piece = audio::read_piece(*source_, kPieceSamples, options_.stop);
    warnings_ = source_->warnings();
  } catch (const Error&) {
    if (!options_.stop.stop_requested()) throw;
  }
  was_stopped_ = was_stopped_ || options_.stop.stop_requested();
  return piece;
}

}  // namespace whinchat::service
