// Where a subtitle may end by what is said.
#pragma once

#include "whinchat/formats.h"
#include "whinchat/transcription.h"

namespace whinchat::transcription {

// Whether one ends behind `word`; `following` is the next word of the segment, or null. A full stop
// ends no sentence behind an initial or a title, nor before a small letter (ASCII).
bool is_split_point(const Word& word, const Word* following, SplitAt split_at);

}  // namespace whinchat::transcription
