// Whether an Ogg file is whole: FFmpeg takes a cut one as a shorter one and says nothing.
#pragma once

#include "audio/byte_source.h"

namespace whinchat::audio {

// True when the file's last page is complete, undamaged and marked as the last of its stream.
// `bytes` is seekable; its position changes.
bool ogg_has_end_mark(ByteSource& bytes);

}  // namespace whinchat::audio
