#include "audio/demuxer.h"

extern "C" {
#include <libavcodec/defs.h>
#include <libavcodec/packet.h>
#include <libavformat/avformat.h>
#include <libavformat/avio.h>
#include <libavutil/avutil.h>
#include <libavutil/common.h>
#include <libavutil/dict.h>
#include <libavutil/error.h>
#include <libavutil/log.h>
#include <libavutil/mem.h>
#include <libavutil/rational.h>
}

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "audio/byte_source.h"
#include "audio/ogg_tail.h"
#include "base/error.h"
#include "whinchat/error.h"

namespace whinchat::audio {
namespace {

constexpr int kIoBytes = 32768;
constexpr int kMostRetries = 100;
// Less is rounding, and priming that is not heard.
constexpr double kLeastGapSeconds = 0.2;

// Formats that only name other files or addresses.
constexpr std::array<std::string_view, 7> kPlaylists{"hls", "applehttp", "dash", "concat",
                                                     "sdp", "rtsp",      "imf"};

struct FreeOptions {
  void operator()(AVDictionary* options) const { av_dict_free(&options); }
};

int refuse_to_open(AVFormatContext* /*context*/, AVIOContext** /*io*/, const char* /*url*/,
                   int /*flags*/, AVDictionary** /*options*/) {
  return AVERROR(EACCES);
}

[[noreturn]] void fail_unknown(const std::string& name) {
  base::fail(ErrorKind::BadInput,
             "{} is no recording: its content is of no known audio or video format", name);
}

std::optional<double> to_seconds(int64_t ticks, AVRational time_base) {
  if (ticks == AV_NOPTS_VALUE || ticks <= 0) return std::nullopt;
  return static_cast<double>(ticks) * av_q2d(time_base);
}

}  // namespace

void Demuxer::FreeIo::operator()(AVIOContext* context) const {
  av_freep(static_cast<void*>(&context->buffer));
  avio_context_free(&context);
}

void Demuxer::FreeFormat::operator()(AVFormatContext* context) const {
  avformat_close_input(&context);
}

int Demuxer::read_bytes(void* opaque, uint8_t* buffer, int size) {
  Io& io = *static_cast<Io*>(opaque);
  try {
    const size_t count =
        io.bytes.read(std::as_writable_bytes(std::span(buffer, static_cast<size_t>(size))));
    return count == 0 ? AVERROR_EOF : static_cast<int>(count);
  } catch (const std::exception& error) {
    io.failure = error.what();
    return AVERROR(EIO);
  }
}

int64_t Demuxer::seek_bytes(void* opaque, int64_t offset, int whence) {
  ByteSource& bytes = static_cast<Io*>(opaque)->bytes;
  const unsigned kind = static_cast<unsigned>(whence) & ~unsigned{AVSEEK_FORCE};
  if (!bytes.is_seekable()) return kind == AVSEEK_SIZE ? 0 : AVERROR(ESPIPE);
  const auto size = static_cast<int64_t>(bytes.size_bytes().value_or(0));
  int64_t origin = 0;
  switch (kind) {
    case AVSEEK_SIZE:
      return size;
    case SEEK_SET:
      break;
    case SEEK_CUR:
      origin = static_cast<int64_t>(bytes.position());
      break;
    case SEEK_END:
      origin = size;
      break;
    default:
      return AVERROR(EINVAL);
  }
  int64_t target = 0;
  if (__builtin_add_overflow(origin, offset, &target) || target < 0) return AVERROR(EINVAL);
  bytes.seek(static_cast<uint64_t>(target));
  return target;
}

Demuxer::Demuxer(ByteSource bytes) : io_(new Io{std::move(bytes), {}}) {
  av_log_set_level(AV_LOG_QUIET);
  io_->bytes.forget_start();
  auto* buffer = static_cast<uint8_t*>(av_malloc(size_t{kIoBytes}));
  io_context_.reset(
      avio_alloc_context(buffer, kIoBytes, 0, io_.get(), read_bytes, nullptr, seek_bytes));
  if (!io_context_) base::fail(ErrorKind::Internal, "no memory to read {}", name());
  // A pipe answers for its size too (unknown, 0): without an answer FFmpeg's MP3 demuxer takes the
  // length in the header for wrong and leaves the padding in.
  if (!io_->bytes.is_seekable()) io_context_->seekable = 0;
  open_format();
  note_claims();
  // Finds what the header leaves open; where it fails, decoding says so.
  avformat_find_stream_info(format_.get(), nullptr);
  choose_stream();
}

void Demuxer::open_format() {
  const AVInputFormat* input = nullptr;
  const int score = av_probe_input_buffer2(io_context_.get(), &input, "", nullptr, 0, 0);
  if (score < 0 || input == nullptr) fail_unknown(name());
  is_weak_guess_ = score <= AVPROBE_SCORE_RETRY;
  if (std::ranges::find(kPlaylists, std::string_view(input->name)) != kPlaylists.end()) {
    base::fail(ErrorKind::BadInput, "{} is a playlist ({}), not a recording; name the recordings",
               name(), input->long_name);
  }
  AVFormatContext* context = avformat_alloc_context();
  if (context == nullptr) base::fail(ErrorKind::Internal, "no memory to read {}", name());
  context->pb = io_context_.get();
  context->io_open = refuse_to_open;
  AVDictionary* options = nullptr;
  av_dict_set(&options, "protocol_whitelist", "none", 0);
  const int status = avformat_open_input(&context, "", input, &options);
  const std::unique_ptr<AVDictionary, FreeOptions> unused_options(options);
  if (status < 0) {
    fail_damaged(fmt::format("its {} header is damaged or cut off", input->long_name));
  }
  format_.reset(context);
}

void Demuxer::note_claims() {
  const std::span streams(format_->streams, format_->nb_streams);
  for (const AVStream* stream : streams) {
    if (stream->codecpar->codec_type != AVMEDIA_TYPE_AUDIO) continue;
    has_stream_claim_ = to_seconds(stream->duration, stream->time_base).has_value();
    if (has_stream_claim_) return;
  }
  claimed_s_ = to_seconds(format_->duration, AVRational{1, AV_TIME_BASE});
}

void Demuxer::choose_stream() {
  const int index = av_find_best_stream(format_.get(), AVMEDIA_TYPE_AUDIO, -1, -1, nullptr, 0);
  const std::span streams(format_->streams, format_->nb_streams);
  if (index < 0) {
    const bool has_video = std::ranges::any_of(streams, [](const AVStream* stream) {
      return stream->codecpar->codec_type == AVMEDIA_TYPE_VIDEO;
    });
    base::fail(ErrorKind::BadInput, "{} ({}) holds no sound{}", name(), format_->iformat->long_name,
               has_video ? ", only pictures" : "");
  }
  stream_ = streams[static_cast<size_t>(index)];
  if (has_stream_claim_) claimed_s_ = to_seconds(stream_->duration, stream_->time_base);
  const bool watches_all = !has_stream_claim_ && claimed_s_.has_value();
  for (AVStream* stream : streams) {
    if (stream != stream_ && !watches_all) stream->discard = AVDISCARD_ALL;
  }
}

std::optional<double> Demuxer::duration_s() const {
  if (claimed_s_) return claimed_s_;
  if (const auto seconds = to_seconds(stream_->duration, stream_->time_base)) return seconds;
  return to_seconds(format_->duration, AVRational{1, AV_TIME_BASE});
}

void Demuxer::fail_damaged(const std::string& damage) const {
  if (is_weak_guess_) fail_unknown(name());
  const char* hint = io_->bytes.is_seekable() ? "" : " (or its format needs a file, not a pipe)";
  base::fail(ErrorKind::Corrupt, "cannot read the sound of {}: {}{}", name(), damage, hint);
}

bool Demuxer::read_packet(AVPacket& packet) {
  int retries = 0;
  while (retries < kMostRetries) {
    av_packet_unref(&packet);
    const int status = av_read_frame(format_.get(), &packet);
    if (status == AVERROR(EAGAIN)) {
      ++retries;
      continue;
    }
    if (status < 0) {
      if (status != AVERROR_EOF && io_->failure.empty()) io_->failure = "the container is damaged";
      return false;
    }
    note_reached(packet);
    if (packet.stream_index == stream_->index) {
      note_gap(packet);
      return true;
    }
  }
  return false;
}

void Demuxer::note_reached(const AVPacket& packet) {
  if (packet.pts == AV_NOPTS_VALUE) return;
  const AVStream& stream = *format_->streams[packet.stream_index];
  const int64_t end = av_sat_add64(packet.pts, packet.duration);
  reached_s_ = std::max(reached_s_, to_seconds(end, stream.time_base).value_or(0));
}

void Demuxer::note_gap(const AVPacket& packet) {
  if (packet.pts == AV_NOPTS_VALUE) return next_s_.reset();
  const double tick_s = av_q2d(stream_->time_base);
  const double begin_s = static_cast<double>(packet.pts) * tick_s;
  if (next_s_ && begin_s > *next_s_ + kLeastGapSeconds) missing_s_ += begin_s - *next_s_;
  next_s_.reset();
  if (packet.duration > 0) next_s_ = begin_s + static_cast<double>(packet.duration) * tick_s;
}

bool Demuxer::lacks_end_mark() {
  const bool is_ogg = std::string_view(format_->iformat->name) == "ogg";
  return is_ogg && io_->bytes.is_seekable() && !ogg_has_end_mark(io_->bytes);
}

}  // namespace whinchat::audio
