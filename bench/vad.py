#!/usr/bin/env python3
# What ./dev bench vad sets up for it:
# groups: bench
# targets: bin/bench_vad_warm
"""./dev bench vad: whinchat's Silero VAD beside the one that faster-whisper brings and silero-vad's
own, both on onnxruntime, in one run over ten minutes of speech.

Every program in its own process, warm. A round runs each once; a ratio is the median over the
rounds of their time to ours. Before it times, it compares probabilities: they must equal
silero-vad's within 1e-4, else the status is 1. faster-whisper 1.2.1 brings other weights: what is
told of it is how many chunks it decides alike."""

import argparse
import array
import dataclasses
import itertools
import json
import os
import pathlib
import statistics
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "bench" / "comparison"))

import speech  # noqa: E402
from programs import Failure, Measured, Warm, busy_s  # noqa: E402

CHUNK = 512
MOST_DIFFERENCE = 1e-4
LEAST_ALIKE = 0.8


@dataclasses.dataclass
class Contender:
    """A program and where its probabilities go."""

    name: str
    command: list
    out: pathlib.Path
    has_our_weights: bool = True

    def start(self, cache):
        packages = [cache / "bench" / "onnxruntime", cache / "bench" / "peers"]
        environment = {
            "PYTHONPATH": os.pathsep.join(map(str, [*packages, ROOT / "bench" / "comparison"])),
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        return Warm(Measured(self.name, self.name), self.command, environment)

    def probabilities(self):
        return array.array("f", self.out.read_bytes())


def contenders(threads, cache, scratch):
    ours = scratch / "ours.f32"
    program = ROOT / "build" / "release" / "bin" / "bench_vad_warm"
    yield Contender(f"whinchat, {threads} threads", [program, threads, ours], ours)
    models = cache / "bench" / "silero-vad"
    rows = {
        "silero-vad, by 512 chunks, 1 thread": {
            "kind": "blocks",
            "path": str(models / "silero_vad_16k_sequence.onnx"),
            "threads": 1,
        },
        "silero-vad, chunk by chunk, 1 thread": {
            "kind": "chunks",
            "path": str(models / "silero_vad.onnx"),
            "threads": 1,
        },
        "faster-whisper, as it is: 1 thread": {"kind": "faster-whisper", "threads": 1},
        f"faster-whisper, {threads} threads": {"kind": "faster-whisper", "threads": threads},
    }
    for number, (name, given) in enumerate(rows.items()):
        out = scratch / f"{number}.f32"
        script = ROOT / "bench" / "comparison" / "silero_peer.py"
        command = [sys.executable, script, json.dumps({**given, "out": str(out)})]
        yield Contender(name, command, out, given["kind"] != "faster-whisper")


def ten_minutes(wav):
    """Samples in whole chunks: the recording again and again, with a second between."""
    samples = speech.of_file(wav).samples()
    samples.extend(itertools.repeat(0.0, speech.RATE))
    size = speech.LONG_S * speech.RATE // CHUNK * CHUNK
    return (samples * (size // len(samples) + 1))[:size]


def check(ours, other):
    """A sentence on how another one's probabilities agree with ours."""
    mine, theirs = ours.probabilities(), other.probabilities()
    if len(mine) != len(theirs):
        raise Failure(f"{other.name}: expected {len(mine)} probabilities, got {len(theirs)}")
    farthest = max(abs(a - b) for a, b in zip(mine, theirs))
    alike = sum((a >= 0.5) == (b >= 0.5) for a, b in zip(mine, theirs)) / len(mine)
    if other.has_our_weights and farthest > MOST_DIFFERENCE:
        raise Failure(f"{other.name}: a probability differs by {farthest:.2g}")
    if alike < LEAST_ALIKE:
        raise Failure(f"{other.name}: only {alike:.1%} of the chunks are decided alike")
    return f"{farthest:.1e} at most apart, {alike:.2%} of the chunks decided alike"


def run_rounds(programs, rounds, path):
    """Each program once a round; the share of the cores that other work took."""
    total, others = 0.0, 0.0
    for index in range(rounds):
        print(f"round {index + 1} of {rounds}…", file=sys.stderr, flush=True)
        first = index % len(programs)
        for program in programs[first:] + programs[:first]:
            busy, cpu = busy_s(), program.cpu_s()
            program.run_round(path)
            total += program.measured.seconds[-1] * os.cpu_count()
            others += max(0.0, busy_s() - busy - (program.cpu_s() - cpu))
    return others / total


def report(programs, agreements, others):
    ours = programs[0].measured
    print(f"{'':<38} {'median s':>8} {'min s':>7} {'max s':>7} {'ratio':>6}")
    for program in programs:
        seconds = program.measured.seconds
        ratio = statistics.median(b / a for a, b in zip(ours.seconds, seconds))
        print(
            f"{program.measured.name:<38} {statistics.median(seconds):8.3f} {min(seconds):7.3f} "
            f"{max(seconds):7.3f} {ratio:6.2f}"
        )
    print()
    for name, sentence in agreements.items():
        print(f"{name}: {sentence}")
    print(f"Other work took {others:.0%} of the cores meanwhile.")


def read_arguments(arguments):
    parser = argparse.ArgumentParser("dev bench vad", description=__doc__.split("\n\n")[0])
    parser.add_argument("wav", nargs="?", type=pathlib.Path, default=speech.JFK, metavar="WAV",
                        help="in place of the sample: 16 kHz, mono, 16 bits")  # fmt: skip
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)), metavar="N")
    options = parser.parse_args(arguments)
    for name in ("rounds", "threads"):
        if getattr(options, name) < 1:
            parser.error(f"--{name}: expected 1 or more, got {getattr(options, name)}")
    return options


def compare(options):
    cache = pathlib.Path(
        os.environ.get("WHINCHAT_CACHE") or pathlib.Path.home() / ".cache/whinchat"
    )
    with tempfile.TemporaryDirectory(prefix="whinchat-bench-") as folder:
        scratch = pathlib.Path(folder)
        path = scratch / "samples.f32"
        path.write_bytes(ten_minutes(options.wav).tobytes())
        started = []
        try:
            rows = list(contenders(options.threads, cache, scratch))
            for row in rows:
                started.append(row.start(cache))
                started[-1].wait_until_loaded()
                started[-1].warm_up(path)
            agreements = {row.name: check(rows[0], row) for row in rows[1:]}
            others = run_rounds(started, options.rounds, path)
            report(started, agreements, others)
        finally:
            for program in started:
                program.close()


def main(arguments):
    options = read_arguments(arguments)
    try:
        compare(options)
    except Failure as failure:
        print(f"dev bench vad: {failure}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
