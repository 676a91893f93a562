#!/usr/bin/env python3
"""whisper.cpp's text by five beams, with and without hints.

usage: whisper_cpp.py MODEL.bin SAMPLES.f32 OUT.json

MODEL.bin has the weights of a CTranslate2 folder (oracles/ggml_file.py); samples are raw
f32 at 16 kHz, mono. Needs pywhispercpp 1.5.1, which carries whisper.cpp 1.8.5, and numpy (both are
in the cache's bench/peers). The results are stored in tests/data/whisper_cpp_*.json.
"""

import json
import sys

import _pywhispercpp as whisper
import numpy as np

PROMPTS = ("", "A glossary: Americans, Kennedy, country.", "MY FELLOW AMERICANS, WE SHOUT.")


def main(model, samples_path, out):
    samples = np.fromfile(samples_path, np.float32)
    context_options = whisper.whisper_context_default_params()
    context_options.use_gpu = False
    context_options.flash_attn = False
    context = whisper.whisper_init_from_file_with_params(model, context_options)
    rows = []
    for prompt in PROMPTS:
        beams = whisper.whisper_sampling_strategy.WHISPER_SAMPLING_BEAM_SEARCH
        options = whisper.whisper_full_default_params(beams)
        options.language = "en"
        options.n_threads = 2
        options.beam_search = {"beam_size": 5, "patience": 1.0}
        options.temperature_inc = 0.0  # no fallback
        options.suppress_nst = True  # as openai-whisper does by default
        options.print_progress = False
        options.initial_prompt = prompt
        if whisper.whisper_full(context, options, samples, samples.size) != 0:
            raise RuntimeError("whisper_full failed")
        texts = [
            whisper.whisper_full_get_segment_text(context, index)
            for index in range(whisper.whisper_full_n_segments(context))
        ]
        rows.append({"initial_prompt": prompt, "text": b"".join(texts).decode()})
    document = {"versions": {"whisper.cpp": "1.8.5", "pywhispercpp": "1.5.1"}, "rows": rows}
    with open(out, "w", encoding="utf-8") as file:
        json.dump(document, file, ensure_ascii=False, indent=1)
        file.write("\n")


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
