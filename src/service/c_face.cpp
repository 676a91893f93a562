#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "service/c_handles.h"
#include "service/named_options.h"
#include "whinchat/formats.h"
#include "whinchat/option_values.h"
#include "whinchat/transcription.h"
#include "whinchat/whinchat.h"

namespace {

using namespace whinchat;
using service::callbacks_of;
using service::guarded;
using service::last_error;
using service::required;
using service::view_of;

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

// What `work` makes with the transcriber, given options and callbacks.
template <typename Work>
whinchat_status give(whinchat_transcriber* transcriber, const whinchat_options* options,
                     const whinchat_callbacks* callbacks, whinchat_transcription** out, Work work) {
  return guarded([&] {
    *required(out, "a place for the transcription") = nullptr;
    std::stop_source stop;
    Transcription result = work(required(transcriber, "a transcriber")->transcriber,
                                service::options_of(options), callbacks_of(callbacks, stop));
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
