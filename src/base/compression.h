// The ratio by which zlib (level 6) shrinks a text: high for text that repeats itself.
#pragma once

#include <string_view>

namespace whinchat::base {

// Bytes of UTF-8 over bytes of the zlib stream; 0 for an empty text (openai-whisper's
// compression_ratio).
double compression_ratio(std::string_view text);

}  // namespace whinchat::base
