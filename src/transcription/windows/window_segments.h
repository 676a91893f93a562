// From the tokens of one window to segments and the next seek point: the middle of openai-whisper's
// seek loop (transcribe.py), without a model.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "whinchat/transcription.h"

namespace whinchat::transcription {

struct Window {
  int64_t seek;              // first frame (10 ms), on the file's clock
  int segment_frames;        // frames of content, at most 3000
  int frames_per_timestamp;  // 2: a timestamp step is 20 ms
  bool is_cut = false;       // the tokens end where they had to, not where the text does
};

int64_t frame_at(double time_s);  // the nearest
double seconds_at(int64_t frame);

struct TokenSegment {
  double start_s, end_s;
  std::vector<int32_t> tokens;    // timestamps included
  std::vector<Word> words{};      // once they are timed
  std::vector<float> logprobs{};  // of the tokens
};

struct WindowSegments {
  std::vector<TokenSegment> segments;
  int64_t next_seek;
  bool ends_with_single_timestamp;  // nobody speaks after it
};

// Between two consecutive timestamps a segment ends. Without any, the window is one segment; after
// an unfinished one, the window from the last timestamp on is decoded again. So it is where a text
// was cut behind a timestamp (openai-whisper would take that for the end of speech).
WindowSegments split_window(std::span<const int32_t> tokens, int32_t timestamp_begin,
                            const Window& window);

// Gives the segments of a window, as it was split, the log-probabilities of their tokens.
void give_logprobs(std::vector<TokenSegment>& segments, std::span<const float> logprobs);

// What to say of windows, by their seek points, that lost the end of their text.
std::string cut_warning(std::span<const int64_t> seeks);

}  // namespace whinchat::transcription
