// The decoding rules that a transcription's options ask for, as a model's tokens.
#pragma once

#include "decoding/rules.h"
#include "text/whisper_tokenizer.h"
#include "whinchat/transcription.h"

namespace whinchat::transcription {

// For a decoder with timestamps, or one without. Throws Error{BadInput} that names the option: a
// token that the model lacks or that every text needs, a pattern that is none.
decoding::RuleOptions rule_options(const text::WhisperTokenizer& tokenizer,
                                   const TranscribeOptions& options, bool timestamps);

}  // namespace whinchat::transcription
