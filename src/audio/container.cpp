#include "audio/container.h"

extern "C" {
#include <libavcodec/codec_id.h>
#include <libavcodec/codec_par.h>
#include <libavcodec/packet.h>
#include <libavformat/avformat.h>
}

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "audio/audio_source.h"
#include "audio/byte_source.h"
#include "audio/conditioner.h"
#include "audio/decoder.h"
#include "audio/demuxer.h"
#include "audio/mp3_frame.h"
#include "audio/pcm.h"
#include "base/error.h"
#include "whinchat/error.h"

namespace whinchat::audio {
namespace {

// Headers count priming and padding samples that are not heard.
constexpr double kToleranceSeconds = 0.2;

struct FreePacket {
  void operator()(AVPacket* packet) const { av_packet_free(&packet); }
};

class ContainerSource final : public AudioSource {
 public:
  ContainerSource(ByteSource bytes, const OpenOptions& options);

  size_t read(std::span<float> samples) override;
  std::optional<double> duration_s() const override { return demuxer_.duration_s(); }
  int channels() const override { return conditioner_.channels(); }
  std::vector<std::string> warnings() const override;

 private:
  // Decodes one packet; false at the end.
  bool advance();
  void decode(const AVPacket* packet);
  void note_cut(const AVPacket& packet, bool is_whole);
  void end();
  bool is_short() const;
  [[noreturn]] void fail_silent() const;

  Demuxer demuxer_;
  Decoder decoder_;
  Conditioner conditioner_;
  std::unique_ptr<AVPacket, FreePacket> packet_;
  bool is_at_end_ = false;
  bool is_cut_ = false;  // the end is seen to be missing
  size_t packets_ = 0;
  size_t damaged_ = 0;         // packets with sound after them
  size_t damaged_at_end_ = 0;  // packets with none after them: a tag, perhaps
  double first_damage_s_ = 0;
  std::optional<double> first_gap_s_;
};

ContainerSource::ContainerSource(ByteSource bytes, const OpenOptions& options)
    : demuxer_(std::move(bytes)),
      decoder_(demuxer_.stream(), demuxer_.name()),
      conditioner_(options, demuxer_.name()),
      packet_(av_packet_alloc()) {
  if (!packet_) base::fail(ErrorKind::Internal, "no memory to read {}", demuxer_.name());
  while (!conditioner_.has_heard() && advance()) {
  }
  if (!conditioner_.has_heard()) fail_silent();
}

void ContainerSource::fail_silent() const {
  if (packets_ == 0) demuxer_.fail_damaged("the file ends after its header");
  const char* codec = avcodec_get_name(demuxer_.stream().codecpar->codec_id);
  demuxer_.fail_damaged(fmt::format("none of its {} data can be decoded", codec));
}

size_t ContainerSource::read(std::span<float> samples) {
  size_t done = conditioner_.take(samples);
  while (done < samples.size() && advance()) {
    done += conditioner_.take(samples.subspan(done));
  }
  return done;
}

bool ContainerSource::advance() {
  if (is_at_end_) return false;
  if (demuxer_.read_packet(*packet_)) {
    ++packets_;
    if (!first_gap_s_ && demuxer_.missing_s() > 0) first_gap_s_ = conditioner_.heard_s();
    decode(packet_.get());
  } else {
    end();
  }
  return true;
}

void ContainerSource::decode(const AVPacket* packet) {
  const double before_s = conditioner_.heard_s();
  bool is_whole = packet == nullptr ||
                  (static_cast<unsigned>(packet->flags) & unsigned{AV_PKT_FLAG_CORRUPT}) == 0;
  const bool is_decoded = decoder_.decode(packet, [&](const PcmBlock& block, int rate_hz) {
    if (conditioner_.has_heard() && !Conditioner::can_hear(rate_hz)) {
      is_whole = false;
    } else {
      conditioner_.push(block, rate_hz);
    }
  });
  if (packet != nullptr) note_cut(*packet, is_decoded && is_whole);
  if (conditioner_.heard_s() > before_s) damaged_ += std::exchange(damaged_at_end_, 0);
  if (is_decoded && is_whole) return;
  if (damaged_ + damaged_at_end_ == 0) first_damage_s_ = before_s;
  ++damaged_at_end_;
}

// In the end this speaks of the last packet. In MP3 files a tag or padding there is no damage.
void ContainerSource::note_cut(const AVPacket& packet, bool is_whole) {
  const bool is_mp3 = demuxer_.stream().codecpar->codec_id == AV_CODEC_ID_MP3;
  const std::span data(packet.data, static_cast<size_t>(packet.size));
  is_cut_ = is_mp3 ? is_cut_mp3_frame(std::as_bytes(data)) : !is_whole;
}

void ContainerSource::end() {
  is_at_end_ = true;
  decode(nullptr);
  conditioner_.finish();
  if (demuxer_.lacks_end_mark()) is_cut_ = true;
}

bool ContainerSource::is_short() const {
  if (is_cut_ || !demuxer_.failure().empty()) return true;
  const double heard_s = conditioner_.heard_s() + demuxer_.missing_s();
  const double reached_s =
      demuxer_.has_stream_claim() ? heard_s : std::max(heard_s, demuxer_.reached_s());
  return reached_s < demuxer_.claimed_s().value_or(0) - kToleranceSeconds;
}

std::vector<std::string> ContainerSource::warnings() const {
  std::vector<std::string> result = conditioner_.warnings();
  if (damaged_ > 0) {
    result.push_back(fmt::format("{} damaged piece{} left out, the first at {:.1f} s", damaged_,
                                 damaged_ == 1 ? " was" : "s were", first_damage_s_));
  }
  if (first_gap_s_) {
    result.push_back(fmt::format("{:.1f} s of the sound are missing, the first from {:.1f} s on",
                                 demuxer_.missing_s(), *first_gap_s_));
  }
  if (!is_at_end_ || !is_short()) return result;
  const std::optional<double> claimed_s = demuxer_.claimed_s();
  const std::string decoded = fmt::format("{:.1f} s", conditioner_.heard_s());
  const bool has_more = claimed_s && *claimed_s > conditioner_.heard_s() + kToleranceSeconds;
  const std::string of = has_more ? fmt::format(" of {:.1f} s", *claimed_s) : "";
  const std::string& failure = demuxer_.failure();
  result.push_back(fmt::format("the file ends early: {}{} decoded{}{}", decoded, of,
                               failure.empty() ? "" : "; ", failure));
  return result;
}

}  // namespace

std::unique_ptr<AudioSource> open_container(ByteSource bytes, const OpenOptions& options) {
  return std::make_unique<ContainerSource>(std::move(bytes), options);
}

}  // namespace whinchat::audio
