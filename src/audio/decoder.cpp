#include "audio/decoder.h"

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavcodec/codec.h>
#include <libavcodec/codec_id.h>
#include <libavcodec/packet.h>
#include <libavformat/avformat.h>
#include <libavutil/error.h>
#include <libavutil/frame.h>
#include <libavutil/samplefmt.h>
}

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "audio/pcm.h"
#include "base/error.h"
#include "whinchat/error.h"

namespace whinchat::audio {
namespace {

constexpr int kMostErrorsPerPacket = 100;

std::optional<SampleFormat> to_sample_format(AVSampleFormat format) {
  switch (av_get_packed_sample_fmt(format)) {
    case AV_SAMPLE_FMT_U8:
      return SampleFormat::U8;
    case AV_SAMPLE_FMT_S16:
      return SampleFormat::S16;
    case AV_SAMPLE_FMT_S32:
      return SampleFormat::S32;
    case AV_SAMPLE_FMT_S64:
      return SampleFormat::S64;
    case AV_SAMPLE_FMT_FLT:
      return SampleFormat::F32;
    case AV_SAMPLE_FMT_DBL:
      return SampleFormat::F64;
    default:
      return std::nullopt;
  }
}

std::optional<PcmBlock> to_block(const AVFrame& frame) {
  const auto format = static_cast<AVSampleFormat>(frame.format);
  const std::optional<SampleFormat> samples = to_sample_format(format);
  if (!samples || frame.nb_samples <= 0 || frame.ch_layout.nb_channels <= 0) return std::nullopt;
  const auto channels = static_cast<size_t>(frame.ch_layout.nb_channels);
  const bool is_planar = av_sample_fmt_is_planar(format) != 0;
  const size_t bytes = sample_bytes(*samples);
  PcmBlock block;
  block.format = *samples;
  block.frames = static_cast<size_t>(frame.nb_samples);
  block.stride_bytes = is_planar ? bytes : bytes * channels;
  for (size_t channel = 0; channel < channels; ++channel) {
    const uint8_t* start =
        is_planar ? frame.extended_data[channel] : frame.extended_data[0] + channel * bytes;
    block.channels.push_back(reinterpret_cast<const std::byte*>(start));
  }
  return block;
}

}  // namespace

void Decoder::FreeContext::operator()(AVCodecContext* context) const {
  avcodec_free_context(&context);
}

void Decoder::FreeFrame::operator()(AVFrame* frame) const { av_frame_free(&frame); }

Decoder::Decoder(const AVStream& stream, const std::string& name) : frame_(av_frame_alloc()) {
  const AVCodecID id = stream.codecpar->codec_id;
  const AVCodec* codec = avcodec_find_decoder(id);
  if (id == AV_CODEC_ID_NONE) {
    base::fail(ErrorKind::Unsupported, "the sound of {} is coded in a way that is not known here",
               name);
  }
  if (codec == nullptr) {
    base::fail(ErrorKind::Unsupported,
               "the sound of {} is coded as {}, which this machine's FFmpeg cannot decode", name,
               avcodec_get_name(id));
  }
  context_.reset(avcodec_alloc_context3(codec));
  if (!context_ || !frame_) base::fail(ErrorKind::Internal, "no memory to decode {}", name);
  context_->pkt_timebase = stream.time_base;
  context_->thread_count = 1;
  if (avcodec_parameters_to_context(context_.get(), stream.codecpar) < 0 ||
      avcodec_open2(context_.get(), codec, nullptr) < 0) {
    base::fail(ErrorKind::Corrupt, "the sound of {} cannot be decoded: its {} header is damaged",
               name, avcodec_get_name(id));
  }
}

bool Decoder::decode(const AVPacket* packet, const Sink& sink) {
  const int status = avcodec_send_packet(context_.get(), packet);
  const bool is_sent = status >= 0 || status == AVERROR_EOF;
  return receive(sink) && is_sent;
}

bool Decoder::receive(const Sink& sink) {
  int errors = 0;
  while (errors < kMostErrorsPerPacket) {
    const int status = avcodec_receive_frame(context_.get(), frame_.get());
    if (status == AVERROR(EAGAIN) || status == AVERROR_EOF) break;
    if (status < 0) {
      ++errors;
      continue;
    }
    const std::optional<PcmBlock> block = to_block(*frame_);
    const int rate_hz = frame_->sample_rate > 0 ? frame_->sample_rate : context_->sample_rate;
    if (block) sink(*block, rate_hz);
    const auto flags = static_cast<unsigned>(frame_->flags);
    if (!block || (flags & unsigned{AV_FRAME_FLAG_CORRUPT}) != 0) ++errors;
  }
  return errors == 0;
}

}  // namespace whinchat::audio
