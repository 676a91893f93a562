// Which options of documents make sense.
#pragma once

#include "whinchat/formats.h"

namespace whinchat::transcription {

// As check_writer_options.
void check_subtitles(const WriterOptions& options);

}  // namespace whinchat::transcription
