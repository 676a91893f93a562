#include "transcription/writers/json.h"

#include <string>
#include <utility>

#include "base/json.h"
#include "whinchat/formats.h"
#include "whinchat/transcription.h"

namespace whinchat::transcription {

namespace {

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

}  // namespace

std::string write_json(const Transcription& transcription, const WriterOptions& options) {
  base::OrderedJson segments = base::OrderedJson::array();
  for (const Segment& segment : transcription.segments) {
    base::OrderedJson row = {{"id", segment.id},
                             {"seek", segment.seek},
                             {"start", segment.start_s},
                             {"end", segment.end_s},
                             {"text", segment.text},
                             {"tokens", segment.tokens},
                             {"temperature", segment.temperature},
                             {"avg_logprob", segment.avg_logprob},
                             {"compression_ratio", segment.compression_ratio},
                             {"no_speech_prob", segment.no_speech_prob}};
    if (!segment.language.empty()) row["language"] = segment.language;
    if (segment.channel > 0) row["channel"] = segment.channel;
    if (transcription.has_words) row["words"] = words_of(segment);
    segments.push_back(std::move(row));
  }
  base::OrderedJson document = base::OrderedJson::object();
  if (!options.file.empty()) document["file"] = options.file;
  document["text"] = transcription.text;
  document["segments"] = std::move(segments);
  document["language"] = transcription.language;
  const VocabularyReport& vocabulary = transcription.vocabulary;
  if (!vocabulary.included.empty() || !vocabulary.omitted.empty()) {
    document["vocabulary"] = {{"included", vocabulary.included}, {"omitted", vocabulary.omitted}};
  }
  // Names of files and given words may be no UTF-8.
  return document.dump(-1, ' ', false, base::OrderedJson::error_handler_t::replace) + "\n";
}

}  // namespace whinchat::transcription
