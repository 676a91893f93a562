#include "transcription/language.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <vector>

#include "models/whisper/dimensions.h"
#include "whinchat/error.h"
#include "whinchat/transcription.h"

namespace whinchat::transcription {
namespace {

models::whisper::ModelDimensions dims(int n_vocab, int audio_layers = 6, int text_layers = 6) {
  models::whisper::ModelDimensions result{};
  result.n_vocab = n_vocab;
  result.n_audio_layer = audio_layers;
  result.n_text_layer = text_layers;
  return result;
}

constexpr int kEnglishOnly = 51864;
constexpr int kMultilingual = 51865;
constexpr int kWithCantonese = 51866;

std::string refusal(int n_vocab, const TranscribeOptions& options) {
  try {
    requested_language(dims(n_vocab), options);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(RequestedLanguage, IsACodeOrEmptyWhereItIsToBeDetected) {
  EXPECT_EQ(requested_language(dims(kMultilingual), {.language = "German"}), "de");
  EXPECT_EQ(requested_language(dims(kMultilingual), {}), "");
  EXPECT_EQ(requested_language(dims(kEnglishOnly), {}), "en");
}

TEST(RequestedLanguage, IsRefusedWhereTheModelCannotServeIt) {
  EXPECT_NE(refusal(kMultilingual, {.languages = {"en", "Germen"}}).find("did you mean german?"),
            std::string::npos);
  EXPECT_NE(refusal(kMultilingual, {.language = "yue"}), "") << "one language more than it knows";
  EXPECT_NE(refusal(kMultilingual, {.languages = {"yue"}}), "");
  EXPECT_EQ(refusal(kWithCantonese, {.languages = {"yue", "zh"}}), "");
  EXPECT_EQ(refusal(kEnglishOnly, {.languages = {"en", "de"}}),
            "this model is English-only: languages is for multilingual ones");
  EXPECT_EQ(refusal(kEnglishOnly, {.multilingual = true}),
            "this model is English-only: multilingual is for multilingual ones");
}

TEST(Translation, IsDoubtedOfAModelWithFewerDecoderLayers) {
  const TranscribeOptions translate{.task = Task::Translate};
  EXPECT_EQ(translation_warning(dims(kWithCantonese, 32, 32), translate), "");
  EXPECT_EQ(translation_warning(dims(kWithCantonese, 32, 4), {}), "");
  EXPECT_EQ(translation_warning(dims(kWithCantonese, 32, 4), translate),
            "this model has 4 decoder layers for 32 encoder layers: such ones (turbo, distil) are "
            "seldom taught to translate, so that the text may be in the language spoken");
}

LanguageProbabilities window(const std::string& language, double probability) {
  return {{language, probability}, {"xx", 1 - probability}};
}

size_t deciding(const std::vector<LanguageProbabilities>& windows, double threshold = 0.5) {
  return deciding_window(windows, threshold);
}

TEST(DecidingWindow, IsTheFirstAboveTheThreshold) {
  EXPECT_EQ(deciding({window("en", 0.5), window("de", 0.6), window("fr", 0.9)}), 1u);
  EXPECT_EQ(deciding({window("en", 0.3)}), 0u) << "one window decides whatever it says";
}

TEST(DecidingWindow, IsTheSurestOfTheLanguageNamedMostOften) {
  EXPECT_EQ(deciding({window("en", 0.45), window("de", 0.1), window("de", 0.3)}), 2u);
  EXPECT_EQ(deciding({window("de", 0.3), window("en", 0.45), window("de", 0.1)}), 0u);
  EXPECT_EQ(deciding({window("de", 0.1), window("en", 0.45)}), 0u) << "the first of equals";
  EXPECT_EQ(deciding({window("fr", 0.4), window("en", 0.2), window("de", 0.4), window("en", 0.3)}),
            3u);
}

}  // namespace
}  // namespace whinchat::transcription
