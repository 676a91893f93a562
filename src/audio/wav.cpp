#include "audio/wav.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "audio/audio_source.h"
#include "audio/byte_source.h"
#include "audio/conditioner.h"
#include "audio/pcm.h"
#include "audio/wav_header.h"
#include "base/error.h"
#include "whinchat/error.h"

namespace whinchat::audio {
namespace {

constexpr size_t kPieceBytes = 65536;

class WavSource final : public AudioSource {
 public:
  WavSource(ByteSource bytes, const WavHeader& header, const OpenOptions& options);

  size_t read(std::span<float> samples) override;
  std::optional<double> duration_s() const override;
  int channels() const override { return conditioner_.channels(); }
  std::vector<std::string> warnings() const override;

 private:
  // Reads and conditions one piece; false at the end.
  bool advance();
  double seconds(uint64_t data_bytes) const;

  ByteSource bytes_;
  WavHeader header_;
  uint64_t data_start_;
  Conditioner conditioner_;
  std::vector<std::byte> piece_;
  uint64_t read_bytes_ = 0;
  bool is_at_end_ = false;
};

WavSource::WavSource(ByteSource bytes, const WavHeader& header, const OpenOptions& options)
    : bytes_(std::move(bytes)),
      header_(header),
      data_start_(bytes_.position()),
      conditioner_(options, bytes_.name()) {
  bytes_.forget_start();
  const size_t frame = header_.frame_bytes();
  piece_.resize(std::max(frame, kPieceBytes / frame * frame));
  advance();
  if (!conditioner_.has_heard()) {
    base::fail(ErrorKind::BadInput, "{} is a WAV file without a single sample of sound",
               bytes_.name());
  }
}

bool WavSource::advance() {
  if (is_at_end_) return false;
  const uint64_t left = header_.data_bytes.value_or(UINT64_MAX) - read_bytes_;
  const auto wanted = static_cast<size_t>(std::min<uint64_t>(left, piece_.size()));
  const std::span<std::byte> piece = std::span(piece_).first(wanted);
  const size_t count = bytes_.read(piece);
  read_bytes_ += count;
  conditioner_.push(
      interleaved_block(header_.format, header_.channels, std::span(piece_).first(count)),
      header_.rate_hz);
  if (count == piece_.size()) return true;
  is_at_end_ = true;
  conditioner_.finish();
  return true;
}

size_t WavSource::read(std::span<float> samples) {
  size_t done = conditioner_.take(samples);
  while (done < samples.size() && advance()) {
    done += conditioner_.take(samples.subspan(done));
  }
  return done;
}

double WavSource::seconds(uint64_t data_bytes) const {
  const uint64_t frames = data_bytes / header_.frame_bytes();
  return static_cast<double>(frames) / header_.rate_hz;
}

std::optional<double> WavSource::duration_s() const {
  if (header_.data_bytes) return seconds(*header_.data_bytes);
  if (const auto size = bytes_.size_bytes()) return seconds(*size - std::min(*size, data_start_));
  return std::nullopt;
}

std::vector<std::string> WavSource::warnings() const {
  std::vector<std::string> result = conditioner_.warnings();
  if (!is_at_end_) return result;
  if (header_.data_bytes && read_bytes_ < *header_.data_bytes) {
    result.push_back(fmt::format("the file ends early: {:.1f} s of {:.1f} s decoded",
                                 seconds(read_bytes_), seconds(*header_.data_bytes)));
  } else if (read_bytes_ % header_.frame_bytes() != 0) {
    const uint64_t rest = read_bytes_ % header_.frame_bytes();
    result.push_back(fmt::format("the sound ends inside a frame: the last {} left out",
                                 rest == 1 ? "byte is" : fmt::format("{} bytes are", rest)));
  }
  return result;
}

}  // namespace

std::unique_ptr<AudioSource> open_wav(ByteSource bytes, const WavHeader& header,
                                      const OpenOptions& options) {
  return std::make_unique<WavSource>(std::move(bytes), header, options);
}

}  // namespace whinchat::audio
