#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "service/c_handles.h"
#include "whinchat/transcription.h"
#include "whinchat/whinchat.h"

namespace {

using namespace whinchat;
using service::callbacks_of;
using service::guarded;
using service::required;

}  // namespace

whinchat_status whinchat_stream_new(whinchat_transcriber* transcriber,
                                    const whinchat_options* options,
                                    const whinchat_callbacks* callbacks, whinchat_stream** out) {
  return guarded([&] {
    *required(out, "a place for the stream") = nullptr;
    auto made = std::make_unique<whinchat_stream>();
    Transcriber& of = required(transcriber, "a transcriber")->transcriber;
    made->stream.emplace(
        of.stream(service::options_of(options), callbacks_of(callbacks, made->stop)));
    *out = made.release();
  });
}

whinchat_status whinchat_stream_feed(whinchat_stream* stream, const float* samples, size_t count) {
  return guarded([&] {
    if (count > 0) required(samples, "samples");
    required(stream, "a stream")->stream->feed(std::span<const float>(samples, count));
  });
}

whinchat_status whinchat_stream_finish(whinchat_stream* stream, whinchat_transcription** out) {
  return guarded([&] {
    *required(out, "a place for the transcription") = nullptr;
    Transcription result = required(stream, "a stream")->stream->finish();
    *out = std::make_unique<whinchat_transcription>(std::move(result), std::string()).release();
  });
}

void whinchat_stream_cancel(whinchat_stream* stream) {
  if (stream != nullptr && stream->stream) stream->stream->cancel();
}

void whinchat_stream_free(whinchat_stream* stream) {
  const std::unique_ptr<whinchat_stream> freed(stream);
}
