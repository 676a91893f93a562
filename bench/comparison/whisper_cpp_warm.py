"""whisper_cpp_warm.py OPTIONS: whisper.cpp, warm (serve.py)."""

import _pywhispercpp as whisper
from serve import options, serve


def main(model, threads, language, beam, attention):
    context_options = whisper.whisper_context_default_params()
    context_options.use_gpu = False
    context_options.flash_attn = attention == "flash"
    context = whisper.whisper_init_from_file_with_params(model, context_options)

    strategies = whisper.whisper_sampling_strategy
    strategy = strategies.WHISPER_SAMPLING_GREEDY
    if beam > 1:
        strategy = strategies.WHISPER_SAMPLING_BEAM_SEARCH
    given = whisper.whisper_full_default_params(strategy)
    given.language = language or "auto"
    given.n_threads = threads
    given.greedy = {"best_of": 1}
    given.beam_search = {"beam_size": beam, "patience": -1.0}
    given.temperature_inc = 0.0  # no fallback
    given.n_max_text_ctx = 0  # each window by itself
    given.suppress_nst = True  # as the other programs do by default
    given.print_progress = False

    def transcribe(samples):
        if whisper.whisper_full(context, given, samples, samples.size) != 0:
            raise RuntimeError("whisper_full failed")
        texts = [
            whisper.whisper_full_get_segment_text(context, index)
            for index in range(whisper.whisper_full_n_segments(context))
        ]
        return b"".join(texts).decode()

    serve(transcribe)


main(**options())
