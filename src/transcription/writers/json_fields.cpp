#include "transcription/writers/json_fields.h"

#include <string>
#include <utility>

#include "base/json.h"
#include "whinchat/formats.h"
#include "whinchat/transcription.h"

namespace whinchat::transcription {

base::OrderedJson segment_fields(const Segment& segment) {
  base::OrderedJson fields = {{"id", segment.id},
                              {"seek", segment.seek},
                              {"start", segment.start_s},
                              {"end", segment.end_s},
                              {"text", segment.text},
                              {"tokens", segment.tokens},
                              {"temperature", segment.temperature},
                              {"avg_logprob", segment.avg_logprob},
                              {"compression_ratio", segment.compression_ratio},
                              {"no_speech_prob", segment.no_speech_prob}};
  if (!segment.language.empty()) fields["language"] = segment.language;
  if (segment.channel > 0) fields["channel"] = segment.channel;
  return fields;
}

base::OrderedJson words_of(const Segment& segment) {
  base::OrderedJson words = base::OrderedJson::array();
  for (const Word& word : segment.words) {
    words.push_back({{"word", word.text},
                     {"start", word.start_s},
                     {"end", word.end_s},
                     {"probability", word.probability}});
  }
  return words;
}

base::OrderedJson document_fields(const Transcription& transcription, base::OrderedJson segments,
                                  const WriterOptions& options) {
  base::OrderedJson document = base::OrderedJson::object();
  if (!options.file.empty()) document["file"] = options.file;
  document["text"] = transcription.text;
  document["segments"] = std::move(segments);
  document["language"] = transcription.language;
  return document;
}

void add_vocabulary(const Transcription& transcription, base::OrderedJson& document) {
  const VocabularyReport& vocabulary = transcription.vocabulary;
  if (vocabulary.included.empty() && vocabulary.omitted.empty()) return;
  document["vocabulary"] = {{"included", vocabulary.included}, {"omitted", vocabulary.omitted}};
}

std::string json_line(const base::OrderedJson& document) {
  return document.dump(-1, ' ', false, base::OrderedJson::error_handler_t::replace) + "\n";
}

}  // namespace whinchat::transcription
