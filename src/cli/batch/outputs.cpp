#include "cli/batch/outputs.h"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <iostream>
#include <string>
#include <system_error>
#include <vector>

#include "base/error.h"
#include "cli/batch/batch.h"
#include "cli/files/output_files.h"
#include "cli/options/format_options.h"
#include "cli/screen/progress.h"
#include "cli/screen/screen_text.h"
#include "whinchat/formats.h"
#include "whinchat/transcription.h"

namespace whinchat::cli {
namespace {

namespace fs = std::filesystem;

// An input such as talk.txt would be lost where the words are to go.
void require_no_input(const fs::path& output, const std::string& input) {
  std::error_code ignored;
  if (!fs::equivalent(output, input, ignored)) return;
  base::fail(ErrorKind::BadInput, "the words would overwrite the recording: {}", output.string());
}

}  // namespace

Outputs::Outputs(const BatchRequest& request, Progress& progress)
    : request_(request),
      progress_(progress),
      stems_(output_stems(request.files, request.place)),
      colors_(request.output.colors && takes_colors()) {}

std::vector<fs::path> Outputs::files(size_t index) const {
  std::vector<fs::path> files;
  if (!request_.place.is_file()) return files;
  files.reserve(request_.output.formats.size());
  for (const Format format : request_.output.formats) {
    files.emplace_back(stems_[index].string() + extension_of(format));
  }
  return files;
}

bool Outputs::are_there(size_t index) const {
  return std::ranges::all_of(files(index), [](const fs::path& file) {
    std::error_code ignored;
    return fs::is_regular_file(file, ignored);
  });
}

bool Outputs::streams_text() const {
  return request_.place.is_file() ? request_.verbose
                                  : request_.output.formats.front() == Format::Txt;
}

void Outputs::print(const std::string& text) {
  progress_.clear();
  std::cout << text;
  flush_standard_output();
}

void Outputs::print_heading(size_t index) {
  if (request_.files.size() == 1 || headed_ == index) return;
  print((headed_ ? "\n==> " : "==> ") + printable(shown_name(request_.files[index])) + " <==\n");
  headed_ = index;
}

void Outputs::print(const Segment& segment, size_t index) {
  if (!streams_text()) return;
  const std::string line = colors_ ? format_colored_segment(segment) : format_segment(segment);
  if (line.empty()) return;
  print_heading(index);
  print(line);
}

std::string Outputs::document(const Transcription& result, Format format, size_t index) const {
  WriterOptions writer = request_.output.writer;
  const bool is_one_of_many = !request_.place.is_file() && request_.files.size() > 1;
  if (is_one_of_many || format == Format::JsonFull) writer.file = request_.files[index];
  return format_transcription(result, format, writer);
}

void Outputs::deliver(const Transcription& result, size_t index) {
  const std::vector<Format>& formats = request_.output.formats;
  if (request_.place.is_file()) {
    const std::vector<fs::path> files = this->files(index);
    for (size_t i = 0; i < files.size(); ++i) {
      require_no_input(files[i], request_.files[index]);
      write_file(files[i], document(result, formats[i], index));
    }
  } else if (streams_text()) {
    print_heading(index);  // a file without words has none yet
  } else {
    print(document(result, formats.front(), index));
  }
}

}  // namespace whinchat::cli
