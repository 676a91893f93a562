#include "transcription/writers/json.h"

#include <string>
#include <utility>

#include "base/json.h"
#include "transcription/writers/json_fields.h"
#include "whinchat/formats.h"
#include "whinchat/transcription.h"

namespace whinchat::transcription {

std::string write_json(const Transcription& transcription, const WriterOptions& options) {
  base::OrderedJson segments = base::OrderedJson::array();
  for (const Segment& segment : transcription.segments) {
    base::OrderedJson row = segment_fields(segment);
    if (transcription.has_words) row["words"] = words_of(segment);
    segments.push_back(std::move(row));
  }
  base::OrderedJson document = document_fields(transcription, std::move(segments), options);
  add_vocabulary(transcription, document);
  return json_line(document);
}

}  // namespace whinchat::transcription
