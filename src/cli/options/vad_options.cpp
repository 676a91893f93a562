#include <CLI/CLI.hpp>

#include "cli/options/span_options.h"
#include "cli/options/speech_options.h"
#include "whinchat/transcription.h"

namespace whinchat::cli {

void add_vad_options(CLI::App& command, TranscribeOptions& options) {
  CLI::Option* filter =
      command
          .add_option("--vad-filter", options.vad_filter, "Only speech is heard (Silero VAD v6)")
          ->type_name("BOOL")
          ->default_str("true");
  command
      .add_flag_callback(
          "--no-vad", [&options] { options.vad_filter = false; }, "All is heard, silence too")
      ->excludes(filter);
  command
      .add_option("--share-windows", options.share_windows,
                  "Short pieces of speech are heard together")
      ->type_name("BOOL")
      ->default_str("true");
  add_span_options(command, "--vad-", options.vad_parameters);
}

}  // namespace whinchat::cli
