// Speech to text: open a model once, then transcribe files or samples with it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "whinchat/api.h"
#include "whinchat/vad.h"

namespace whinchat {

enum class Task { Transcribe, Translate };  // translate: into English

// Type of the matrix products. Auto: f32, or bf16 where a fast CPU has it, or f16 on a GPU. Int8:
// weights rounded to 8 bits with a scale an output, on a CPU's fast path; half the memory.
enum class Compute { Auto, F32, F16, BF16, Int8 };

// Where a model runs. Auto: on a GPU where MLX finds one.
enum class Device { Auto, Cpu, Gpu };

struct ModelOptions {
  std::string model = "base";  // a folder, file or name: whinchat/models.h
  bool offline = false;        // do not fetch a model that is not on this machine
  // The oracle's graph, bit for bit: slow. Else the fast path, with the same words.
  bool faithful = false;
  Compute compute = Compute::Auto;
  Device device = Device::Auto;
  int threads = 0;       // 0: one a usable core
  bool profile = false;  // keep the time by operation for Transcriber::profile()
};

struct TranscribeOptions {
  std::string language;  // code or English name; empty: detected
  // What may be detected, codes or names; empty: whatever the model knows.
  std::vector<std::string> languages;
  // Windows that are looked at until the likeliest language of one is above the threshold; else the
  // language that most of them name. The first window is encoded once for this and for its text.
  int language_detection_segments = 1;
  double language_detection_threshold = 0.5;
  bool multilingual = false;  // each window in its own language: Segment::language
  Task task = Task::Transcribe;
  std::optional<int> channel;  // from 1; unset: all channels averaged
  // Each channel of a file by itself, merged by time: Segment::channel. Not with `channel`.
  bool split_channels = false;
  // Seconds, a start and an end in turns: nothing outside of these clips is heard. A last start
  // without an end goes on to the end; so does an end behind it. Empty: all of the recording.
  std::vector<double> clip_timestamps;
  // Only speech is heard, and the short silences in it. Unset: on, unless the path is faithful.
  std::optional<bool> vad_filter;
  VadOptions vad_parameters;
  // Pieces of speech that fit into one window are heard in one, as long as it is clear which says
  // what: faster. What comes next is waited for, up to five minutes, so that unset is on, but off
  // for a stream. Not where a window has its own language, its text no timestamps, or it is
  // translated, or silence in it is skipped.
  std::optional<bool> share_windows;
  // An experiment: the encoder hears windows of so many positions of 20 ms, of 50 to 1500, in less
  // time and less well; 0: 1500, which models are made for.
  int audio_ctx = 0;
  bool condition_on_previous_text = true;
  // Text that could stand before the first window, in its language: names, spelling, style. Special
  // tokens in it are plain text; of more than 223 tokens the last ones are used, and a warning says
  // so.
  std::string initial_prompt;
  bool carry_initial_prompt = false;  // before every window, not only the first

  // A window that was told of earlier text and goes round in circles is decoded without it too:
  // that text is taken, unless it says the same. No sound is skipped. Unset: on, unless the path is
  // faithful.
  std::optional<bool> prompt_reset_on_repetition;
  // Words to expect, the most important first, and a text of such: told to every window (a window
  // with a prefix does without the text). What a window is told shares 223 tokens, in this order:
  // vocabulary, hotwords, the carried prompt, then the end of earlier text. Hotwords keep their
  // first claim, then the initial prompt; the vocabulary has what they leave, and the result says
  // which words fitted.
  std::vector<std::string> vocabulary;
  std::string hotwords;
  std::string prefix;  // what the first window's text begins with; it is no part of the result

  // Nothing is decoded where a window has no sound at all, every sample 0: models find words there.
  // Unset: on, unless the path is faithful.
  std::optional<bool> skip_digital_silence;

  // A window is decoded at the first of these, and again at the next while its text is too
  // repetitive or too unlikely (and the window not silent). Above 0, tokens are drawn.
  std::vector<double> temperatures = {0.0, 0.2, 0.4, 0.6, 0.8, 1.0};
  int best_of = 5;    // sequences drawn; the likeliest is taken
  uint64_t seed = 0;  // of the draws: the same seed, the same text
  // At temperature 0; 1: greedy. Unset: 5, or 1 by a faithful model, whose oracle has no beams.
  std::optional<int> beam_size;
  double patience = 1.0;                 // finished beams to look for, in beam sizes
  std::optional<double> length_penalty;  // 0 to 1; unset: likelihoods by plain length

