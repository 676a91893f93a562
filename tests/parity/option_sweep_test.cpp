// Every option of a transcription, by its name, set to a value that changes the result. An option
// without a row fails.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "audio/test_wav.h"
#include "scripted_checkpoint.h"
#include "service/named_options.h"
#include "weights/fixture.h"
#include "whinchat/formats.h"
#include "whinchat/transcription.h"

namespace whinchat::parity {
namespace {

// Tokens of the multilingual vocabulary.
constexpr int32_t kEot = 50257, kEnglish = 50259, kGerman = 50261, kSpanish = 50262,
                  kFrench = 50265, kTranslate = 50358;
constexpr int32_t kNoSpeech = 50362, kTime = 50364;  // <|0.00|>
constexpr int32_t kBlank = 220;
constexpr int32_t kA = 2002, kB = 3002, kC = 13, kD = 3001;

// The first has little of the sound, and leaves the language open.
constexpr std::string_view kClips = "0,2,2,12";

constexpr std::string_view kTwelve =
    "one two three four five six seven eight nine ten eleven twelve";  // a token each
constexpr std::string_view kTextOfA = " una";

constexpr int32_t time_of(double seconds) { return kTime + static_cast<int32_t>(seconds * 50); }
constexpr int32_t kHalf = time_of(0.5);

// Without a prompt: language (German for much sound), task, then the text: a segment of 4 s and the
// beginning of another. Behind a prompt other positions have their turn.
std::vector<Wish> wishes(int position) {
  const std::vector<std::vector<Wish>> alone = {
      // What the others' codes have in common is made up for: none of them has half of the whole.
      {{kEnglish, 1.1}, {kGerman, 0.77}, {kFrench, 1.08}, {kSpanish, 0.81}, {kNoSpeech, 0.8}},
      {},
      {{time_of(2), 1.0}, {time_of(0), 0.8}},
      {{kBlank, 1.0}, {kA, 0.8}},
      {{kA, 1.0}, {kB, 0.9}},
      {{kA, 1.0}, {kEot, 1.02}, {kB, 0.9}},
      {{time_of(4), 1.0}, {kEot, 0.95}},
      {{time_of(4), 1.0}, {kEot, 0.7}},
      {{kC, 1.0}, {kD, 0.99}, {kB, 0.9}},
      {{kC, 1.0}, {kD, 0.99}, {kEot, 0.95}},
      {{kEot, 1.0}, {kD, 0.9}},
  };
  if (position < static_cast<int>(alone.size())) return alone[static_cast<size_t>(position)];
  // Of 5 tokens, so that a window behind 5 more of them says the same again.
  const std::vector<std::vector<Wish>> behind = {
      {{time_of(4), 1.0}, {time_of(0.2), 0.6}, {kEot, 0.5}},
      {{kD, 1.0}, {kC, 0.9}},
      {{kC, 1.0}, {kA, 0.9}},
      {{kB, 1.0}, {kA, 0.9}},
      {{time_of(4), 1.0}, {kEot, 0.9}},
  };
  return behind[static_cast<size_t>(position) % behind.size()];
}

// 12 s: the first channel is noise, the second silence.
std::string stereo_wav() {
  std::mt19937 random(1);
  std::vector<int16_t> samples;
  for (int i = 0; i < 12 * 16000; ++i) {
    samples.push_back(static_cast<int16_t>(static_cast<int>(random() % 20000) - 10000));
    samples.push_back(0);
  }
  return audio::wav16(samples, 2);
}

struct Row {
  std::string_view name, value;
  // Where the option means something: options of both runs.
  std::vector<std::pair<std::string_view, std::string_view>> given;
};

// Every name but those of ModelOptions.
const std::vector<Row>& rows() {
  static const std::vector<Row> kRows = {
      {"language", "fr"},
      {"languages", "en,fr"},
      {"language-detection-segments", "2", {{"clip-timestamps", kClips}}},
      {"language-detection-threshold",
       "0.1",
       {{"clip-timestamps", kClips}, {"language-detection-segments", "2"}}},
      {"multilingual", "true"},
      {"task", "translate"},
      {"channel", "2"},
      {"clip-timestamps", "4"},
      {"vad-filter", "false"},
      {"vad-threshold", "1"},
      {"vad-neg-threshold", "0.9", {{"vad-min-silence-duration-ms", "100"}}},
      {"vad-min-speech-duration-ms", "20000"},
      {"vad-max-speech-duration-s", "3"},
      {"vad-min-silence-duration-ms", "100"},
      {"vad-speech-pad-ms", "0"},
      {"share-windows", "false", {{"vad-min-silence-duration-ms", "100"}}},
      {"audio-ctx", "200"},
      {"initial-prompt", "A speech."},
      {"carry-initial-prompt",
       "true",
       {{"initial-prompt", kTwelve}, {"condition-on-previous-text", "false"}}},
      {"vocabulary", "Walton,Quillsby"},
      {"hotwords", "Shapeshift"},
      {"prefix", "And so"},
      {"condition-on-previous-text", "false"},
      {"skip-digital-silence", "false", {{"channel", "2"}}},
      {"prompt-reset-on-repetition", "false", {{"initial-prompt", kTwelve}}},
      {"temperature", "0.5"},
      {"best-of", "1", {{"temperature", "1"}}},
      {"seed", "1", {{"temperature", "2"}, {"best-of", "1"}}},
      {"beam-size", "8"},
      {"patience", "4", {{"beam-size", "2"}}},
      {"length-penalty", "0", {{"beam-size", "2"}, {"patience", "4"}}},
      {"compression-ratio-threshold", "0.1", {{"temperature", "0,1"}}},
      {"logprob-threshold", "-0.001", {{"temperature", "0,1"}}},
      {"no-speech-threshold", "0", {{"logprob-threshold", "none"}}},
      {"without-timestamps", "true"},
      {"max-initial-timestamp", "none"},
      {"max-new-tokens", "5"},
      {"suppress-blank", "false", {{"without-timestamps", "true"}}},
      {"suppress-tokens", "2002"},
      {"suppress-regex", kTextOfA},
      {"repetition-penalty", "2"},
      {"no-repeat-ngram-size", "1"},
      {"word-timestamps", "true"},
      {"prepend-punctuations", kTextOfA, {{"word-timestamps", "true"}}},
      {"append-punctuations", kTextOfA, {{"word-timestamps", "true"}}},
      {"hallucination-silence-threshold", "0.1", {{"word-timestamps", "true"}}},
  };
  return kRows;
}

// Those of documents need no model.
const std::vector<Row>& document_rows() {
  static const std::vector<Row> kRows = {
      {"max-line-width", "5"},     {"max-line-count", "1", {{"max-line-width", "5"}}},
      {"max-words-per-line", "1"}, {"highlight-words", "true"},
      {"split-at", "sentence"},
  };
  return kRows;
}

std::string subtitles_of(const Row& row, bool is_set) {
  const Segment segment{.words = {{" One.", 0, 1, 1}, {" Two", 1, 2, 1}}};
  service::SpeechOptions options;
  for (const auto& [name, value] : row.given) service::set_option(options, name, value);
  if (is_set) service::set_option(options, row.name, row.value);
  return format_transcription({.segments = {segment}, .has_words = true}, Format::Srt,
                              options.writer);
}

class OptionSweep : public testing::Test {
 protected:
  OptionSweep() : transcriber_(scripted()) { folder_.write("stereo.wav", stereo_wav()); }

