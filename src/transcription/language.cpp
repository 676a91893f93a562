#include "transcription/language.h"

#include <mlx/array.h>
#include <mlx/dtype.h>
#include <mlx/transforms.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "models/whisper/kv_cache.h"
#include "models/whisper/whisper.h"
#include "ops/choose.h"
#include "ops/key_value.h"
#include "ops/logits.h"
#include "text/whisper_tokens.h"

namespace whinchat::transcription {

namespace mx = mlx::core;

DetectedLanguage detect_language(const models::whisper::Whisper& model,
                                 const std::vector<ops::KeyValue>& cross,
                                 const text::WhisperTokens& tokens) {
  models::whisper::KvCache cache(cross);
  const mx::array start({tokens.sot}, {1, 1}, mx::int32);
  const ops::Logits logits = model.decoder().step(start, cache).logits;
  const int32_t end = tokens.first_language + tokens.n_languages;
  const ops::LogitMask mask{.forbidden = {{0, tokens.first_language}, {end, tokens.n_vocab}}};
  ops::Choice choice = logits.choose_greedy(0, {&mask, 1});
  mx::eval(choice.token, choice.logprob);
  return {std::string(tokens.language_of(choice.token.item<int32_t>())),
          std::exp(static_cast<double>(choice.logprob.item<float>()))};
}

}  // namespace whinchat::transcription