  // Unset: the rule is off. Too repetitive: the text's compression ratio is above the first. Too
  // unlikely: its mean log-probability is below the second. Silent: the no-speech probability is
  // above the third, and the text too unlikely.
  std::optional<double> compression_ratio_threshold = 2.4;
  std::optional<double> logprob_threshold = -1.0;
  std::optional<double> no_speech_threshold = 0.6;

  // Times of words, by what the decoder looks at while it reads them; segments begin and end with
  // their words then.
  bool word_timestamps = false;
  std::string prepend_punctuations = "\"'“¿([{-";                // are part of the word after them
  std::string append_punctuations = "\"'.。,，!！?？:：”)]}、";  // and these of the one before
  // In seconds; unset: off. Where words look like nobody said them, silence before them that is
  // longer is skipped and the rest decoded again. Needs word_timestamps.
  std::optional<double> hallucination_silence_threshold;

  // Times are left out of tokens. A file of one window is decoded without them; in a
  // longer one they still say where the next window begins, so that no word is lost between two.
  bool without_timestamps = false;
  std::optional<double> max_initial_timestamp = 1.0;  // s from a window's start; unset: any
  std::optional<int> max_new_tokens;                  // of a window, 1 to 448; unset: 224
  bool suppress_blank = true;                         // a window's text does not begin with a space
  std::vector<int32_t> suppress_tokens = {-1};        // never chosen; -1: those of annotations
  std::string suppress_regex;     // nor text tokens that it matches from end to end
  double repetition_penalty = 1;  // above 1: what a window's text has already is less likely
  int no_repeat_ngram_size = 0;   // so many tokens never come twice in a window; 0: off
};

struct Word {
  std::string text;               // with the space before it and the punctuation around it
  double start_s = 0, end_s = 0;  // on the file's own clock, start before end
  double probability = 0;         // mean of its tokens
};

struct Token {
  int32_t id = 0;
  std::string text;  // what it adds to the segment's text: a character comes with its last part
  double probability = 0;  // as the decoder chose it, by its rules
};

struct LanguageProbability {
  std::string language;  // code
  double probability = 0;
};

struct Segment {
  int id = 0;
  int64_t seek = 0;               // start of its window, in frames of 10 ms
  double start_s = 0, end_s = 0;  // on the file's own clock
  std::string text;               // as decoded, usually with a leading space
  std::vector<int32_t> tokens;
  std::vector<Token> token_details;  // of the same tokens
  double temperature = 0;
  double avg_logprob = 0;
  double compression_ratio = 0;  // of the window's text
  double no_speech_prob = 0;     // of the window
  std::string language;          // of the window if multilingual, else empty
  int channel = 0;               // the one that it was heard in, from 1, if split; else 0
  std::vector<Word> words;       // if TranscribeOptions::word_timestamps asked for them
};

// Which words of TranscribeOptions::vocabulary fitted into the prompt, in their order.
struct VocabularyReport {
  std::vector<std::string> included, omitted;
};

struct Transcription {
  std::string text;
  std::string language;  // code, if multilingual of the first window; empty: nothing was decoded
  // Likeliest first, of the window that said the language; empty where it was not detected.
  std::vector<LanguageProbability> language_probabilities;
  std::vector<Segment> segments;
  bool has_words = false;  // whether the segments' words were asked for
  double duration_s = 0;
  VocabularyReport vocabulary;        // empty where none was given
  std::vector<std::string> warnings;  // what was odd about the input, a sentence each
  bool cancelled = false;             // stopped before the end: what was decoded until then
};

// Where the time of a transcription went.
struct Profile {
  struct Span {
    std::string name;                    // of the operation
    double start_s = 0, duration_s = 0;  // since the transcription began
    // What it does at least, for its shapes: arithmetic of its products, and bytes of weights, keys
    // and values, each read once. 0 where that is not counted.
    int64_t flop = 0, read_bytes = 0;
  };
  std::vector<Span> spans;  // in order; they do not overlap
  double wall_s = 0;        // the whole transcription, without reading the file
  // Memory of this process at the transcription's end, and the most it ever had; 0 where unknown.
  uint64_t resident_bytes = 0, peak_resident_bytes = 0;
};

// Called on the engine thread while a transcription runs; they must not call the Transcriber.
// What they throw ends the transcription; transcribe() throws it, as Error{Internal} if it is none.
// Once `stop` is requested, from any thread, it ends after the window in hand (or in the middle of
// reading) and gives what is decoded.
struct TranscribeCallbacks {
  std::function<void(const Segment&)> on_segment;
  // Of what the clips hold. The total is 0 while it is not known; a long file is read through
  // first, and its total grows until that is done.
  std::function<void(double done_s, double total_s)> on_progress;
  std::function<void(const std::string& language, double probability)> on_language;
  std::stop_token stop;
};

// A recording that is transcribed while it is heard: Transcriber::stream. One thread at a time, and
// it may outlive its Transcriber.
class WHINCHAT_API TranscriptionStream {
 public:
  ~TranscriptionStream();
  TranscriptionStream(TranscriptionStream&&) noexcept;
  TranscriptionStream& operator=(TranscriptionStream&&) noexcept;

