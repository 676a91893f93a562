// One file after another through a Transcriber: what is printed, written, shown and counted.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/files/inputs.h"
#include "cli/files/output_files.h"
#include "cli/options/format_options.h"
#include "whinchat/transcription.h"

namespace whinchat::cli {

struct BatchRequest {
  std::vector<std::string> files;  // - is standard input
  ModelOptions model;
  TranscribeOptions options;
  FormatOptions output;
  std::optional<std::string> align;  // a text that is said, or @ and the file that holds it
  OutputPlace place;                 // else standard output
  bool skip_existing = false;
  std::string journal;        // which inputs are done; empty: nowhere. Only where files are written
  bool verbose = false;       // the words on standard output too
  std::string profile;        // where the trace goes; empty: no profile
  std::string json_progress;  // where events go; empty: nowhere
  bool quiet = false;
};

// Of an input, to people: standard input has a name.
inline std::string shown_name(const std::string& file) {
  return file == "-" ? "standard input" : file;
}

// A failing file is reported and the others go on; so does what `inputs` says was not found. The
// exit status: by the worst of them.
int transcribe_files(const BatchRequest& request, const Inputs& inputs);

}  // namespace whinchat::cli
