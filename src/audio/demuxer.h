// FFmpeg's demuxer over a ByteSource: recognises the container by its content, picks the best audio
// stream and gives its packets. Opens no other file and no address that a container may name.
// Throws Error: BadInput (no recording, a playlist, no sound), Corrupt (unreadable header).
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "audio/byte_source.h"

struct AVFormatContext;
struct AVIOContext;
struct AVPacket;
struct AVStream;

namespace whinchat::audio {

class Demuxer {
 public:
  explicit Demuxer(ByteSource bytes);

  const std::string& name() const { return io_->bytes.name(); }
  const AVStream& stream() const { return *stream_; }
  // Whether the container claims a length for this very stream, not only for the whole.
  bool has_stream_claim() const { return has_stream_claim_; }
  // What the header claims, in seconds; unset where it does not say.
  std::optional<double> claimed_s() const { return claimed_s_; }
  // `claimed_s`, else FFmpeg's estimate.
  std::optional<double> duration_s() const;

  // The stream's next packet; false at the end.
  bool read_packet(AVPacket& packet);
  // The latest end of any packet so far, also of other streams where only the whole has a claim.
  double reached_s() const { return reached_s_; }
  // How much sound the packets' times leave out between one and the next.
  double missing_s() const { return missing_s_; }
  // Says that the file cannot be read: `damage` is a clause about it. A file whose format was a
  // weak guess is called no recording instead.
  [[noreturn]] void fail_damaged(const std::string& damage) const;
  // Why reading stopped before the end; empty when it did not.
  const std::string& failure() const { return io_->failure; }
  // An Ogg file whose last page is cut or is not marked as the last.
  bool lacks_end_mark();

 private:
  struct Io {
    ByteSource bytes;
    std::string failure;
  };
  struct FreeIo {
    void operator()(AVIOContext* context) const;
  };
  struct FreeFormat {
    void operator()(AVFormatContext* context) const;
  };
  static int read_bytes(void* opaque, uint8_t* buffer, int size);
  static int64_t seek_bytes(void* opaque, int64_t offset, int whence);

  void open_format();
  void choose_stream();
  void note_claims();
  void note_reached(const AVPacket& packet);
  void note_gap(const AVPacket& packet);

  std::unique_ptr<Io> io_;
  std::unique_ptr<AVIOContext, FreeIo> io_context_;
  std::unique_ptr<AVFormatContext, FreeFormat> format_;
  const AVStream* stream_ = nullptr;
  bool is_weak_guess_ = false;
  bool has_stream_claim_ = false;
  std::optional<double> claimed_s_;
  double reached_s_ = 0;
  std::optional<double> next_s_;  // when the stream's next packet should begin
  double missing_s_ = 0;
};

}  // namespace whinchat::audio
