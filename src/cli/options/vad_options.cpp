#include <CLI/CLI.hpp>

#include "cli/options/speech_options.h"
#include "whinchat/transcription.h"
#include "whinchat/vad.h"

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
  VadOptions& parameters = options.vad_parameters;
  command.add_option("--vad-threshold", parameters.threshold, "Speech from this probability on")
      ->type_name("F")
      ->capture_default_str();
  command
      .add_option("--vad-neg-threshold", parameters.neg_threshold,
                  "Silence below this; else 0.15 lower")
      ->type_name("F");
  command
      .add_option("--vad-min-speech-duration-ms", parameters.min_speech_duration_ms,
                  "Shorter speech is dropped")
      ->type_name("MS")
      ->capture_default_str();
  command
      .add_option("--vad-max-speech-duration-s", parameters.max_speech_duration_s,
                  "Longer speech is cut in a silence")
      ->type_name("S");
  command
      .add_option("--vad-min-silence-duration-ms", parameters.min_silence_duration_ms,
                  "Shorter silence is heard")
      ->type_name("MS")
      ->capture_default_str();
  command
      .add_option("--vad-speech-pad-ms", parameters.speech_pad_ms, "Heard before and behind speech")
      ->type_name("MS")
      ->capture_default_str();
}

}  // namespace whinchat::cli
