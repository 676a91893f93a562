#include "audio/test_recording.h"

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavcodec/codec.h>
#include <libavcodec/packet.h>
#include <libavformat/avformat.h>
#include <libavformat/avio.h>
#include <libavutil/channel_layout.h>
#include <libavutil/dict.h>
#include <libavutil/frame.h>
#include <libavutil/log.h>
#include <libavutil/pixfmt.h>
#include <libavutil/rational.h>
#include <libavutil/samplefmt.h>
}

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "audio/test_files.h"

namespace whinchat::audio {
namespace {

constexpr AVRational kPictureTime{1, 10};
constexpr int kPictureSize = 32;

void require(bool is_good, const char* what) {
  if (!is_good) throw std::runtime_error(what);
}

// The encoders that tests use, and the sample format each takes.
AVSampleFormat format_of(const std::string& codec) {
  if (codec == "flac" || codec.starts_with("pcm_") || codec == "adpcm_ms") return AV_SAMPLE_FMT_S16;
  if (codec == "alac") return AV_SAMPLE_FMT_S16P;
  if (codec == "libopus") return AV_SAMPLE_FMT_FLT;
  return AV_SAMPLE_FMT_FLTP;
}

void put_sample(AVFrame& frame, int channel, int index, float value) {
  const int channels = frame.ch_layout.nb_channels;
  const auto integer =
      static_cast<int16_t>(std::clamp(std::lround(value * 32768.0F), -32768L, 32767L));
  switch (frame.format) {
    case AV_SAMPLE_FMT_S16:
      reinterpret_cast<int16_t*>(frame.data[0])[index * channels + channel] = integer;
      break;
    case AV_SAMPLE_FMT_S16P:
      reinterpret_cast<int16_t*>(frame.data[channel])[index] = integer;
      break;
    case AV_SAMPLE_FMT_FLT:
      reinterpret_cast<float*>(frame.data[0])[index * channels + channel] = value;
      break;
    default:
      reinterpret_cast<float*>(frame.data[channel])[index] = value;
  }
}

// One file with up to two tracks.
class Muxer {
 public:
  Muxer(const std::string& container, const std::string& path) {
    av_log_set_level(AV_LOG_QUIET);
    require(avformat_alloc_output_context2(&format_, nullptr, container.c_str(), path.c_str()) >= 0,
            "no such container");
    format_->flags |= AVFMT_FLAG_BITEXACT;
    require(avio_open(&format_->pb, path.c_str(), AVIO_FLAG_WRITE) >= 0, "cannot write");
  }
  Muxer(const Muxer&) = delete;
  Muxer& operator=(const Muxer&) = delete;
  ~Muxer() {
    for (AVCodecContext* encoder : encoders_) avcodec_free_context(&encoder);
    avio_closep(&format_->pb);
    avformat_free_context(format_);
  }

  AVCodecContext& add_sound(const EncodeOptions& options) {
    AVCodecContext& encoder = add_encoder(options.codec);
    encoder.sample_fmt = format_of(options.codec);
    encoder.sample_rate = options.rate_hz;
    encoder.bit_rate = options.bit_rate;
    av_channel_layout_default(&encoder.ch_layout, options.channels);
    encoder.time_base = {1, options.rate_hz};
    open_track(encoder);
    return encoder;
  }

  AVCodecContext& add_pictures() {
    AVCodecContext& encoder = add_encoder("mpeg4");
    encoder.pix_fmt = AV_PIX_FMT_YUV420P;
    encoder.width = kPictureSize;
    encoder.height = kPictureSize;
    encoder.time_base = kPictureTime;
    open_track(encoder);
    return encoder;
  }

  void start(const std::string& options) {
    AVDictionary* dictionary = nullptr;
    av_dict_parse_string(&dictionary, options.c_str(), "=", ",", 0);
    const int status = avformat_write_header(format_, &dictionary);
    av_dict_free(&dictionary);
    require(status >= 0, "cannot write the header");
  }

