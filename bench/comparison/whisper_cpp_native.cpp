// whisper_cpp_native FILE THREADS LANGUAGE|auto BEAM flash|plain: whisper.cpp as built for this
// processor, warm (serve.h). Compiled against that build by whisper_cpp_build.py, and part of no
// target here.

#include <whisper.h>

#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

#include "serve.h"

namespace {

whisper_full_params options_of(int threads, const char* language, int beam) {
  whisper_full_params options = whisper_full_default_params(beam > 1 ? WHISPER_SAMPLING_BEAM_SEARCH
                                                                     : WHISPER_SAMPLING_GREEDY);
  options.language = language;
  options.n_threads = threads;
  options.greedy.best_of = 1;
  options.beam_search.beam_size = beam;
  options.temperature_inc = 0;  // no fallback
  options.n_max_text_ctx = 0;   // each window by itself
  options.suppress_nst = true;  // as the other programs do by default
  options.print_progress = false;
  return options;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 6) return 2;
  whisper_context_params context_options = whisper_context_default_params();
  context_options.use_gpu = false;
  context_options.flash_attn = std::string(argv[5]) == "flash";
  whisper_context* context = whisper_init_from_file_with_params(argv[1], context_options);
  if (context == nullptr) return 1;
  const whisper_full_params options = options_of(std::stoi(argv[2]), argv[3], std::stoi(argv[4]));
  try {
    whinchat::bench::serve([&](const std::vector<float>& samples) {
      const int count = static_cast<int>(samples.size());
      if (whisper_full(context, options, samples.data(), count) != 0)
        throw std::runtime_error("whisper_full failed");
      std::string text;
      for (int i = 0; i < whisper_full_n_segments(context); ++i)
        text += whisper_full_get_segment_text(context, i);
      return text;
    });
  } catch (const std::exception& error) {
    std::cerr << "whisper_cpp_native: " << error.what() << '\n';
    return 1;
  }
  whisper_free(context);
  return 0;
}
