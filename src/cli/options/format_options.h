// What documents are made of a transcription.
#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "whinchat/formats.h"

namespace whinchat::cli {

struct FormatOptions {
  std::vector<Format> formats = {Format::Txt};  // each once
  WriterOptions writer;
  bool colors = false;  // in text that is printed, where they can be shown
};

// What is parsed goes to `options`, which outlives `command`.
void add_format_options(CLI::App& command, FormatOptions& options);

// Throws Error{BadInput} for options that mean nothing together.
void check_formats(const FormatOptions& options);

// The same for what standard output cannot hold.
void check_standard_output(const FormatOptions& options, size_t inputs);

// Whether standard output is a terminal, or said to be one (CLICOLOR_FORCE); never with NO_COLOR.
bool takes_colors();

// The options that were given, and their values as they were written.
std::vector<std::pair<std::string, std::string>> given_options(const CLI::App& command);

// Of the files of a format: ".srt"; both kinds of JSON have ".json".
std::string extension_of(Format format);

}  // namespace whinchat::cli
