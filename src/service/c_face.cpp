#include <cstddef>
#include <exception>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "service/named_options.h"
#include "whinchat/formats.h"
#include "whinchat/option_values.h"
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

namespace {

using namespace whinchat;

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

template <typename Item>
const Item& item_at(const std::vector<Item>& items, size_t index, const char* name) {
  if (index >= items.size()) {
    base::fail(ErrorKind::BadInput, "expected a {} below {}, got {}", name, items.size(), index);
  }
  return items[index];
}

const Segment& segment_at(const whinchat_transcription* transcription, size_t index) {
  return item_at(required(transcription, "a transcription")->result.segments, index, "segment");
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

// What `work` makes with the transcriber, given options and callbacks.
template <typename Work>
whinchat_status give(whinchat_transcriber* transcriber, const whinchat_options* options,
                     const whinchat_callbacks* callbacks, whinchat_transcription** out, Work work) {
  return guarded([&] {
    *required(out, "a place for the transcription") = nullptr;
    std::stop_source stop;
    Transcription result =
        work(required(transcriber, "a transcriber")->transcriber,
             options == nullptr ? TranscribeOptions{} : options->values.transcribe,
             callbacks_of(callbacks, stop));
    *out = std::make_unique<whinchat_transcription>(std::move(result), std::string()).release();
  });
}

}  // namespace

const char* whinchat_version(void) { return WHINCHAT_VERSION; }

const char* whinchat_last_error(void) { return last_error().c_str(); }

whinchat_status whinchat_options_new(whinchat_options** out) {
  return guarded([&] {
    *required(out, "a place for the options") = std::make_unique<whinchat_options>().release();
  });
}

whinchat_status whinchat_options_set(whinchat_options* options, const char* name,
                                     const char* value) {
  return guarded([&] {
    service::set_option(required(options, "options")->values, required(name, "an option's name"),
                        required(value, "an option's value"));
  });
}

void whinchat_options_free(whinchat_options* options) {
  const std::unique_ptr<whinchat_options> freed(options);
}

whinchat_status whinchat_transcriber_new(const whinchat_options* options,
                                         whinchat_transcriber** out) {
  return guarded([&] {
    *required(out, "a place for the transcriber") = nullptr;
    Transcriber transcriber(options == nullptr ? ModelOptions{} : options->values.model);
    *out = std::make_unique<whinchat_transcriber>(std::move(transcriber)).release();
  });
}

void whinchat_transcriber_free(whinchat_transcriber* transcriber) {
  const std::unique_ptr<whinchat_transcriber> freed(transcriber);
}

whinchat_status whinchat_transcribe_file(whinchat_transcriber* transcriber, const char* path,
                                         const whinchat_options* options,
                                         const whinchat_callbacks* callbacks,
                                         whinchat_transcription** out) {
  return give(transcriber, options, callbacks, out, [&](Transcriber& work, auto&&... how) {
    return work.transcribe(std::filesystem::path(required(path, "a path")), how...);
  });
}

whinchat_status whinchat_transcribe_samples(whinchat_transcriber* transcriber, const float* samples,
                                            size_t count, const whinchat_options* options,
                                            const whinchat_callbacks* callbacks,
                                            whinchat_transcription** out) {
  return give(transcriber, options, callbacks, out, [&](Transcriber& work, auto&&... how) {
    if (count > 0) required(samples, "samples");
    return work.transcribe(std::span<const float>(samples, count), how...);
  });
}

whinchat_status whinchat_align_file(whinchat_transcriber* transcriber, const char* path,
                                    const char* text, const whinchat_options* options,
                                    const whinchat_callbacks* callbacks,
                                    whinchat_transcription** out) {
  return give(transcriber, options, callbacks, out, [&](Transcriber& work, auto&&... how) {
    return work.align(std::filesystem::path(required(path, "a path")), required(text, "a text"),
                      how...);
  });
}

whinchat_status whinchat_stream_new(whinchat_transcriber* transcriber,
                                    const whinchat_options* options,
                                    const whinchat_callbacks* callbacks, whinchat_stream** out) {
  return guarded([&] {
    *required(out, "a place for the stream") = nullptr;
    auto made = std::make_unique<whinchat_stream>();
    made->stream.emplace(required(transcriber, "a transcriber")
                             ->transcriber.stream(options == nullptr ? TranscribeOptions{}
                                                                     : options->values.transcribe,
                                                  callbacks_of(callbacks, made->stop)));
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
  if (stream != nullptr) stream->stream->cancel();
}

void whinchat_stream_free(whinchat_stream* stream) {
  const std::unique_ptr<whinchat_stream> freed(stream);
}

const char* whinchat_transcription_text(const whinchat_transcription* transcription) {
  return transcription->result.text.c_str();
}

const char* whinchat_transcription_language(const whinchat_transcription* transcription) {
  return transcription->result.language.c_str();
}

double whinchat_transcription_duration_s(const whinchat_transcription* transcription) {
  return transcription->result.duration_s;
}

int whinchat_transcription_is_cancelled(const whinchat_transcription* transcription) {
  return transcription->result.cancelled ? 1 : 0;
}

size_t whinchat_transcription_segment_count(const whinchat_transcription* transcription) {
  return transcription->result.segments.size();
}

whinchat_status whinchat_transcription_segment(const whinchat_transcription* transcription,
                                               size_t index, whinchat_segment* out) {
  return guarded([&] {
    const Segment& segment = segment_at(transcription, index);
    *required(out, "a place for the segment") = view_of(segment);
  });
}

whinchat_status whinchat_transcription_word(const whinchat_transcription* transcription,
                                            size_t segment, size_t index, whinchat_word* out) {
  return guarded([&] {
    const Word& word = item_at(segment_at(transcription, segment).words, index, "word");
    *required(out, "a place for the word") = {.start_s = word.start_s,
                                              .end_s = word.end_s,
                                              .text = word.text.c_str(),
                                              .probability = word.probability};
  });
}

size_t whinchat_transcription_warning_count(const whinchat_transcription* transcription) {
  return transcription->result.warnings.size();
}

const char* whinchat_transcription_warning(const whinchat_transcription* transcription,
                                           size_t index) {
  const std::vector<std::string>& warnings = transcription->result.warnings;
  return index < warnings.size() ? warnings[index].c_str() : nullptr;
}

whinchat_status whinchat_transcription_format(whinchat_transcription* transcription,
                                              const char* format, const whinchat_options* options,
                                              const char** out) {
  return guarded([&] {
    const std::optional<Format> found = find_value(kFormats, required(format, "a format"));
    if (!found)
      base::fail(ErrorKind::BadInput, "expected {}, got {}", list_names(kFormats), format);
    required(transcription, "a transcription");
    transcription->formatted =
        format_transcription(transcription->result, *found,
                             options == nullptr ? WriterOptions{} : options->values.writer);
    *required(out, "a place for the document") = transcription->formatted.c_str();
  });
}

void whinchat_transcription_free(whinchat_transcription* transcription) {
  const std::unique_ptr<whinchat_transcription> freed(transcription);
}