  std::string result_of(const Row& row, bool is_set) {
    service::SpeechOptions options{.transcribe = {.temperatures = {0.0}, .beam_size = 1}};
    // Noise is no speech: what has to do with that hears the sample.
    const bool is_of_vad = row.name.starts_with("vad-") || row.name == "share-windows";
    const bool is_of_speech = is_of_vad && row.name != "vad-filter";
    if (!is_of_vad) options.transcribe.vad_filter = false;
    for (const auto& [name, value] : row.given) service::set_option(options, name, value);
    if (is_set) service::set_option(options, row.name, row.value);
    const std::filesystem::path file =
        is_of_speech ? std::filesystem::path(WHINCHAT_SAMPLE) : folder_.path() / "stereo.wav";
    return format_transcription(transcriber_.transcribe(file, options.transcribe), Format::Json);
  }

 private:
  Transcriber scripted() const {
    write_scripted_checkpoint(folder_.path(), {.wishes = wishes,
                                               .wishes_of_token = {{kTranslate, {{kHalf, 1.5}}}},
                                               .loud = {kGerman, 1.0}});
    return Transcriber({.model = folder_.path().string(), .compute = Compute::F32});
  }

  weights::Folder folder_;
  Transcriber transcriber_;
};

TEST_F(OptionSweep, EveryOptionChangesAResult) {
  for (const Row& row : rows()) {
    SCOPED_TRACE(row.name);
    EXPECT_NE(result_of(row, /*is_set=*/false), result_of(row, /*is_set=*/true));
  }
}

TEST(OptionRows, OfDocumentsChangeSubtitles) {
  for (const Row& row : document_rows()) {
    SCOPED_TRACE(row.name);
    EXPECT_NE(subtitles_of(row, /*is_set=*/false), subtitles_of(row, /*is_set=*/true));
  }
}

TEST(OptionRows, NameEveryOptionOfATranscription) {
  const std::set<std::string_view> of_model = {"model",   "offline", "faithful",
                                               "compute", "device",  "threads"};
  std::set<std::string_view> swept;
  for (const Row& row : rows()) swept.insert(row.name);
  for (const Row& row : document_rows()) swept.insert(row.name);
  for (const std::string_view name : service::option_names()) {
    EXPECT_NE(of_model.contains(name), swept.contains(name)) << name << " needs a row";
  }
  EXPECT_EQ(of_model.size() + swept.size(), service::option_names().size());
}

}  // namespace
}  // namespace whinchat::parity
