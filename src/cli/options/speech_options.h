// The options of whatever turns speech into text, by the parts of its help.
#pragma once

#include <CLI/CLI.hpp>

#include "cli/files/inputs.h"
#include "whinchat/transcription.h"

namespace whinchat::cli {

// What is parsed goes to `options`, which outlives `command`.
void add_input_options(CLI::App& command, InputOptions& inputs, ModelOptions& model);
void add_detection_options(CLI::App& command, TranscribeOptions& options);  // and what is heard
void add_speech_options(CLI::App& command, TranscribeOptions& options);
void add_vad_options(CLI::App& command, TranscribeOptions& options);
void add_prompt_options(CLI::App& command, TranscribeOptions& options);
void add_decoding_options(CLI::App& command, TranscribeOptions& options);
void add_word_options(CLI::App& command, TranscribeOptions& options);
void add_constraint_options(CLI::App& command, TranscribeOptions& options);
void add_machine_options(CLI::App& command, ModelOptions& options);

}  // namespace whinchat::cli
