#include "cli/options/translation.h"

#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <functional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "cli/command_line.h"
#include "cli/options/other_names.h"
#include "cli/suggestion.h"
#include "cli/transcribe.h"

namespace whinchat::cli {
namespace {

using Args = std::vector<std::string>;

// What is typed behind a program's name, and what that is here; arguments by spaces.
struct Line {
  std::string_view typed;
  std::string_view here;
};

// As they stand in the programs' documentation and in their users' threads; paths are shortened.
// clang-format off
constexpr auto kDocumented = std::to_array<Line>({
    // openai-whisper: README, pull request 1184; tldr pages; users.
    {"audio.flac audio.mp3 audio.wav --model turbo", "audio.flac audio.mp3 audio.wav --model turbo"},
    {"japanese.wav --language Japanese", "japanese.wav --language=Japanese"},
    {"japanese.wav --model medium --language Japanese --task translate",
     "japanese.wav --model medium --language=Japanese --task translate"},
    {"--word_timestamps True --max_line_width 47 --max_line_count 2 audio.mp3",
     "--word-timestamps True --max-line-width=47 --max-line-count=2 audio.mp3"},
    {"--word_timestamps True --max_line_width 47 --max_line_count 2 --highlight_words True audio.mp3",
     "--word-timestamps True --max-line-width=47 --max-line-count=2 --highlight-words True audio.mp3"},
    {"path/text.wav --word_timestamps True --max_line_width 22 --max_line_count 1 "
     "--highlight_words True --output_format srt",
     "path/text.wav --word-timestamps True --max-line-width=22 --max-line-count=1 "
     "--highlight-words True --output-format srt"},
    {"1.mp3 --model large-v1 --language en --initial_prompt Welcome --best_of 10 --beam_size 10 "
     "--word_timestamps True --highlight_words True --max_words_per_line 8 --output_dir out",
     "1.mp3 --model large-v1 --language=en --initial-prompt Welcome --best-of=10 --beam-size=10 "
     "--word-timestamps True --highlight-words True --max-words-per-line=8 --output-dir out"},
    {"path/to/audio.mp3", "path/to/audio.mp3"},
    {"path/to/audio.mp3 --output-format txt", "path/to/audio.mp3 --output-format txt"},
    {"path/to/audio.mp3 --model tiny", "path/to/audio.mp3 --model tiny"},
    // mlx-whisper: README, pull request 746; a loop over films.
    {"audio_file.mp3", "audio_file.mp3"},
    {"-", "-"},
    {"-f srt --model mlx-community/whisper-base audio_file.wav",
     "--output-format=srt --model mlx-community/whisper-base audio_file.wav"},
    {"audio.mp3 --model mlx-community/whisper-large-v3-mlx-8bit --output_format all "
     "--word_timestamps True --verbose True",
     "audio.mp3 --model mlx-community/whisper-large-v3-mlx-8bit --output-format all "
     "--word-timestamps True --verbose True"},
    {"--model mlx-community/whisper-large-v3-mlx --output-dir . --output-name film.mp4 "
     "--language en --output-format srt --condition-on-previous-text False film.mp4",
     "--model mlx-community/whisper-large-v3-mlx --output-dir . --output-name film.mp4 "
     "--language=en --output-format srt --condition-on-previous-text False film.mp4"},
    // whisper-ctranslate2: README, e2e-tests.
    {"inaguracio2011.mp3 --model medium", "inaguracio2011.mp3 --model medium"},
    {"inaguracio2011.mp3 --model medium --task translate",
     "inaguracio2011.mp3 --model medium --task translate"},
    {"inaguracio2011.mp3 --batched True", "inaguracio2011.mp3"},
    {"myfile.mp3 --compute_type int8", "myfile.mp3 --compute=int8"},
    {"/srv/files/e2e-tests/gossos.mp3 --output_dir /srv/files/",
     "/srv/files/e2e-tests/gossos.mp3 --output-dir /srv/files/"},
    {"gossos.mp3 --device cpu --compute_type float32 --output_dir out",
     "gossos.mp3 --device=cpu --compute=f32 --output-dir out"},
    {"gossos.mp3 --device cpu --task translate --model medium --compute_type float32 "
     "--output_dir out",
     "gossos.mp3 --device=cpu --task translate --model medium --compute=f32 --output-dir out"},
    {"gossos.mp3 copied.mp3 --device cpu --compute_type float32 --output_dir out",
     "gossos.mp3 copied.mp3 --device=cpu --compute=f32 --output-dir out"},
    // faster-whisper: lines of its users (its programs are whisper-ctranslate2 and one for Windows).
    {"--verbose True --language en --threads 12 --device cuda --model large-v2 --output_dir out "
     "--output_format srt --vad_filter False --beam_size 1 vocals.wav",
     "--verbose True --language=en --threads=12 --device=gpu --model large-v2 --output-dir out "
     "--output-format srt --vad-filter False --beam-size=1 vocals.wav"},
    {"--language ko --model_directory _models/faster-whisper-large-v2 --translate talk.wav",
     "--language=ko --model=_models/faster-whisper-large-v2 --task=translate talk.wav"},
    // whisper.cpp: README, models/README, scripts, examples; threads of its users.
    {"-f samples/jfk.wav", "samples/jfk.wav"},
    {"-m models/ggml-base.en-q5_0.bin ./samples/gb0.wav",
     "--model=models/ggml-base.en-q5_0.bin ./samples/gb0.wav"},
    {"-m models/ggml-base.en.bin -f samples/jfk.wav",
     "--model=models/ggml-base.en.bin samples/jfk.wav"},
    {"-f samples/jfk.wav -m models/ggml-base.en.bin -t 8",
     "samples/jfk.wav --model=models/ggml-base.en.bin --threads=8"},
    {"--model models/ggml-base.en.bin --file jfk.opus", "--model models/ggml-base.en.bin jfk.opus"},
    {"-m /models/ggml-base.bin -f /audios/jfk.wav", "--model=/models/ggml-base.bin /audios/jfk.wav"},
    {"-m /models/ggml-base.bin -f ./samples/jfk.wav",
     "--model=/models/ggml-base.bin ./samples/jfk.wav"},
    {"-t 8 -m ./models/ggml-base.en.bin -f /tmp/whisper-live.wav --no-timestamps -otxt",
     "--threads=8 --model=./models/ggml-base.en.bin /tmp/whisper-live.wav --without-timestamps "
     "--output-format=txt --output-beside"},
    {"-m models/ggml-base.en.bin -t 4 -p 1 -f samples/jfk.wav",
     "--model=models/ggml-base.en.bin --threads=4 samples/jfk.wav"},
    {"-m models/ggml-base.en.bin -f samples/jfk.wav -nt",
     "--model=models/ggml-base.en.bin samples/jfk.wav --without-timestamps"},
    {"-m models/ggml-base.en.bin -f bodycam.wav -otxt -osrt",
     "--model=models/ggml-base.en.bin bodycam.wav --output-format=txt,srt --output-beside"},
    {"-m ./models/ggml-base.en.bin -f ./samples/jfk.wav -ml 16",
     "--model=./models/ggml-base.en.bin ./samples/jfk.wav --max-line-width=16 --max-line-count=1"},
    {"-m ./models/ggml-base.en.bin -f ./samples/jfk.wav -ml 1",
     "--model=./models/ggml-base.en.bin ./samples/jfk.wav --max-words-per-line=1"},
    {"--language en --model models/medium.en.bin --output-srt --max-len 1 --fp16 False talk.wav",
     "--language=en --model models/medium.en.bin --max-words-per-line=1 --compute=f32 talk.wav "
     "--output-format=srt --output-beside"},
    {"-m models/ggml-base.en.bin -f samples/gb0.wav -pc",
     "--model=models/ggml-base.en.bin samples/gb0.wav --print-colors"},
    {"-mc 0 -f test.wav -l de -m ggml-large.bin",
     "--condition-on-previous-text=false test.wav --language=de --model=ggml-large.bin"},
});

// What their help names besides, with its values.
constexpr auto kOptions = std::to_array<Line>({
    {"a.wav --fp16 False", "a.wav --compute=f32"},
    {"a.wav --fp16 True", "a.wav"},
    {"a.wav --beam_size None --best_of None --patience None --length_penalty None --threads None",
     "a.wav --beam-size=1 --best-of=1"},
    {"a.wav --temperature 0.2 --temperature_increment_on_fallback None",
     "a.wav --temperature 0.2 --temperature-increment-on-fallback None"},
    {"a.wav --clip_timestamps 0,30 --hallucination_silence_threshold 2 --word_timestamps True",
     "a.wav --clip-timestamps 0,30 --hallucination-silence-threshold 2 --word-timestamps True"},
    {"a.wav --verbose False -o out -f json", "a.wav --verbose False -o out --output-format=json"},
    {"a.wav --local_files_only True --hotwords Quillsby --repetition_penalty 1.1",
     "a.wav --offline --hotwords Quillsby --repetition-penalty 1.1"},
    {"a.wav --compute_type float16 --device_index 0 --prompt_reset_on_temperature 0.5",
     "a.wav --compute=f16"},
    {"a.wav --compute_type bfloat16 --language auto", "a.wav --compute=bf16"},
    {"a.wav --compute_type int8_float16", "a.wav --compute=int8"},
    {"-l auto -np -ng -fa -bs 5 -bo 5 -f a.wav",
     "--quiet --device=cpu --beam-size=5 --best-of=5 a.wav"},
    {"-et 2.40 -lpt -1.00 -nth 0.60 -tp 0.00 -nf -f a.wav",
     "--logprob-threshold=-1.00 --no-speech-threshold=0.60 --temperature=0.00 "
     "--temperature-increment-on-fallback=none a.wav"},
    {"-tpi 0.20 a.wav", "--temperature-increment-on-fallback=0.20 a.wav"},
    {"-tpi 0 a.wav", "--temperature-increment-on-fallback=none a.wav"},
    {"-tr -ac 768 -sns -sow -pp --prompt words -f a.wav",
     "--task=translate --audio-ctx=768 --initial-prompt=words a.wav"},
    {"-ot 5000 -d 2500 -oj -of out/talk -f a.wav",
     "--output-name=out/talk a.wav --clip-timestamps=5,7.5 --output-format=json"},
    {"--offset-t 90000 --duration 0 a.wav", "a.wav --clip-timestamps=90"},
    {"-otxt -oj -of - a.wav", "a.wav --output-format=txt,json"},
    {"-dtw base.en -oj -o out a.wav", "--word-timestamps -o out a.wav --output-format=json"},
    {"-dev 0 -wt 0.01 -on 0 -mc -1 a.wav", "a.wav"},
    {"myfile.mp3 --vad_filter True", "myfile.mp3 --vad-filter True"},
    {"--vad -vt 0.6 -vspd 250 -vsd 100 -vp 30 -vmsd 30 a.wav",
     "--vad-filter=true --vad-threshold=0.6 --vad-min-speech-duration-ms=250 "
     "--vad-min-silence-duration-ms=100 --vad-speech-pad-ms=30 --vad-max-speech-duration-s=30 a.wav"},
});
// clang-format on

constexpr auto kRefused = std::to_array<Line>({
    {"talk.wav --vad_method pyannote", "--vad-method: speech is found by Silero VAD v6"},
    {"-f ./samples/a13.wav -m ./models/ggml-small.en-tdrz.bin -tdrz", "--channel split"},
    {"--diarize stereo.wav", "--channel split"},
    {"talk.mp3 --hf_token YOUR_HF_TOKEN", "--channel split"},
    {"--live_transcribe True --language en", "transcribe -"},
    {"-m ./models/ggml-base.en.bin -f ./samples/jfk.wav -owts", "--highlight-words"},
    {"-dl -f samples/jfk.wav", "whinchat detect-language FILE"},
    {"-et 2.8 -f samples/jfk.wav", "--compression-ratio-threshold"},
    {"-mc 64 -f samples/jfk.wav", "--condition-on-previous-text"},
    {"--grammar chess.gbnf talk.wav", "--vocabulary"},
    {"talk.wav --model_dir models", "WHINCHAT_CACHE"},
    {"talk.wav -f no/such", "-f: expected a format or, as in whisper-cli, a file"},
    {"-ot soon talk.wav", "-ot: expected milliseconds, got soon"},
    {"-ot 5000 --clip-timestamps 3 talk.wav", "--offset-t and --duration are one clip"},
    {"-ot 5000 --end 0:30 talk.wav", "--offset-t and --duration are one clip"},
    {"talk.wav -m", "-m: expected a value, got none"},
});
class TranslationTest : public testing::Test {
 protected:
  TranslationTest() : run_(add_transcribe(app_)) {}

