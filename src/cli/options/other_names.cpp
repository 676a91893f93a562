#include "cli/options/other_names.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/text.h"

namespace whinchat::cli {
namespace {

using enum Takes;
using enum Fate;

constexpr std::string_view kSpeakers =
    "speakers are told apart by their channels alone: --channel split";
constexpr std::string_view kGrammar =
    "there are no grammars: --vocabulary and --hotwords say what to expect";
constexpr std::string_view kKaraoke =
    "no script for a film of words is written: --highlight-words marks each in srt and vtt";
constexpr std::string_view kLive =
    "live sound comes through a pipe: ffmpeg -f alsa -i default -f wav - into whinchat transcribe "
    "-";
constexpr std::string_view kFirstGpu = "the GPU is the first one that CUDA_VISIBLE_DEVICES names";
constexpr std::string_view kBatches =
    "windows are decoded in turn, since each is told what was said before";
constexpr std::string_view kPretty = "JSON is one line: jq . lays it out";

// clang-format off
constexpr auto kNames = std::to_array<OtherName>({
    // What is heard, and by which model.
    {"--file", Value, "", Input, ""},
    {"-f", Value, "", FormatOrFile, ""},
    {"-m --model-directory", Value, "", Becomes, "--model={}"},
    {"--model-dir", Value, "", Refused,
     "models lie in $WHINCHAT_CACHE/models and in the hub's cache, $HF_HUB_CACHE: set either, or "
     "name a model's own folder with --model"},
    {"--local-files-only", Switch, "", Becomes, "--offline"},
    {"--language -l", Value, "auto None", Becomes, ""},
    {"-l", Value, "", Becomes, "--language={}"},
    {"--detect-language -dl", Nothing, "", Refused, "that is a command: whinchat detect-language FILE"},
    {"--translate -tr", Switch, "", Becomes, "--task=translate"},
    {"--offset-t -ot", Value, "", Offset, ""},
    {"--duration -d", Value, "", Duration, ""},
    {"--offset-n -on", Value, "0", Already, ""},
    {"--offset-n -on", Value, "", Refused, "segments are counted from 0"},
    {"--audio-ctx -ac", Value, "", Becomes, "--audio-ctx={}"},
    {"--diarize -di --tinydiarize -tdrz", Nothing, "", Refused, kSpeakers},
    {"--hf-token --speaker-name --speaker-num", Value, "", Refused, kSpeakers},
    {"--vad", Nothing, "", Becomes, "--vad-filter=true"},
    {"--vad-model -vm", Value, "", LeftOut, "Silero VAD v6 is in the program"},
    {"--vad-method", Value, "silero", Already, ""},
    {"--vad-method", Value, "", Refused, "speech is found by Silero VAD v6"},
    {"-vt --vad-onset", Value, "", Becomes, "--vad-threshold={}"},
    {"--vad-offset", Value, "", Becomes, "--vad-neg-threshold={}"},
    {"-vspd", Value, "", Becomes, "--vad-min-speech-duration-ms={}"},
    {"-vsd", Value, "", Becomes, "--vad-min-silence-duration-ms={}"},
    {"-vmsd", Value, "", Becomes, "--vad-max-speech-duration-s={}"},
    {"-vp", Value, "", Becomes, "--vad-speech-pad-ms={}"},
    {"--vad-samples-overlap -vo", Value, "", LeftOut,
     "speech is heard where it lies; --vad-speech-pad-ms says how much around it"},
    {"--live-transcribe", Switch, "", Refused, kLive},
    {"--live-volume-threshold --live-input-device --live-input-device-sample-rate", Value, "",
     Refused, kLive},
    // Decoding.
    {"--prompt", Value, "", Becomes, "--initial-prompt={}"},
    {"--max-context -mc", Value, "0", Becomes, "--condition-on-previous-text=false"},
    {"--max-context -mc", Value, "-1", Already, ""},
    {"--max-context -mc", Value, "", Refused,
     "earlier text is told whole or not at all: --condition-on-previous-text"},
    {"--prompt-reset-on-temperature", Value, "0.5", Already, ""},
    {"--prompt-reset-on-temperature", Value, "", Refused,
     "earlier text is dropped above temperature 0.5; --prompt-reset-on-repetition is another rule"},
    {"-tp", Value, "", Becomes, "--temperature={}"},
    {"--temperature-inc -tpi", Value, "0 0.0 0.00", Becomes,
     "--temperature-increment-on-fallback=none"},
    {"--temperature-inc -tpi", Value, "", Becomes, "--temperature-increment-on-fallback={}"},
    {"--no-fallback -nf", Nothing, "", Becomes, "--temperature-increment-on-fallback=none"},
    {"--best-of -bo", Value, "None", Becomes, "--best-of=1"},
    {"-bo", Value, "", Becomes, "--best-of={}"},
    {"--beam-size -bs", Value, "None 0 -1", Becomes, "--beam-size=1"},
    {"-bs", Value, "", Becomes, "--beam-size={}"},
    {"--patience --length-penalty", Value, "None", Becomes, ""},
    {"--entropy-thold -et", Value, "2.4 2.40", Already, ""},
    {"--entropy-thold -et", Value, "", Refused,
     "repetitive text is told by --compression-ratio-threshold, not by the entropy of its tokens"},
    {"--logprob-thold -lpt", Value, "", Becomes, "--logprob-threshold={}"},
    {"--no-speech-thold -nth", Value, "", Becomes, "--no-speech-threshold={}"},
    {"--no-timestamps -nt", Nothing, "", Becomes, "--without-timestamps"},
    {"--suppress-nst -sns", Nothing, "", Already, ""},
    {"--grammar --grammar-rule --grammar-penalty", Value, "", Refused, kGrammar},
    {"--dtw -dtw", Value, "", Becomes, "--word-timestamps"},
    {"--word-thold -wt", Value, "0.01", Already, ""},
    {"--word-thold -wt", Value, "", Refused,
     "the times of words need no threshold: --word-timestamps"},
    {"--batched", Switch, "", LeftOut, kBatches},
    {"--batch-size", Value, "", LeftOut, kBatches},
    // The machine.
    {"-t", Value, "", Becomes, "--threads={}"},
    {"--threads", Value, "None", Becomes, ""},
    {"--processors -p", Value, "1", Already, ""},
    {"-p", Value, "True true", LeftOut, kPretty},
    {"-p", Value, "False false", Already, ""},
    {"--processors -p", Value, "", LeftOut,
     "a recording is not cut into parts, at whose edges words are lost; --threads is for the cores"},
    {"--no-gpu -ng", Nothing, "", Becomes, "--device=cpu"},
    {"--device -dev", Value, "cuda cuda:0 mps metal", Becomes, "--device=gpu"},
    {"--device -dev --device-index", Value, "0", Already, ""},
    {"-dev --device-index", Value, "", Refused, kFirstGpu},
    {"--ov-e-device -oved", Value, "", LeftOut, "there is no OpenVINO here; --device says where"},
    {"--flash-attn -fa", Nothing, "", Already, ""},
    {"--no-flash-attn -nfa", Nothing, "", LeftOut,
     "attention has one form here; --faithful is the reference's"},
    {"--fp16", Switch, "True true", Already, ""},
    {"--fp16", Switch, "False false", Becomes, "--compute=f32"},
    {"--compute-type", Value, "default auto", Becomes, "--compute=auto"},
    {"--compute-type", Value, "float32", Becomes, "--compute=f32"},
    {"--compute-type", Value, "float16", Becomes, "--compute=f16"},
    {"--compute-type", Value, "bfloat16", Becomes, "--compute=bf16"},
    {"--compute-type", Value, "int8_float32 int8_float16 int8_bfloat16", Becomes,
     "--compute=int8"},
    {"--compute-type", Value, "int16", LeftOut,
     "there are no weights of 16-bit integers here: --compute int8 has them of 8 bits"},
    {"--compute-type", Value, "", Becomes, "--compute={}"},
    {"--debug-mode -debug", Nothing, "", Refused, "--profile FILE says where the time goes"},
    // What is written.
    {"--output-txt -otxt", Nothing, "", Format, "txt"},
    {"--output-vtt -ovtt", Nothing, "", Format, "vtt"},
    {"--output-srt -osrt", Nothing, "", Format, "srt"},
    {"--output-lrc -olrc", Nothing, "", Format, "lrc"},
    {"--output-csv -ocsv", Nothing, "", Format, "csv"},
    {"--output-json -oj", Nothing, "", Format, "json"},
    {"--output-json-full -ojf", Nothing, "", Format, "json-full"},
    {"--output-words -owts", Nothing, "", Refused, kKaraoke},
    {"--font-path -fp", Value, "", Refused, kKaraoke},
    {"--output-file -of", Value, "", OutputFile, ""},
    {"--pretty-json", Switch, "", LeftOut, kPretty},
    {"--max-len -ml", Value, "0", Already, ""},
    {"--max-len -ml", Value, "1", Becomes, "--max-words-per-line=1"},
    {"--max-len -ml", Value, "", Becomes, "--max-line-width={} --max-line-count=1"},
    {"--max-line-width --max-line-count --max-words-per-line", Value, "None", Becomes, ""},
    {"--no-prints -np", Nothing, "", Becomes, "--quiet"},
    {"-pc", Nothing, "", Becomes, "--print-colors"},
    {"--print-progress -pp", Nothing, "", Already, ""},
    {"--print-special -ps", Nothing, "", Refused, "texts have no special tokens; -f json has all"},
    {"--log-score -ls", Nothing, "", Refused,
     "-f json has the probability of each segment, with --word-timestamps of each word"},
    {"--split-on-word -sow", Nothing, "", Already, ""},
});
// clang-format on

std::string code(std::string_view text) { return fmt::format("`{}`", text); }

std::string code_words(std::string_view words) {
  return code(base::replaced(std::string(words), " ", "`, `"));
}

std::string fate_of(const OtherName& row) {
  switch (row.fate) {
    case Becomes:
      return row.here.empty() ? "as without it"
                              : code(base::replaced(std::string(row.here), "{}", "…"));
    case Already:
      return "it is so in any case";
    case LeftOut:
      return "left out, and said: " + std::string(row.here);
    case Refused:
      return "refused: " + std::string(row.here);
    case Input:
      return "an input";
    case FormatOrFile:
      return "`--output-format` for the name of a format, else an input";
    case Format:
      return fmt::format("`--output-format {}`, beside the input unless a place is given",
                         row.here);
    case OutputFile:
      return "`--output-name …`; `-` is standard output";
    case Offset:
      return "`--clip-timestamps …`, in ms";
    case Duration:
      return "the end of that clip, in ms";
  }
  return "";
}

}  // namespace

std::span<const OtherName> other_names() { return kNames; }

bool has_word(std::string_view words, std::string_view word) {
  for (size_t begin = 0; begin < words.size();) {
    const size_t end = std::min(words.find(' ', begin), words.size());
    if (words.substr(begin, end - begin) == word) return true;
    begin = end + 1;
  }
  return false;
}

std::string other_names_table() {
  std::string table = "| there | here |\n|---|---|\n";
  for (const OtherName& row : kNames) {
    const std::string when = row.when.empty() ? "" : " with " + code_words(row.when);
    table += fmt::format("| {}{} | {} |\n", code_words(row.names), when, fate_of(row));
  }
  return table;
}

}  // namespace whinchat::cli
