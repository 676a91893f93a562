#include "cli/options/span_options.h"

#include <CLI/CLI.hpp>
#include <string>

#include "whinchat/vad.h"

namespace whinchat::cli {

void add_span_options(CLI::App& command, const std::string& prefix, VadOptions& options) {
  command
      .add_option(prefix + "threshold", options.threshold, "Speech begins at such a probability")
      ->type_name("F")
      ->capture_default_str();
  command
      .add_option(prefix + "neg-threshold", options.neg_threshold,
                  "It ends below; threshold - 0.15")
      ->type_name("F");
  command
      .add_option(prefix + "min-speech-duration-ms", options.min_speech_duration_ms,
                  "Shorter speech is left out")
      ->type_name("N")
      ->capture_default_str();
  command
      .add_option(prefix + "max-speech-duration-s", options.max_speech_duration_s,
                  "Longer speech is cut in a silence")
      ->type_name("F")
      ->default_str("inf");
  command
      .add_option(prefix + "min-silence-duration-ms", options.min_silence_duration_ms,
                  "Shorter silence does not end it")
      ->type_name("N")
      ->capture_default_str();
  command
      .add_option(prefix + "speech-pad-ms", options.speech_pad_ms, "Added before and behind speech")
      ->type_name("N")
      ->capture_default_str();
}

void add_cut_options(CLI::App& command, VadOptions& options) {
  command
      .add_option("--min-silence-at-max-speech", options.min_silence_at_max_speech,
                  "ms; what may be cut in is longer")
      ->type_name("N")
      ->capture_default_str();
  command
      .add_option("--use-max-poss-sil-at-max-speech", options.use_max_poss_sil_at_max_speech,
                  "The longest such, else the last")
      ->type_name("BOOL")
      ->default_str("true");
}

}  // namespace whinchat::cli
