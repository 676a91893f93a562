#include "cli/options/speech_options.h"

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/files/inputs.h"
#include "cli/options/choice.h"
#include "cli/options/clock_time.h"
#include "cli/options/number_or_none.h"
#include "whinchat/option_values.h"
#include "whinchat/transcription.h"

namespace whinchat::cli {
namespace {

void add_channel(CLI::App& command, TranscribeOptions& options) {
  const auto set = [&options](const std::string& value) {
    options.split_channels = CLI::detail::to_lower(value) == "split";
    options.channel.reset();
    int channel = 0;
    if (options.split_channels) return;
    if (!CLI::detail::lexical_cast(value, channel)) {
      throw CLI::ConversionError("--channel: expected a number or split, got " + value);
    }
    if (channel < 1) {
      throw CLI::ValidationError("--channel", "channels are counted from 1, got " + value);
    }
    options.channel = channel;
  };
  command
      .add_option_function<std::string>("--channel", set, "Hear one, from 1; or split: each alone")
      ->type_name("CHANNEL");
}

void add_clips(CLI::App& command, TranscribeOptions& options) {
  const ClipOptions clip = add_clip_options(command, options.clip_timestamps);
  command
      .add_option("--clip-timestamps", options.clip_timestamps,
                  "Hear only S to S, …; a last start goes on")
      ->type_name("S,…")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->default_str("0")
      ->excludes(clip.start)
      ->excludes(clip.end);
}

// As openai-whisper: while they are at most 1.
std::vector<double> temperatures_from(double first, std::optional<double> increment) {
  std::vector<double> all{first};
  constexpr double kLast = 1.0 + 1e-6;
  const double step = increment.value_or(0);
  for (int i = 1; step > 0 && first + i * step <= kLast; ++i) all.push_back(first + i * step);
  return all;
}

}  // namespace

void add_input_options(CLI::App& command, InputOptions& inputs, ModelOptions& model) {
  command.add_option("FILE", inputs.files, "Files, folders, patterns; - is standard input")
      ->type_name("");
  command.add_option("--input-list", inputs.lists, "Inputs, one a line; @FILE is the same")
      ->type_name("FILE")
      ->allow_extra_args(false);
  command.add_flag("--recursive", inputs.recursive, "Also the folders in folders");
  command.callback([&inputs] {
    if (inputs.files.empty() && inputs.lists.empty()) throw CLI::RequiredError("FILE");
  });
  command.add_option("--model", model.model, "A model's name, its folder or file")
      ->type_name("MODEL")
      ->capture_default_str();
  command.add_flag("--offline", model.offline, "Do not fetch a model that is not here");
}

void add_detection_options(CLI::App& command, TranscribeOptions& options) {
  command.add_option("--languages", options.languages, "What may be detected, by commas: en,de,fr")
      ->type_name("L,…")
      ->delimiter(',')
      ->allow_extra_args(false);
  command
      .add_option("--language-detection-segments", options.language_detection_segments,
                  "Windows asked until one is sure")
      ->type_name("N")
      ->check(CLI::Range(1, 1000).description(""))
      ->capture_default_str();
  command
      .add_option("--language-detection-threshold", options.language_detection_threshold,
                  "What is sure, from 0 to 1")
      ->type_name("F")
      ->capture_default_str();
  add_channel(command, options);
  add_clips(command, options);
}

void add_speech_options(CLI::App& command, TranscribeOptions& options) {
  command.add_option("--language", options.language, "Code or name; detected when not given")
      ->type_name("LANGUAGE");
  add_detection_options(command, options);
  command.add_flag("--multilingual", options.multilingual, "Each window in its own language");
  add_choice(command, "--task", options.task, kTasks, "Write what is said, or that in English");
  command.add_option("--audio-ctx", options.audio_ctx, "Experiment: a shorter encoder, 50 to 1500")
      ->type_name("N");
}

void add_temperature_options(CLI::App& command, TranscribeOptions& options) {
  const CLI::Option* several =
      command
          .add_option("--temperature", options.temperatures, "The first; or all of them, by commas")
          ->type_name("T,…")
          ->delimiter(',')
          ->allow_extra_args(false)  // what follows is a file
          ->check(CLI::Range(0.0, 100.0).description(""))
          ->default_str("0");
  const auto increment = std::make_shared<std::optional<double>>(0.2);
  const CLI::Option* step = add_number_or_none(command, "--temperature-increment-on-fallback",
                                               *increment, "To the next, while a text needs it");
  command.parse_complete_callback([&options, several, increment, step] {
    const bool is_list = several->count() > 0 && options.temperatures.size() > 1;
    if (is_list && step->count() > 0) {
      throw CLI::ValidationError("--temperature-increment-on-fallback",
                                 "--temperature lists all temperatures already");
    }
    if (is_list || several->count() + step->count() == 0) return;
    options.temperatures = temperatures_from(options.temperatures.front(), *increment);
  });
}

void add_decoding_options(CLI::App& command, TranscribeOptions& options) {
  add_temperature_options(command, options);
  command.add_option("--best-of", options.best_of, "Texts drawn above temperature 0; one stays")
      ->type_name("N")
      ->check(CLI::Range(1, 64).description(""))
      ->capture_default_str();
  command.add_option("--seed", options.seed, "Of what is drawn: the same seed, the same text")
      ->type_name("N")
      ->capture_default_str();
  command
      .add_option("--beam-size", options.beam_size, "At temperature 0; 1 is greedy, 5 the default")
      ->type_name("N")
      ->check(CLI::Range(1, 64).description(""));
  command.add_option("--patience", options.patience, "Finished beams looked for, in beam sizes")
      ->type_name("F")
      ->check(CLI::Range(0.01, 100.0).description(""))
      ->capture_default_str();
  command
      .add_option("--length-penalty", options.length_penalty,
                  "Between texts: 0 favours short ones, 1 long ones")
      ->type_name("F");
  add_number_or_none(command, "--compression-ratio-threshold", options.compression_ratio_threshold,
                     "A text that compresses better is tried again");
  add_number_or_none(command, "--logprob-threshold", options.logprob_threshold,
                     "A text less likely on average is tried again");
  add_number_or_none(command, "--no-speech-threshold", options.no_speech_threshold,
                     "Likelier silent, with an unlikely text: silence");
  command
      .add_option("--skip-digital-silence", options.skip_digital_silence,
                  "No words where every sample is 0")
      ->type_name("BOOL")
      ->default_str("true");
}

void add_word_options(CLI::App& command, TranscribeOptions& options) {
  command.add_flag("--word-timestamps", options.word_timestamps, "Times of words, shown in json");
  command
      .add_option("--prepend-punctuations", options.prepend_punctuations,
                  "Marks that belong to the word after them")
      ->type_name("MARKS");
  command
      .add_option("--append-punctuations", options.append_punctuations,
                  "Marks that belong to the word before them")
      ->type_name("MARKS");
  add_number_or_none(command, "--hallucination-silence-threshold",
                     options.hallucination_silence_threshold,
                     "Seconds of silence skipped before odd words");
}

void add_machine_options(CLI::App& command, ModelOptions& options) {
  command.add_flag("--faithful", options.faithful, "The oracle's graph, bit for bit; slow");
  add_choice(command, "--compute", options.compute, kComputes, "The type of products");
  add_choice(command, "--device", options.device, kDevices, "auto is a GPU if there is one");
  command.add_option("--threads", options.threads, "0 is one for each usable core")
      ->type_name("N")
      ->check(CLI::Range(0, 1024).description(""));
}

}  // namespace whinchat::cli
