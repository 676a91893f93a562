// FFmpeg's decoder of one audio stream: packets in, PCM blocks out.
// Throws Error{Unsupported} when there is no decoder for the stream.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "audio/pcm.h"

struct AVCodecContext;
struct AVFrame;
struct AVPacket;
struct AVStream;

namespace whinchat::audio {

class Decoder {
 public:
  // Takes one block and its rate; valid during the call.
  using Sink = std::function<void(const PcmBlock&, int rate_hz)>;

  // `name` is the file's, for messages.
  Decoder(const AVStream& stream, const std::string& name);

  // Decodes a packet, or with null what is still inside. Returns false when any of it was damaged.
  bool decode(const AVPacket* packet, const Sink& sink);

 private:
  struct FreeContext {
    void operator()(AVCodecContext* context) const;
  };
  struct FreeFrame {
    void operator()(AVFrame* frame) const;
  };
  bool receive(const Sink& sink);

  std::unique_ptr<AVCodecContext, FreeContext> context_;
  std::unique_ptr<AVFrame, FreeFrame> frame_;
};

}  // namespace whinchat::audio
