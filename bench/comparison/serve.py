"""The loop of a peer's own process: the model stays loaded, each request is one transcription."""

import json
import sys
import time

import numpy as np


def options():
    """The program's one argument, JSON of names and values (programs.py)."""
    return json.loads(sys.argv[1])


def serve(transcribe):
    """Prints a line when the model is loaded. Then each line of standard input names a file of f32
    samples, mono at 16 kHz, and gets one line of JSON: seconds, text. Reading is not timed."""
    print("{}", flush=True)
    for line in sys.stdin:
        samples = np.fromfile(line.rstrip("\n"), dtype=np.float32)
        start = time.perf_counter()
        text = transcribe(samples)
        seconds = time.perf_counter() - start
        print(json.dumps({"seconds": seconds, "text": text}), flush=True)
