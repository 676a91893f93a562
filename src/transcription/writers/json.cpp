#include "transcription/writers/json.h"

#include <string>
#include <utility>

#include "base/json.h"
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

std::string write_json(const Transcription& transcription) {
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
    if (transcription.has_words) row["words"] = words_of(segment);
    segments.push_back(std::move(row));
  }
  base::OrderedJson document = {{"text", transcription.text},
                                {"segments", std::move(segments)},
                                {"language", transcription.language}};
  const VocabularyReport& vocabulary = transcription.vocabulary;
  if (!vocabulary.included.empty() || !vocabulary.omitted.empty()) {
    document["vocabulary"] = {{"included", vocabulary.included}, {"omitted", vocabulary.omitted}};
  }
  return document.dump() + "\n";
}

}  // namespace whinchat::transcription
