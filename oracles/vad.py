#!/usr/bin/env python3
"""What silero-vad 6.2.3 finds: probabilities of its jit model, and spans of speech.

    python3 oracles/vad.py recordings PACKAGE OUT.json NAME=SAMPLES.f32…
    python3 oracles/vad.py spans PACKAGE OUT.json

PACKAGE is the unpacked wheel; torch is needed. SAMPLES.f32 is what `decode_audio` wrote, at 16 kHz;
at 8 kHz the model hears every second sample. `recordings` writes tests/data/vad/recordings.json.
`spans` writes tests/data/vad/spans.json: get_speech_timestamps over a scripted
model, whose probabilities are 1024ths, for drawn options (with the spans) and for every combination
of extreme ones (with a checksum of them).
"""

import array
import itertools
import json
import pathlib
import random
import sys

VERSION = "6.2.3"
RATES = {16000: 512, 8000: 256}
INFINITY = float("inf")


def load_package(folder):
    sys.path.insert(0, folder)
    import silero_vad

    assert pathlib.Path(silero_vad.__file__).parent == pathlib.Path(folder) / "silero_vad"
    return silero_vad


# For which the spans of recordings are stored: silero's own defaults, faster-whisper's, a cut.
REAL = {
    "silero": {},
    "transcription": {
        "min_speech_duration_ms": 0,
        "min_silence_duration_ms": 2000,
        "speech_pad_ms": 400,
    },
    "short": {"max_speech_duration_s": 3, "speech_pad_ms": 100},
}


def recordings(package, named):
    """Of each recording and rate: probabilities, and what get_speech_timestamps makes of it."""
    import torch

    model = package.load_silero_vad()
    rows = {}
    for name, path in named:
        samples = array.array("f", pathlib.Path(path).read_bytes())
        for rate in RATES:
            heard = torch.tensor(samples if rate == 16000 else samples[::2])
            found = model.audio_forward(heard, sr=rate)[0].tolist()
            row = {"probabilities": [round(value, 6) for value in found]}
            for title, options in REAL.items():
                speech = package.get_speech_timestamps(heard, model, sampling_rate=rate, **options)
                row[title] = [at for span in speech for at in (span["start"], span["end"])]
            rows.setdefault(name, {})[rate] = row
    return rows


class Scripted:
    """A model that says what it was told to."""

    def __init__(self, values):
        self.values = values
        self.next = 0

    def reset_states(self):
        self.next = 0

    def __call__(self, chunk, rate):
        import torch

        self.next += 1
        return torch.tensor(self.values[self.next - 1] / 1024)


def script(draw, chunks):
    """Runs of speech, of silence and of neither, long and short; thresholds themselves too."""
    values = []
    while len(values) < chunks:
        low, high = draw.choice([(0, 150), (0, 150), (150, 520), (520, 1024), (600, 1024)])
        length = draw.choice([1, 1, 2, 3, 4, 5, 8, 15, 30, 70])
        values += [draw.choice([512, draw.randint(low, high)]) for _ in range(length)]
        if draw.random() < 0.1:
            values += [draw.choice([0, 1024])] * draw.choice([1, 60, 150])
    return values[:chunks]


CORNERS = {
    "threshold": [0.5, 0.25],
    "neg_threshold": [None, 0.125],
    "min_speech_duration_ms": [0, 250, 2000],
    "max_speech_duration_s": [INFINITY, 5, 0.05],
    "min_silence_duration_ms": [0, 100, 2000],
    "speech_pad_ms": [0, 30, 400],
    "min_silence_at_max_speech": [0, 98],
    "use_max_poss_sil_at_max_speech": [True, False],
}
DRAWN = {
    "threshold": [0.5, 0.5, 0.05, 0.9, 0.3],
    "neg_threshold": [None, None, 0.0, 0.2, 0.6],
    "min_speech_duration_ms": [0, 0, 1, 100, 250, 1000, 5000],
    "max_speech_duration_s": [INFINITY, INFINITY, 0.001, 0.9, 1.7, 3.2, 15, 30],
    "min_silence_duration_ms": [0, 31, 100, 500, 2000, 2000],
    "speech_pad_ms": [0, 15, 30, 30, 33, 400, 400, 3000],
    "min_silence_at_max_speech": [0, 98, 98, 500],
    "use_max_poss_sil_at_max_speech": [True, False],
}


def spans_of(package, values, rate, total, options):
    import torch

    speech = package.get_speech_timestamps(
        torch.zeros(total), Scripted(values), sampling_rate=rate, **options
    )
    return [position for span in speech for position in (span["start"], span["end"])]


def in_json(options):
    """JSON has no infinity: unset."""
    return {k: v for k, v in options.items() if v is not None and v != INFINITY}


def checksum(spans):
    """FNV-1a, 32 bits."""
    value = 2166136261
    for byte in " ".join(map(str, spans)).encode():
        value = (value ^ byte) * 16777619 % 2**32
    return value


def spans(package):
    draw = random.Random(9)
    drawn, scripts = [], []
    for i in range(300):
        rate = 16000 if i % 3 else 8000
        chunks = draw.choice([1, 2, 10, 60, 60, 130])
        values = script(draw, chunks)
        total = chunks * RATES[rate] - draw.choice([0, 0, 1, RATES[rate] // 2, RATES[rate] - 1])
        options = {name: draw.choice(choices) for name, choices in DRAWN.items()}
        found = spans_of(package, values, rate, total, options)
        row = {"rate": rate, "total": total, "options": in_json(options)}
        drawn.append({**row, "probabilities": values, "spans": found})
    for i, rate in enumerate([16000, 8000, 16000]):
        chunks = 700
        values = script(draw, chunks)
        total = chunks * RATES[rate] - [0, 100, 511][i]
        checksums = []
        for corner in itertools.product(*CORNERS.values()):
            options = dict(zip(CORNERS, corner))
            found = spans_of(package, values, rate, total, options)
            checksums.append(checksum(found))
        row = {"rate": rate, "total": total, "probabilities": values}
        scripts.append({**row, "checksums": checksums})
    # In the order of itertools.product: the last one changes first. Null: unset, or infinity.
    corners = [[k, [None if v == INFINITY else v for v in vs]] for k, vs in CORNERS.items()]
    return {"drawn": drawn, "corners": corners, "scripts": scripts}


def write(path, value):
    """A line an item of the outer lists, so that changes can be read."""
    lines = []
    for name, rows in value.items():
        if isinstance(rows, list):
            body = ",\n".join(json.dumps(row, separators=(",", ":")) for row in rows)
            lines.append(f"{json.dumps(name)}: [\n{body}]")
        else:
            lines.append(f"{json.dumps(name)}: {json.dumps(rows, separators=(',', ':'))}")
    pathlib.Path(path).write_text("{" + ",\n".join(lines) + "}\n")


def main():
    what, folder, out, *named = sys.argv[1:]
    package = load_package(folder)
    if what == "recordings":
        rows = recordings(package, [name.split("=", 1) for name in named])
        write(out, {"silero_vad": VERSION, **rows})
    elif what == "spans":
        write(out, {"silero_vad": VERSION, **spans(package)})
    else:
        raise SystemExit(__doc__)


main()
