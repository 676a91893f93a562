// What lies behind the C face's handles, and how its functions fail. c_face.cpp and c_stream.cpp.
#pragma once

#include <exception>
#include <optional>
#include <stop_token>
#include <string>

#include "base/error.h"
#include "service/named_options.h"
#include "whinchat/transcription.h"
#include "whinchat/whinchat.h"

struct whinchat_options {
  whinchat::service::SpeechOptions values;
};

struct whinchat_transcriber {
  whinchat::Transcriber transcriber;
};

struct whinchat_transcription {
  whinchat::Transcription result;
  std::string formatted;
};

struct whinchat_stream {
  std::stop_source stop;  // a callback's
  std::optional<whinchat::TranscriptionStream> stream;
};

namespace whinchat::service {

std::string& last_error();  // of this thread
whinchat_status status_of(ErrorKind kind);

// Runs `work`; no exception leaves the C face.
template <typename Work>
whinchat_status guarded(Work work) noexcept {
  try {
    work();
    return WHINCHAT_OK;
  } catch (const Error& error) {
    last_error() = error.what();
    return status_of(error.kind());
  } catch (const std::exception& error) {
    last_error() = error.what();
  } catch (...) {
    last_error() = "an exception of an unknown type";
  }
  return WHINCHAT_INTERNAL;
}

template <typename Pointer>
Pointer required(Pointer pointer, const char* name) {
  if (pointer == nullptr) base::fail(ErrorKind::BadInput, "expected {}, got NULL", name);
  return pointer;
}

whinchat_segment view_of(const Segment& segment);

// NULL: the defaults.
TranscribeOptions options_of(const whinchat_options* given);

// `stop`, which outlives them, is requested where one of them wants an end.
TranscribeCallbacks callbacks_of(const whinchat_callbacks* given, std::stop_source& stop);

}  // namespace whinchat::service