  // Mono samples at 16 kHz in −1 … 1, as many as there are: pieces of any size give the same. A
  // window is decoded once 30 s past its beginning are there, or its speech has ended (and, where
  // share_windows is true, nothing more may share it); on_segment hears its segments before this
  // returns. A faithful model decodes in finish().
  void feed(std::span<const float> samples);
  // The rest, and all of it. Throws Error{BadInput} the second time, as feed() then does.
  Transcription finish();
  // From any thread: the window in hand is the last. finish() gives what is decoded.
  void cancel();

 private:
  friend class Transcriber;
  struct State;
  explicit TranscriptionStream(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

// Safe to share between threads; requests run one after another. Every method throws Error.
class WHINCHAT_API Transcriber {
 public:
  explicit Transcriber(const ModelOptions& options);
  ~Transcriber();
  Transcriber(Transcriber&&) noexcept;
  Transcriber& operator=(Transcriber&&) noexcept;

  // Throws Error{BadInput} for what this model cannot serve: an unknown language, translation by an
  // English-only model.
  void check(const TranscribeOptions& options) const;

  // Any audio or video file; "-" is standard input.
  Transcription transcribe(const std::filesystem::path& file, const TranscribeOptions& options,
                           const TranscribeCallbacks& callbacks = {});

  // One that is heard piece by piece, between other requests. How loud it is at most is not known
  // before its end, as it is to transcribe(): frames are clamped 8 decades below what was heard up
  // to their window's end. Throws as check().
  TranscriptionStream stream(const TranscribeOptions& options,
                             const TranscribeCallbacks& callbacks = {});

  // Which language is spoken, without a text: as `options` have it detected in their clips.
  // Likeliest first; empty where nothing is to be heard. Throws Error{BadInput} where the language
  // is given, or the model English-only.
  std::vector<LanguageProbability> detect_language(const std::filesystem::path& file,
                                                   const TranscribeOptions& options,
                                                   const TranscribeCallbacks& callbacks = {});
  std::vector<LanguageProbability> detect_language(std::span<const float> samples,
                                                   const TranscribeOptions& options);

  // When the words of `text`, which is what is said, are said: a segment a line of it. They are
  // matched with what is heard; what is said besides is left out, and what is not said has a low
  // probability. Throws Error{BadInput} for a text without words and for translation.
  Transcription align(const std::filesystem::path& file, std::string_view text,
                      const TranscribeOptions& options, const TranscribeCallbacks& callbacks = {});
  Transcription align(std::span<const float> samples, std::string_view text,
                      const TranscribeOptions& options, const TranscribeCallbacks& callbacks = {});

  // The time by operation of the last transcription, if ModelOptions::profile asked for it.
  Profile profile() const;

  // Mono samples at 16 kHz in −1 … 1.
  Transcription transcribe(std::span<const float> samples, const TranscribeOptions& options,
                           const TranscribeCallbacks& callbacks = {});

 private:
  friend class TranscriptionStream;
  struct State;

  Transcription transcribe_split(const std::filesystem::path& file,
                                 const TranscribeOptions& options,
                                 const TranscribeCallbacks& callbacks);

  std::shared_ptr<State> state_;
};

// A line an operation, longest first: calls, time, share.
WHINCHAT_API std::string format_profile(const Profile& profile);

// For chrome://tracing and Perfetto: trace events in JSON.
WHINCHAT_API std::string format_chrome_trace(const Profile& profile);

}  // namespace whinchat
