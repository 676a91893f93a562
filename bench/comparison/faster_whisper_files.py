"""faster_whisper_files.py FOLDER THREADS COMPUTE_TYPE BEAM OUT WAV…: OUT/NAME.txt for each."""

import pathlib
import sys

from faster_whisper import WhisperModel


def main(folder, threads, compute_type, beam, out, *wavs):
    model = WhisperModel(folder, device="cpu", compute_type=compute_type, cpu_threads=int(threads))
    for wav in map(pathlib.Path, wavs):
        # Everything else as it is by default: timestamps, earlier text, fallback.
        segments, _ = model.transcribe(str(wav), language="en", beam_size=int(beam))
        text = "".join(segment.text for segment in segments)
        (pathlib.Path(out) / f"{wav.stem}.txt").write_text(text, encoding="utf-8")


main(*sys.argv[1:])
