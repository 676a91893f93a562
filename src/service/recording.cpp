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
  std::vector<float> piece;
  while (kept_.size() < kept_samples && read_piece(piece)) {
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
  std::vector<float> piece;
  while (read_piece(piece) && take(piece)) {
  }
  source_.reset();
}

// False at the end; the last piece is shorter.
bool Recording::read_piece(std::vector<float>& piece) {
  piece.resize(kPieceSamples);
  size_t filled = 0;
  try {
    if (!source_) source_ = audio::open_audio(file_, options_);
    while (filled < piece.size() && !options_.stop.stop_requested()) {
      const size_t count = source_->read(std::span(piece).subspan(filled));
      if (count == 0) break;
      filled += count;
    }
    warnings_ = source_->warnings();
  } catch (const Error&) {
    if (!options_.stop.stop_requested()) throw;
  }
  was_stopped_ = was_stopped_ || options_.stop.stop_requested();
  piece.resize(was_stopped_ ? 0 : filled);
  return !piece.empty();
}

}  // namespace whinchat::service
