#include "service/c_handles.h"

#include <stop_token>
#include <string>

#include "whinchat/error.h"
#include "whinchat/transcription.h"
#include "whinchat/whinchat.h"

namespace whinchat::service {

std::string& last_error() {
  thread_local std::string sentence;
  return sentence;
}

whinchat_status status_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::BadInput:
      return WHINCHAT_BAD_INPUT;
    case ErrorKind::NotFound:
      return WHINCHAT_NOT_FOUND;
    case ErrorKind::Unsupported:
      return WHINCHAT_UNSUPPORTED;
    case ErrorKind::Corrupt:
      return WHINCHAT_CORRUPT;
    case ErrorKind::Busy:
      return WHINCHAT_BUSY;
    case ErrorKind::Internal:
      break;
  }
  return WHINCHAT_INTERNAL;
}

whinchat_segment view_of(const Segment& segment) {
  return {.start_s = segment.start_s,
          .end_s = segment.end_s,
          .text = segment.text.c_str(),
          .tokens = segment.tokens.data(),
          .token_count = segment.tokens.size(),
          .avg_logprob = segment.avg_logprob,
          .compression_ratio = segment.compression_ratio,
          .no_speech_prob = segment.no_speech_prob,
          .word_count = segment.words.size(),
          .channel = segment.channel};
}

TranscribeOptions options_of(const whinchat_options* given) {
  return given == nullptr ? TranscribeOptions{} : given->values.transcribe;
}

TranscribeCallbacks callbacks_of(const whinchat_callbacks* given, std::stop_source& stop) {
  TranscribeCallbacks callbacks;
  callbacks.stop = stop.get_token();
  if (given == nullptr) return callbacks;
  if (given->on_segment != nullptr) {
    callbacks.on_segment = [given = *given, &stop](const Segment& segment) {
      const whinchat_segment view = view_of(segment);
      if (given.on_segment(&view, given.context) != 0) stop.request_stop();
    };
  }
  if (given->on_progress != nullptr) {
    callbacks.on_progress = [given = *given, &stop](double done_s, double total_s) {
      if (given.on_progress(done_s, total_s, given.context) != 0) stop.request_stop();
    };
  }
  return callbacks;
}

}  // namespace whinchat::service
