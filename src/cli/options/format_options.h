// What documents are made of a transcription.
#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <string>
#include <vector>

#include "whinchat/formats.h"

namespace whinchat::cli {

struct FormatOptions {
  std::vector<Format> formats = {Format::Txt};  // each once
  WriterOptions writer;
};

// What is parsed goes to `options`, which outlives `command`.
void add_format_options(CLI::App& command, FormatOptions& options);

// Throws Error{BadInput} for options that mean nothing together.
void check_formats(const FormatOptions& options);

// The same for what standard output cannot hold.
void check_standard_output(const FormatOptions& options, size_t inputs);

// Of the files of a format: ".srt".
std::string extension_of(Format format);

}  // namespace whinchat::cli
