// What both kinds of JSON have: openai-whisper's fields.
#pragma once

#include <string>

#include "base/json.h"
#include "whinchat/formats.h"
#include "whinchat/transcription.h"

namespace whinchat::transcription {

base::OrderedJson segment_fields(const Segment& segment);  // all but words
base::OrderedJson words_of(const Segment& segment);

// The file, where it is named, then text, segments and language.
base::OrderedJson document_fields(const Transcription& transcription, base::OrderedJson segments,
                                  const WriterOptions& options);

// Where words to expect were given.
void add_vocabulary(const Transcription& transcription, base::OrderedJson& document);

// One line. Bytes that are no UTF-8, of names and given words, as U+FFFD.
std::string json_line(const base::OrderedJson& document);

}  // namespace whinchat::transcription
