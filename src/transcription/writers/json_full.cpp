#include "transcription/writers/json_full.h"

#include <string>
#include <utility>

#include "base/json.h"
#include "transcription/writers/clock.h"
#include "transcription/writers/json_fields.h"
#include "whinchat/formats.h"
#include "whinchat/transcription.h"

namespace whinchat::transcription {
namespace {

// As whisper.cpp's: {"from":"00:00:01,000","to":"00:00:02,500"}.
base::OrderedJson clock_times(double start_s, double end_s) {
  return {{"from", clock_time(milliseconds(start_s), ',', Hours::Always)},
          {"to", clock_time(milliseconds(end_s), ',', Hours::Always)}};
}

base::OrderedJson full_segment(const Segment& segment, bool has_words) {
  base::OrderedJson fields = segment_fields(segment);
  fields["timestamps"] = clock_times(segment.start_s, segment.end_s);
  base::OrderedJson tokens = base::OrderedJson::array();
  for (const Token& token : segment.token_details) {
    tokens.push_back({{"id", token.id}, {"text", token.text}, {"probability", token.probability}});
  }
  fields["token_details"] = std::move(tokens);
  if (!has_words) return fields;
  base::OrderedJson words = words_of(segment);
  for (base::OrderedJson& word : words) {
    word["timestamps"] = clock_times(word["start"], word["end"]);
  }
  fields["words"] = std::move(words);
  return fields;
}

base::OrderedJson languages_of(const Transcription& transcription) {
  base::OrderedJson languages = base::OrderedJson::array();
  for (const LanguageProbability& each : transcription.language_probabilities) {
    languages.push_back({{"language", each.language}, {"probability", each.probability}});
  }
  return languages;
}

}  // namespace

std::string write_json_full(const Transcription& transcription, const WriterOptions& options) {
  base::OrderedJson segments = base::OrderedJson::array();
  for (const Segment& segment : transcription.segments) {
    segments.push_back(full_segment(segment, transcription.has_words));
  }
  base::OrderedJson document = document_fields(transcription, std::move(segments), options);
  document["language_probabilities"] = languages_of(transcription);
  document["duration"] = transcription.duration_s;
  document["warnings"] = transcription.warnings;
  document["cancelled"] = transcription.cancelled;
  document["options"] = base::OrderedJson::object();
  for (const auto& [name, value] : options.used) document["options"][name] = value;
  add_vocabulary(transcription, document);
  return json_line(document);
}

}  // namespace whinchat::transcription
