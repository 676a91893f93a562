#include "transcription/language.h"

#include <mlx/array.h>
#include <mlx/dtype.h>
#include <mlx/ops.h>
#include <mlx/transforms.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "models/whisper/dimensions.h"
#include "models/whisper/kv_cache.h"
#include "models/whisper/whisper.h"
#include "ops/key_value.h"
#include "ops/logits.h"
#include "text/languages.h"
#include "text/whisper_tokens.h"
#include "transcription/windows/clips.h"
#include "transcription/windows/window_features.h"
#include "whinchat/transcription.h"

namespace whinchat::transcription {
namespace {

namespace mx = mlx::core;

void require_english(const TranscribeOptions& options, std::string_view language) {
  if (options.task == Task::Translate) {
    base::fail(ErrorKind::BadInput, "this model is English-only and cannot translate");
  }
  if (!language.empty() && language != "en") {
    base::fail(ErrorKind::BadInput, "this model is English-only and cannot transcribe {}",
               options.language);
  }
  if (options.multilingual || !options.languages.empty()) {
    base::fail(ErrorKind::BadInput, "this model is English-only: {} is for multilingual ones",
               options.multilingual ? "multilingual" : "languages");
  }
}

std::vector<int32_t> candidate_tokens(const text::WhisperTokens& tokens,
                                      std::span<const std::string> candidates) {
  std::vector<int32_t> result;
  for (const std::string& candidate : candidates) {
    result.push_back(tokens.language_token(text::find_language(candidate)));
  }
  for (int32_t i = 0; candidates.empty() && i < tokens.n_languages; ++i) {
    result.push_back(tokens.first_language + i);
  }
  std::ranges::sort(result);
  const auto repeated = std::ranges::unique(result);
  result.erase(repeated.begin(), repeated.end());
  return result;
}

// What follows the start of a transcript.
ops::Logits first_step(const models::whisper::Whisper& model,
                       const std::vector<ops::KeyValue>& cross, const text::WhisperTokens& tokens) {
  models::whisper::KvCache cache(cross);
  return model.decoder().step(mx::array({tokens.sot}, {1, 1}, mx::int32), cache).logits;
}

}  // namespace

std::string requested_language(const models::whisper::ModelDimensions& dims,
                               const TranscribeOptions& options) {
  std::string language =
      options.language.empty() ? "" : std::string(text::find_language(options.language));
  if (!dims.is_multilingual()) {
    require_english(options, language);
    return "en";
  }
  const auto tokens = text::WhisperTokens::from_n_vocab(dims.n_vocab);
  if (!language.empty()) tokens.language_token(language);
  candidate_tokens(tokens, options.languages);
  return language;
}

std::string translation_warning(const models::whisper::ModelDimensions& dims,
                                const TranscribeOptions& options) {
  // Turbo and the distilled models: OpenAI's translating ones have as many layers on both sides.
  if (options.task != Task::Translate || dims.n_text_layer >= dims.n_audio_layer) return "";
  return fmt::format(
      "this model has {} decoder layers for {} encoder layers: such ones (turbo, distil) are "
      "seldom taught to translate, so that the text may be in the language spoken",
      dims.n_text_layer, dims.n_audio_layer);
}

LanguageProbabilities language_probabilities(const models::whisper::Whisper& model,
                                             const std::vector<ops::KeyValue>& cross,
                                             const text::WhisperTokens& tokens,
                                             std::span<const std::string> candidates) {
  const std::vector<int32_t> allowed = candidate_tokens(tokens, candidates);
  std::vector<float> mask(static_cast<size_t>(tokens.n_vocab),
                          -std::numeric_limits<float>::infinity());
  for (const int32_t token : allowed) mask[static_cast<size_t>(token)] = 0;

  const mx::array logits =
      mx::reshape(first_step(model, cross, tokens).values(), {1, tokens.n_vocab});
  const mx::array masked = mx::add(logits, mx::array(mask.begin(), {tokens.n_vocab}));
  mx::array probabilities = mx::softmax(masked, -1);
  mx::eval(probabilities);

  LanguageProbabilities result;
  for (const int32_t token : allowed) {
    result.push_back({std::string(tokens.language_of(token)), probabilities.data<float>()[token]});
  }
  std::ranges::stable_sort(result, std::ranges::greater{}, &LanguageProbability::probability);
  return result;
}

bool is_spoken(const models::whisper::Whisper& model, const std::vector<ops::KeyValue>& cross,
               const text::WhisperTokens& tokens, const TranscribeOptions& options) {
  if (!options.no_speech_threshold) return true;
  mx::array silent = first_step(model, cross, tokens).probability_of(0, tokens.no_speech);
  return silent.item<float>() <= *options.no_speech_threshold;
}

size_t deciding_window(std::span<const LanguageProbabilities> windows, double threshold) {
  const auto is_sure = [&](const LanguageProbabilities& window) {
    return window.front().probability > threshold;
  };
  const auto sure = std::ranges::find_if(windows, is_sure);
  if (sure != windows.end()) return static_cast<size_t>(sure - windows.begin());

  std::map<std::string_view, int> votes;
  for (const LanguageProbabilities& window : windows) ++votes[window.front().language];
  size_t best = 0;
  for (size_t i = 1; i < windows.size(); ++i) {
    const LanguageProbability& mine = windows[i].front();
    const LanguageProbability& yours = windows[best].front();
    const int more = votes[mine.language] - votes[yours.language];
    const bool is_surer = mine.language == yours.language && mine.probability > yours.probability;
    if (more > 0 || is_surer) best = i;
  }
  return best;
}

LanguageProbabilities detect_language(const models::whisper::Whisper& model,
                                      const text::WhisperTokens& tokens, WindowFeatures& features,
                                      std::span<const std::vector<Clip>> windows,
                                      const TranscribeOptions& options) {
  std::vector<LanguageProbabilities> heard;
  for (const std::vector<Clip>& window : windows) {
    heard.push_back(
        language_probabilities(model, features.cross(window), tokens, options.languages));
    if (heard.back().front().probability > options.language_detection_threshold) break;
  }
  if (heard.empty()) return {};
  return heard[deciding_window(heard, options.language_detection_threshold)];
}

}  // namespace whinchat::transcription
