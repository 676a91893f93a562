"""faster_whisper_warm.py FOLDER LANGUAGE THREADS COMPUTE_TYPE: faster-whisper, warm (serve.py)."""

import sys

from faster_whisper import WhisperModel
from serve import serve


def main(folder, language, threads, compute_type):
    model = WhisperModel(folder, device="cpu", compute_type=compute_type, cpu_threads=int(threads))

    def transcribe(samples):
        # One temperature: no fallback. The segments are made while they are iterated over.
        segments, _ = model.transcribe(samples, language=language, beam_size=1, temperature=0)
        return "".join(segment.text for segment in segments)

    serve(transcribe)


main(*sys.argv[1:])