  void encode_sound(AVCodecContext& encoder, const std::vector<float>& samples) {
    const int channels = encoder.ch_layout.nb_channels;
    const int total = static_cast<int>(samples.size()) / channels;
    const int step = encoder.frame_size > 0 ? encoder.frame_size : 1024;
    for (int start = 0; start < total; start += step) {
      AVFrame* frame = av_frame_alloc();
      frame->nb_samples = std::min(step, total - start);
      frame->format = encoder.sample_fmt;
      frame->sample_rate = encoder.sample_rate;
      frame->pts = start;
      av_channel_layout_copy(&frame->ch_layout, &encoder.ch_layout);
      require(av_frame_get_buffer(frame, 0) >= 0, "no frame");
      for (int index = 0; index < frame->nb_samples * channels; ++index) {
        put_sample(*frame, index % channels, index / channels,
                   samples[static_cast<size_t>(start) * static_cast<size_t>(channels) +
                           static_cast<size_t>(index)]);
      }
      write(encoder, frame);
      av_frame_free(&frame);
    }
    write(encoder, nullptr);
  }

  void encode_pictures(AVCodecContext& encoder, int count) {
    for (int number = 0; number < count; ++number) {
      AVFrame* frame = av_frame_alloc();
      frame->format = encoder.pix_fmt;
      frame->width = kPictureSize;
      frame->height = kPictureSize;
      frame->pts = number;
      require(av_frame_get_buffer(frame, 0) >= 0, "no frame");
      for (const int plane : {0, 1, 2}) {
        const int rows = plane == 0 ? kPictureSize : kPictureSize / 2;
        std::memset(frame->data[plane], plane == 0 ? 16 : 128,
                    static_cast<size_t>(frame->linesize[plane]) * static_cast<size_t>(rows));
      }
      write(encoder, frame);
      av_frame_free(&frame);
    }
    write(encoder, nullptr);
  }

  void finish() { require(av_write_trailer(format_) >= 0, "cannot write the trailer"); }

 private:
  AVCodecContext& add_encoder(const std::string& codec) {
    AVCodecContext* encoder = avcodec_alloc_context3(avcodec_find_encoder_by_name(codec.c_str()));
    require(encoder != nullptr, "no such encoder");
    encoders_.push_back(encoder);
    return *encoder;
  }

  void open_track(AVCodecContext& encoder) {
    encoder.flags |= AV_CODEC_FLAG_BITEXACT;
    if ((format_->oformat->flags & AVFMT_GLOBALHEADER) != 0) {
      encoder.flags |= AV_CODEC_FLAG_GLOBAL_HEADER;
    }
    require(avcodec_open2(&encoder, nullptr, nullptr) >= 0, "cannot open the encoder");
    AVStream* stream = avformat_new_stream(format_, nullptr);
    stream->time_base = encoder.time_base;
    avcodec_parameters_from_context(stream->codecpar, &encoder);
  }

  void write(AVCodecContext& encoder, const AVFrame* frame) {
    require(avcodec_send_frame(&encoder, frame) >= 0, "cannot encode");
    const auto track = std::ranges::find(encoders_, &encoder) - encoders_.begin();
    AVPacket* packet = av_packet_alloc();
    while (avcodec_receive_packet(&encoder, packet) >= 0) {
      packet->stream_index = static_cast<int>(track);
      av_packet_rescale_ts(packet, encoder.time_base, format_->streams[track]->time_base);
      require(av_interleaved_write_frame(format_, packet) >= 0, "cannot write");
    }
    av_packet_free(&packet);
  }

  AVFormatContext* format_ = nullptr;
  std::vector<AVCodecContext*> encoders_;
};

}  // namespace

std::optional<std::string> encode(const EncodeOptions& options, const std::vector<float>& samples) {
  if (avcodec_find_encoder_by_name(options.codec.c_str()) == nullptr) return std::nullopt;
  const TempFile file("encoded", "");
  {
    Muxer muxer(options.container, file.path().string());
    AVCodecContext& encoder = muxer.add_sound(options);
    muxer.start(options.muxer_options);
    muxer.encode_sound(encoder, samples);
    muxer.finish();
  }
  return read_bytes(file.path());
}

std::string encode_video(double seconds, const std::vector<float>& samples,
                         const EncodeOptions& sound) {
  const TempFile file("encoded_video", "");
  {
    Muxer muxer(sound.container, file.path().string());
    AVCodecContext& pictures = muxer.add_pictures();
    AVCodecContext* encoder = samples.empty() ? nullptr : &muxer.add_sound(sound);
    muxer.start(sound.muxer_options);
    if (encoder != nullptr) muxer.encode_sound(*encoder, samples);
    muxer.encode_pictures(pictures, static_cast<int>(std::lround(seconds * 10)));
    muxer.finish();
  }
  return read_bytes(file.path());
}

}  // namespace whinchat::audio
