// What lies beside CTranslate2's model.bin of a Whisper model, as its converter and transformers
// write it: the vocabulary, the tokens to suppress, what the features are.
#pragma once

#include <cstdint>
#include <string>

#include "base/json.h"

namespace whinchat::service {

// vocabulary.json: every token by its id, in the characters that GPT-2 has for bytes.
base::Json ct2_vocabulary(int64_t n_vocab);

// config.json, from the fields of weights/names/whisper_config.h. Without alignment heads they are
// all of the last half of the decoder's layers.
base::Json ct2_config(const base::Json& config);

// preprocessor_config.json, which faster-whisper reads.
base::Json feature_config(int64_t n_mels);

}  // namespace whinchat::service
