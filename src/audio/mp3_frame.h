// Whether an MP3 frame is whole: FFmpeg decodes a cut last frame and says nothing.
#pragma once

#include <cstddef>
#include <span>

namespace whinchat::audio {

// True for a layer III frame whose header asks for more bytes than there are. False for anything
// that is no such frame (a tag after the sound, say).
bool is_cut_mp3_frame(std::span<const std::byte> frame);

}  // namespace whinchat::audio
