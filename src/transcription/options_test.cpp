#include "transcription/options.h"

#include <gtest/gtest.h>

#include <limits>
#include <optional>
#include <string>

#include "transcription/windows/window_decoder.h"
#include "whinchat/error.h"
#include "whinchat/transcription.h"

namespace whinchat::transcription {
namespace {

std::string refusal(const TranscribeOptions& options) {
  try {
    check_options(options);
  } catch (const Error& error) {
    return error.kind() == ErrorKind::BadInput ? error.what() : "another kind";
  }
  return "";
}

TEST(Options, AreRefusedByNameWithWhatWasExpected) {
  EXPECT_EQ(refusal({}), "");
  EXPECT_EQ(refusal({.beam_size = 5, .length_penalty = 0.6}), "");
  EXPECT_EQ(refusal({.temperatures = {}}), "temperature: expected at least one, got none");
  EXPECT_EQ(refusal({.temperatures = {0.0, -0.2}}), "temperature: expected 0 or more, got -0.2");
  EXPECT_EQ(refusal({.temperatures = {std::numeric_limits<double>::quiet_NaN()}}),
            "temperature: expected 0 or more, got nan");
  EXPECT_EQ(refusal({.best_of = 0}), "best-of: expected 1 to 64, got 0");
  EXPECT_EQ(refusal({.beam_size = 65}), "beam-size: expected 1 to 64, got 65");
  EXPECT_EQ(refusal({.beam_size = 2, .patience = 0.2}),
            "patience: expected enough for one finished beam of 2, got 0.2");
  EXPECT_EQ(refusal({.audio_ctx = 49}), "audio-ctx: expected 0, or 50 to 1500, got 49");
  EXPECT_EQ(refusal({.audio_ctx = 1501}), "audio-ctx: expected 0, or 50 to 1500, got 1501");
  EXPECT_EQ(refusal({.condition_on_previous_text = false, .prompt_reset_on_repetition = true}),
            "prompt-reset-on-repetition: expected condition-on-previous-text with it");
  EXPECT_EQ(refusal({.clip_timestamps = {3, 2}}),
            "clip-timestamps: expected times that ascend, got 2 after 3");
  EXPECT_EQ(refusal({.length_penalty = 1.5}), "length-penalty: expected 0 to 1, got 1.5");
  EXPECT_EQ(refusal({.carry_initial_prompt = true}),
            "carry-initial-prompt: expected an initial prompt with it");
  EXPECT_EQ(refusal({.max_initial_timestamp = 31.0}),
            "max-initial-timestamp: expected 0 to 30 s, got 31");
  EXPECT_EQ(refusal({.max_new_tokens = 0}), "max-new-tokens: expected 1 to 448, got 0");
  EXPECT_EQ(refusal({.repetition_penalty = 0}), "repetition-penalty: expected more than 0, got 0");
  EXPECT_EQ(refusal({.no_repeat_ngram_size = -1}),
            "no-repeat-ngram-size: expected 0 or more, got -1");
}

TEST(Options, OfDetectionAreRefusedWhereNothingIsDetected) {
  EXPECT_EQ(refusal({.languages = {"en", "de"}, .multilingual = true}), "");
  EXPECT_EQ(refusal({.language_detection_segments = 4, .language_detection_threshold = 0.8}), "");
  EXPECT_EQ(refusal({.language_detection_segments = 0}),
            "language-detection-segments: expected 1 or more, got 0");
  EXPECT_EQ(refusal({.language_detection_segments = 2, .language_detection_threshold = 1.5}),
            "language-detection-threshold: expected 0 to 1, got 1.5");
  EXPECT_EQ(refusal({.language_detection_threshold = 0.8}),
            "language-detection-threshold: expected language-detection-segments above 1 with it");
  EXPECT_EQ(refusal({.language = "de", .languages = {"en", "de"}}),
            "languages: expected no language with it, got de");
  EXPECT_EQ(refusal({.language = "de", .multilingual = true}),
            "multilingual: expected no language with it, got de");
  EXPECT_EQ(refusal({.language = "de", .language_detection_segments = 2}),
            "language-detection-segments: expected no language with it, got de");
  EXPECT_EQ(refusal({.language_detection_segments = 2, .multilingual = true}),
            "language-detection-segments: expected not to be given with multilingual");
}

TEST(Options, OfWordsNeedThem) {
  EXPECT_EQ(refusal({.word_timestamps = true,
                     .prepend_punctuations = "",
                     .append_punctuations = "!",
                     .hallucination_silence_threshold = 2}),
            "");
  EXPECT_EQ(refusal({.prepend_punctuations = ""}), "prepend-punctuations needs word-timestamps");
  EXPECT_EQ(refusal({.append_punctuations = ""}), "append-punctuations needs word-timestamps");
  EXPECT_EQ(refusal({.hallucination_silence_threshold = 2}),
            "hallucination-silence-threshold needs word-timestamps");
  EXPECT_EQ(refusal({.word_timestamps = true, .hallucination_silence_threshold = -1}),
            "hallucination-silence-threshold: expected 0 or more, got -1");
}

DecodedWindow window(double avg_logprob, double no_speech_prob, double compression_ratio) {
  return {.avg_logprob = avg_logprob,
          .no_speech_prob = no_speech_prob,
          .compression_ratio = compression_ratio};
}

TEST(Fallback, IsForRepetitiveOrUnlikelyTextUnlessTheWindowIsSilent) {
  const TranscribeOptions defaults;
  EXPECT_FALSE(needs_fallback(window(-0.3, 0.1, 1.5), defaults));
  EXPECT_TRUE(needs_fallback(window(-0.3, 0.1, 2.5), defaults)) << "repetitive";
  EXPECT_TRUE(needs_fallback(window(-1.1, 0.1, 1.5), defaults)) << "unlikely";
  EXPECT_FALSE(needs_fallback(window(-1.1, 0.7, 1.5), defaults)) << "silent";
  EXPECT_TRUE(needs_fallback(window(-0.3, 0.7, 2.5), defaults)) << "likely, so not silent";
  EXPECT_FALSE(needs_fallback(window(-1.1, 0.1, 2.5), {.compression_ratio_threshold = std::nullopt,
                                                       .logprob_threshold = std::nullopt}));
}

TEST(Silence, IsUnlikelyTextWhereNoSpeechIsLikely) {
  const TranscribeOptions defaults;
  EXPECT_TRUE(is_silent(window(-1.1, 0.7, 1), defaults));
  EXPECT_FALSE(is_silent(window(-0.9, 0.7, 1), defaults)) << "the text is likely";
  EXPECT_FALSE(is_silent(window(-1.1, 0.5, 1), defaults));
  EXPECT_FALSE(is_silent(window(-1.1, 0.9, 1), {.no_speech_threshold = std::nullopt}));
  EXPECT_TRUE(is_silent(window(-0.1, 0.7, 1), {.logprob_threshold = std::nullopt}));
}

}  // namespace
}  // namespace whinchat::transcription
