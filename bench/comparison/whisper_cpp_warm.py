"""whisper_cpp_warm.py FILE LANGUAGE THREADS flash|plain: whisper.cpp, warm (serve.py)."""

import sys

import _pywhispercpp as whisper
from serve import serve


def main(path, language, threads, attention):
    context_options = whisper.whisper_context_default_params()
    context_options.use_gpu = False
    context_options.flash_attn = attention == "flash"
    context = whisper.whisper_init_from_file_with_params(path, context_options)

    greedy = whisper.whisper_sampling_strategy.WHISPER_SAMPLING_GREEDY
    options = whisper.whisper_full_default_params(greedy)
    options.language = language
    options.n_threads = int(threads)
    options.greedy = {"best_of": 1}
    options.temperature_inc = 0.0  # no fallback
    options.suppress_nst = True  # as the other programs do by default
    options.print_progress = False

    def transcribe(samples):
        if whisper.whisper_full(context, options, samples, samples.size) != 0:
            raise RuntimeError("whisper_full failed")
        texts = [
            whisper.whisper_full_get_segment_text(context, index)
            for index in range(whisper.whisper_full_n_segments(context))
        ]
        return b"".join(texts).decode()

    serve(transcribe)


main(*sys.argv[1:])
