// Properties of subtitles, and what goes beyond openai-whisper's.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "text/characters.h"
#include "transcription/writers/colors.h"
#include "transcription/writers/cues.h"
#include "transcription/writers/segment_line.h"
#include "transcription/writers/write.h"
#include "whinchat/formats.h"
#include "whinchat/transcription.h"

namespace whinchat::transcription {
namespace {

using Texts = std::vector<std::string>;

Segment segment_of(const Texts& words, double begin_s) {
  Segment segment{.start_s = begin_s, .end_s = begin_s + static_cast<double>(words.size())};
  for (const std::string& word : words) {
    segment.text += word;
    segment.words.push_back({word, begin_s, begin_s + 0.75, 1});
    begin_s += 1;
  }
  return segment;
}

Transcription speech(const std::vector<Texts>& segments) {
  Transcription result{.has_words = true};
  double begin_s = 0;
  for (const Texts& words : segments) {
    result.segments.push_back(segment_of(words, begin_s));
    begin_s = result.segments.back().end_s;
  }
  return result;
}

Texts shown(const Transcription& transcription, const WriterOptions& options) {
  Texts texts;
  for (const Cue& cue : make_cues(transcription, options)) texts.push_back(with_underline(cue));
  return texts;
}

Texts lines_of(const std::string& text) {
  Texts lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

TEST(Subtitles, EndAtSentences) {
  const Transcription result = speech(
      {{" Is", " Dr.", " J.", " Roe", " in?\"", " No,", " e.g.", " out."}, {" Ask", " me."}});
  EXPECT_EQ(shown(result, {.split_at = SplitAt::Sentence}),
            (Texts{"Is Dr. J. Roe in?\"", "No, e.g. out.", "Ask me."}));
  EXPECT_EQ(shown(result, {.split_at = SplitAt::Punctuation}),
            (Texts{"Is Dr. J. Roe in?\"", "No,", "e.g. out.", "Ask me."}));
  // Over segments too, and where lines are full.
  EXPECT_EQ(shown(speech({{" One", " two"}, {" three.", " Four", " five"}}),
                  {.max_line_width = 8, .max_line_count = 2, .split_at = SplitAt::Sentence}),
            (Texts{"One two\nthree.", "Four\nfive"}));
}

TEST(Subtitles, EndAtSentencesOfLanguagesWithoutSpaces) {
  const Transcription result = speech({{"今日", "は、", "元気", "です。」", "と", "言った。"}});
  EXPECT_EQ(shown(result, {.split_at = SplitAt::Sentence}),
            (Texts{"今日は、元気です。」", "と言った。"}));
  EXPECT_EQ(shown(result, {.split_at = SplitAt::Punctuation}),
            (Texts{"今日は、", "元気です。」", "と言った。"}));
}

TEST(Subtitles, CountWordsFromWhereTheyAreSplit) {
  EXPECT_EQ(shown(speech({{" a", " b", " c,", " d", " e", " f"}}),
                  {.max_words_per_line = 2, .split_at = SplitAt::Punctuation}),
            (Texts{"a b", "c,", "d e", "f"}));
}

TEST(Subtitles, KeepChannelsApart) {
  Transcription result = speech({{" One", " two"}, {" three"}, {" four"}});
  result.segments[1].channel = 1;
  result.segments[2].channel = 2;
  result.segments[2].words[0].start_s = 2.25;  // both speak
  EXPECT_EQ(write(result, Format::Srt, {.max_line_width = 40, .max_line_count = 2}),
            "1\n00:00:00,000 --> 00:00:01,750\nOne two\n\n"
            "2\n00:00:02,000 --> 00:00:02,750\n(channel 1) three\n\n"
            "3\n00:00:02,250 --> 00:00:03,750\n(channel 2) four\n\n");
  EXPECT_NE(write(result, Format::Vtt, {}).find("\n<v Channel 2>four\n"), std::string::npos);
  EXPECT_EQ(write(result, Format::Txt, {}), "One two\n(channel 1) three\n(channel 2) four\n");
  EXPECT_EQ(write(result, Format::Csv, {}),
            "start,end,channel,text\n0,2000,0,\"One two\"\n2000,3000,1,\"three\"\n"
            "3000,4000,2,\"four\"\n");
}

TEST(Subtitles, WriteMarksOfTheirOwnSyntaxAsText) {
  const Transcription result = speech({{" R&B", " <b>", " --", ">", " a\n\nb"}});
  EXPECT_EQ(shown(result, {}), Texts{"R&B <b> -> a  b"});
  EXPECT_EQ(write(result, Format::Vtt, {}),
            "WEBVTT\n\n00:00.000 --> 00:04.750\nR&amp;B &lt;b> -> a  b\n\n");
}

TEST(Subtitles, AreRefusedWithoutWords) {
  Transcription result = speech({{" One"}});
  result.has_words = false;
  EXPECT_NO_THROW(write(result, Format::Srt, {}));
  EXPECT_NO_THROW(write(result, Format::Json, {.highlight_words = true}));
  for (const WriterOptions& options :
       {WriterOptions{.max_line_width = 10}, WriterOptions{.max_words_per_line = 1},
        WriterOptions{.highlight_words = true}, WriterOptions{.split_at = SplitAt::Sentence}}) {
    EXPECT_THROW(write(result, Format::Vtt, options), Error);
  }
}

TEST(Subtitles, RefuseOptionsWithoutMeaning) {
  const Transcription result = speech({{" One"}});
  for (const WriterOptions& options :
       {WriterOptions{.max_line_width = 0}, WriterOptions{.max_words_per_line = -1},
        WriterOptions{.max_line_count = 1},
        WriterOptions{.max_line_width = 9, .max_line_count = 1, .max_words_per_line = 2}}) {
    EXPECT_THROW(write(result, Format::Srt, options), Error);
  }
}

TEST(Writers, WriteWholeDocumentsWithoutSpeech) {
  for (const bool has_words : {false, true}) {
    Transcription silence{.has_words = has_words};
    for (const bool is_cleared : {false, true}) {
      EXPECT_EQ(write(silence, Format::Txt, {}), "");
      EXPECT_EQ(write(silence, Format::Srt, {}), "");
      EXPECT_EQ(write(silence, Format::Vtt, {}), "WEBVTT\n\n");
      EXPECT_EQ(write(silence, Format::Tsv, {}), "start\tend\ttext\n");
      EXPECT_EQ(write(silence, Format::Csv, {}), "start,end,text\n");
      EXPECT_EQ(write(silence, Format::Lrc, {}), "[by:whinchat]\n");
      if (!is_cleared) {
        EXPECT_EQ(write(silence, Format::Json, {}),
                  "{\"text\":\"\",\"segments\":[],\"language\":\"\"}\n");
      }
      silence.segments.push_back({.start_s = 1, .end_s = 1});
    }
  }
}

TEST(Writers, KeepTimesWhateverTheyAre) {
  Transcription odd;
  odd.segments = {{.start_s = -3, .end_s = -1, .text = "a"},
                  {.start_s = 5, .end_s = 4, .text = "\"b\"\tc"},
                  {.start_s = 1, .end_s = 400000, .text = "d"}};
  EXPECT_EQ(write(odd, Format::Srt, {}),
            "1\n00:00:00,000 --> 00:00:00,001\na\n\n2\n00:00:05,000 --> 00:00:05,001\n\"b\"\tc\n\n"
            "3\n00:00:05,000 --> 111:06:40,000\nd\n\n");
  EXPECT_EQ(write(odd, Format::Csv, {}),
            "start,end,text\n0,0,\"a\"\n5000,4000,\"\"\"b\"\"\tc\"\n1000,400000000,\"d\"\n");
  EXPECT_EQ(write(odd, Format::Lrc, {}),
            "[by:whinchat]\n[00:00.00]a\n[00:05.00]\"b\"\tc\n[00:01.00]d\n");
}

TEST(Writers, TellAllInFullJson) {
  Transcription result = speech({{" One"}});
  result.text = " One";
  result.language = "en";
  result.language_probabilities = {{"en", 0.75}, {"de", 0.25}};
  result.duration_s = 3661.5;
  result.vocabulary.omitted = {"Walton"};
  result.warnings = {"odd"};
  result.segments[0].start_s = 3600.001;
  result.segments[0].tokens = {50364, 1485};
  result.segments[0].token_details = {{50364, "", 0.5}, {1485, " One", 0.25}};
  EXPECT_EQ(
      write(result, Format::JsonFull, {.file = "a.wav", .used = {{"model", "base"}}}),
      R"({"file":"a.wav","text":" One","segments":[{"id":0,"seek":0,"start":3600.001,"end":1.0,)"
      R"("text":" One","tokens":[50364,1485],"temperature":0.0,"avg_logprob":0.0,)"
      R"("compression_ratio":0.0,"no_speech_prob":0.0,)"
      R"("timestamps":{"from":"01:00:00,001","to":"00:00:01,000"},"token_details":[)"
      R"({"id":50364,"text":"","probability":0.5},{"id":1485,"text":" One","probability":0.25}],)"
      R"("words":[{"word":" One","start":0.0,"end":0.75,"probability":1.0,)"
      R"("timestamps":{"from":"00:00:00,000","to":"00:00:00,750"}}]}],"language":"en",)"
      R"("language_probabilities":[{"language":"en","probability":0.75},)"
      R"({"language":"de","probability":0.25}],"duration":3661.5,"warnings":["odd"],)"
      R"("cancelled":false,"options":{"model":"base"},)"
      R"("vocabulary":{"included":[],"omitted":["Walton"]}})"
      "\n");
}

TEST(Writers, ColorWordsOrTokensByTheirProbability) {
  Segment segment{.text = " One two\n", .channel = 2};
  EXPECT_EQ(colored_line(segment), "(channel 2) One two\n") << "nothing is known";
  segment.channel = 0;
  segment.token_details = {{50364, "", 0}, {1, " One", 0.1}, {2, " t", 1}, {3, "wo", 0.99}};
  EXPECT_EQ(colored_line(segment), "\x1b[38;5;196mOne\x1b[38;5;82m two\x1b[0m\n");
  segment.words = {{" One", 0, 1, 0.9}, {" two\n", 1, 2, -1}};
  EXPECT_EQ(colored_line(segment), "\x1b[38;5;154mOne\x1b[38;5;196m two \x1b[0m\n");
  EXPECT_EQ(colored_line({}), "");
}

TEST(Writers, NameTheFileInJsonWhateverItsBytes) {
  EXPECT_EQ(write({}, Format::Json, {.file = "\xFFü.wav"}),
            "{\"file\":\"\uFFFDü.wav\",\"text\":\"\",\"segments\":[],\"language\":\"\"}\n");
}

// Results as transcription makes them, words in order that take time, and options for them.
class Chance {
 public:
  explicit Chance(int seed) : random_(static_cast<uint32_t>(seed)) {}

  int below(int limit) { return static_cast<int>(random_() % static_cast<unsigned>(limit)); }

  Transcription speech();
  WriterOptions options();

 private:
  std::mt19937 random_;
};

Transcription Chance::speech() {
  const Texts texts = {" a",     " word,", " Sentence.", " Überlänge-im-Wort",
                       "日本",   "語。",   " 😀👍🏽",    " e\u0301",
                       " don't", " R&B",   "…",          " --",
                       "\u3000", " <i>",   " x\ny"};
  Transcription result{.has_words = true};
  int time_cs = below(2) * 359000;
  for (int segments = below(8); segments > 0; --segments) {
    Segment segment{.channel = below(4) == 0 ? 1 : 0};
    for (int words = below(12); words > 0; --words) {
      const int start_cs = time_cs + (below(3) == 0 ? below(500) : 0);
      time_cs = start_cs + 1 + below(150);
      const std::string& text = texts[static_cast<size_t>(below(static_cast<int>(texts.size())))];
      segment.words.push_back({text, start_cs / 100.0, time_cs / 100.0, 0.5});
      segment.text += text;
    }
    if (!segment.words.empty()) segment.start_s = segment.words.front().start_s;
    segment.end_s = time_cs / 100.0;
    result.segments.push_back(std::move(segment));
  }
  return result;
}

WriterOptions Chance::options() {
  WriterOptions options{.highlight_words = below(3) == 0,
                        .split_at = static_cast<SplitAt>(below(3))};
  if (below(4) > 0) options.max_line_width = 1 + below(30);
  if (options.max_line_width && below(2) == 0) options.max_line_count = 1 + below(3);
  if (!options.max_line_count && below(2) == 0) options.max_words_per_line = 1 + below(5);
  return options;
}

bool is_word(const std::string& line, const Transcription& speech) {
  return std::ranges::any_of(speech.segments, [&](const Segment& segment) {
    return std::ranges::any_of(
        segment.words, [&](const Word& word) { return segment_line({.text = word.text}) == line; });
  });
}

void expect_lines(const std::string& text, const Transcription& speech,
                  const WriterOptions& options) {
  const Texts lines = lines_of(text);
  EXPECT_FALSE(text.ends_with('\n'));
  EXPECT_LE(static_cast<int>(lines.size()), options.max_line_count.value_or(1000));
  const auto width = static_cast<size_t>(options.max_line_width.value_or(1000));
  for (const std::string& line : lines) {
    EXPECT_FALSE(text::stripped(line).empty()) << text;
    EXPECT_TRUE(text::code_points(line).size() <= width || is_word(line, speech)) << line;
  }
}

std::u32string letters_of(const std::string& text) {
  std::u32string kept = text::code_points(text);
  std::erase_if(kept, [](char32_t c) { return c == U' ' || c == U'\n' || c == U'\u3000'; });
  return kept;
}

// For public parsers: oracles/writers.py parse.
void keep(const std::string& document, const std::string& name) {
  const char* folder = std::getenv("WHINCHAT_KEEP_SUBTITLES");
  if (folder != nullptr) std::ofstream(std::string(folder) + "/" + name) << document;
}

TEST(Subtitles, OfAnySpeechAreInOrderWithLinesThatFit) {
  for (int seed = 0; seed < 400; ++seed) {
    SCOPED_TRACE(seed);
    Chance chance(seed);
    const Transcription speech = chance.speech();
    const WriterOptions options = chance.options();
    std::string all;
    std::string said;
    for (const Segment& segment : speech.segments) said += segment.text;
    int64_t last_ms = 0;
    for (const Cue& cue : make_cues(speech, options)) {
      EXPECT_LE(last_ms, cue.start_ms);
      EXPECT_LT(cue.start_ms, cue.end_ms);
      last_ms = cue.start_ms;
      const std::string text = cue.before + cue.underlined + cue.after;
      expect_lines(text, speech, options);
      all += options.highlight_words ? cue.underlined : text;
    }
    EXPECT_EQ(letters_of(all), letters_of(said)) << "each word once";
    keep(write(speech, Format::Srt, options), std::to_string(seed) + ".srt");
    keep(write(speech, Format::Vtt, options), std::to_string(seed) + ".vtt");
  }
}

}  // namespace
}  // namespace whinchat::transcription
