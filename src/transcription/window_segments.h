// From the tokens of one window to segments and the next seek point: the middle of openai-whisper's
// seek loop (transcribe.py), without a model.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "whinchat/transcription.h"

namespace whinchat::transcription {

struct Window {
  int64_t seek;              // first frame (10 ms), on the file's clock
  int segment_frames;        // frames of content, at most 3000
  int frames_per_timestamp;  // 2: a timestamp step is 20 ms
};

int64_t frame_at(double time_s);  // the nearest

struct TokenSegment {
  double start_s, end_s;
  std::vector<int32_t> tokens;  // timestamps included
  std::vector<Word> words{};    // once they are timed
};

struct WindowSegments {
  std::vector<TokenSegment> segments;
  int64_t next_seek;
  bool ends_with_single_timestamp;  // nobody speaks after it
};

// Between two consecutive timestamps a segment ends. Without any, the window is one segment; after
// an unfinished one, the window from the last timestamp on is decoded again.
WindowSegments split_window(std::span<const int32_t> tokens, int32_t timestamp_begin,
                            const Window& window);

}  // namespace whinchat::transcription
