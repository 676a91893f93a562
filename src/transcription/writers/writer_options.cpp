#include "transcription/writers/writer_options.h"

#include <optional>
#include <string_view>

#include "base/error.h"
#include "whinchat/formats.h"

namespace whinchat::transcription {
namespace {

void require_positive(std::string_view name, std::optional<int> number) {
  if (number && *number < 1) {
    base::fail(ErrorKind::BadInput, "{}: expected 1 or more, got {}", name, *number);
  }
}

}  // namespace

void check_subtitles(const WriterOptions& options) {
  require_positive("max-line-width", options.max_line_width);
  require_positive("max-line-count", options.max_line_count);
  require_positive("max-words-per-line", options.max_words_per_line);
  if (options.max_line_count && !options.max_line_width) {
    base::fail(ErrorKind::BadInput, "max-line-count: expected max-line-width with it");
  }
  if (options.max_words_per_line && options.max_line_count) {
    base::fail(ErrorKind::BadInput, "max-words-per-line: expected no max-line-count with it");
  }
}

}  // namespace whinchat::transcription