  const CLI::App& command() const { return *app_.get_subcommand("transcribe"); }

  // The arguments behind a program's name, by spaces; quotes hold what has some.
  Translation translation_of(const std::string& line) const {
    Args args = CLI::detail::split_up(line);
    std::ranges::transform(args, args.begin(), normalized_option);
    return translated(command(), args);
  }

  void expect_translated(std::span<const Line> lines) const {
    for (const Line& line : lines) {
      SCOPED_TRACE(line.typed);
      EXPECT_EQ(translation_of(std::string(line.typed)).arguments,
                CLI::detail::split_up(std::string(line.here)));
    }
  }

  std::string refusal_of(const std::string& line) const {
    try {
      translation_of(line);
      return "";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::BadInput);
      return error.what();
    }
  }

 private:
  CLI::App app_;
  std::function<int()> run_;
};

TEST_F(TranslationTest, TakesLinesOfTheProgramsDocumentationAsTheyStand) {
  expect_translated(kDocumented);
  static_assert(kDocumented.size() + kRefused.size() >= 40);
}

TEST_F(TranslationTest, TakesWhatTheirHelpNames) { expect_translated(kOptions); }

TEST_F(TranslationTest, RefusesWhatWouldChangeTheWordsAndNamesWhatThereIs) {
  for (const Line& line : kRefused) {
    SCOPED_TRACE(line.typed);
    EXPECT_NE(refusal_of(std::string(line.typed)).find(line.here), std::string::npos)
        << refusal_of(std::string(line.typed));
  }
}

TEST_F(TranslationTest, SaysWhatItLeavesOut) {
  EXPECT_EQ(translation_of("talk.mp3 --batched False --vad_filter False --device_index 0").remarks,
            Args{});
  for (const char* line : {"--batched True", "-p 4", "-p True", "-nfa", "--compute_type int16",
                           "--pretty_json True"}) {
    ASSERT_EQ(translation_of(line).remarks.size(), 1) << line;
    EXPECT_NE(translation_of(line).remarks[0].find(" is left out: "), std::string::npos) << line;
  }
}

TEST_F(TranslationTest, LeavesValuesAndFilesAlone) {
  for (const Args& ours : {Args{"--initial-prompt", "-osrt", "a.wav"}, Args{"-ofolder", "a.wav"},
                           Args{"-q", "-", "-1"}, Args{"--language=de", "--suppress-tokens", ""}}) {
    EXPECT_EQ(translated(command(), ours).arguments, ours);
  }
}

TEST_F(TranslationTest, SuggestsTheOptionThatWasMeant) {
  EXPECT_EQ(refusal_of("a.wav --outputdir x"),
            "transcribe has no option --outputdir; did you mean --output-dir?");
  EXPECT_EQ(refusal_of("--lang de"), "transcribe has no option --lang; did you mean --language?");
  EXPECT_EQ(refusal_of("-vspx"), "transcribe has no option -vspx; did you mean -vspd?");
  EXPECT_EQ(refusal_of("--quite"), "transcribe has no option --quite; did you mean --quiet?");
  EXPECT_EQ(refusal_of("--xyzzy"), "transcribe has no option --xyzzy");
}

// The table itself.

TEST_F(TranslationTest, EveryRowBecomesOptionsThatAreThere) {
  for (const OtherName& row : other_names()) {
    if (row.fate != Fate::Becomes) continue;
    for (const std::string& word : CLI::detail::split(std::string(row.here), ' ')) {
      if (word.empty()) continue;
      EXPECT_NE(command().get_option_no_throw(word.substr(0, word.find('='))), nullptr) << word;
    }
  }
}

TEST_F(TranslationTest, RowsOfANameTakeTheSameAndAllAreReached) {
  std::set<std::string> done;  // names whose last row is passed
  for (const OtherName& row : other_names()) {
    for (const std::string& name : CLI::detail::split(std::string(row.names), ' ')) {
      EXPECT_FALSE(done.contains(name)) << name;
      if (row.when.empty()) done.insert(name);
      for (const OtherName& other : other_names()) {
        EXPECT_TRUE(!has_word(other.names, name) || other.takes == row.takes) << name;
      }
      EXPECT_EQ(normalized_option(name), name);
      const bool hides = row.when.empty() && row.fate != Fate::Becomes && name != "-f";
      EXPECT_FALSE(hides && command().get_option_no_throw(name) != nullptr) << name << " is ours";
    }
  }
}

TEST(Suggestion, IsANameThatIsNearOrBeginsSo) {
  const Args names{"base", "large-v3-turbo"};
  EXPECT_EQ(did_you_mean("bass", names), "; did you mean base?");
  EXPECT_EQ(did_you_mean("large", names), "; did you mean large-v3-turbo?");
  EXPECT_EQ(did_you_mean("tiny", names), "");
  EXPECT_EQ(did_you_mean("b", names), "");
  EXPECT_EQ(did_you_mean(std::string(100'000, 'b'), names), "");
}

}  // namespace
}  // namespace whinchat::cli
