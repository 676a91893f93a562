#include "transcription/writers/write.h"

#include <string>

#include "transcription/writers/csv.h"
#include "transcription/writers/json.h"
#include "transcription/writers/json_full.h"
#include "transcription/writers/lrc.h"
#include "transcription/writers/srt.h"
#include "transcription/writers/tsv.h"
#include "transcription/writers/txt.h"
#include "transcription/writers/vtt.h"
#include "transcription/writers/writer_options.h"
#include "whinchat/formats.h"
#include "whinchat/transcription.h"

namespace whinchat::transcription {

std::string write(const Transcription& transcription, Format format, const WriterOptions& options) {
  check_subtitles(options);
  switch (format) {
    case Format::Txt:
      return write_txt(transcription);
    case Format::Srt:
      return write_srt(transcription, options);
    case Format::Vtt:
      return write_vtt(transcription, options);
    case Format::Tsv:
      return write_tsv(transcription);
    case Format::Json:
      return write_json(transcription, options);
    case Format::JsonFull:
      return write_json_full(transcription, options);
    case Format::Lrc:
      return write_lrc(transcription);
    case Format::Csv:
      return write_csv(transcription);
  }
  return {};
}

}  // namespace whinchat::transcription
