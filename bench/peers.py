#!/usr/bin/env python3
# What ./dev bench peers sets up for it:
# groups: bench
# targets: bin/bench_transcribe_warm
"""./dev bench peers: whinchat beside OpenVINO GenAI, faster-whisper and whisper.cpp, in one run.

Same weights, samples, language, greedy decoding without fallback, timestamps and threads; every
program warm, in its own process. A round runs each program once; a ratio is the median over the
rounds of their time to ours, so that over 1 we are faster. It is refused, with status 1, where our
transcript has more word errors than theirs."""

import argparse
import array
import datetime
import hashlib
import json
import os
import pathlib
import shlex
import statistics
import sys
import tempfile
import time
import wave

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "bench" / "comparison"), str(ROOT / "oracles")]

import isa  # noqa: E402
import programs  # noqa: E402
import report  # noqa: E402
from ggml_file import write_ggml  # noqa: E402
from programs import Failure  # noqa: E402
from words import median_ratio, refuses  # noqa: E402

JFK = ROOT / "samples" / "jfk.wav"
JFK_WORDS = (
    "And so my fellow Americans, ask not what your country can do for you, "
    "ask what you can do for your country."
)
RATE = 16000


def read_arguments(arguments):
    known_peers = ", ".join(programs.PEERS)
    parser = argparse.ArgumentParser("dev bench peers", description=__doc__.split("\n\n")[0])
    parser.add_argument("wav", nargs="?", type=pathlib.Path, default=JFK, metavar="WAV",
                        help="16 kHz, mono, 16 bits; its words in a .txt beside it")  # fmt: skip
    parser.add_argument("--model", choices=("base", "tiny.en"), default="base")
    parser.add_argument("--peers", metavar="LIST", default=",".join(programs.PEERS),
                        help=f"names or their beginnings, with commas: {known_peers}")  # fmt: skip
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--isa", choices=tuple(isa.VALUES),
                        help="limit every program to this instruction set")  # fmt: skip
    parser.add_argument("--ours-args", type=shlex.split, default=[], metavar='"…"',
                        help="more options for whinchat")  # fmt: skip
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE", help="all of it for programs")
    parser.add_argument("--programs", type=pathlib.Path, metavar="FOLDER",
                        default=ROOT / "build" / "release" / "bin",
                        help="whinchat's own programs, built")  # fmt: skip
    options = parser.parse_args(arguments)
    if options.rounds < 1:
        parser.error(f"--rounds: expected 1 or more, got {options.rounds}")
    options.peers = chosen_peers(options.peers, parser)
    return options


def chosen_peers(text, parser):
    chosen = []
    for word in text.split(","):
        found = [name for name in programs.PEERS if word and name.startswith(word)]
        if not found:
            parser.error(f"--peers: '{word}' begins no name; there are {', '.join(programs.PEERS)}")
        chosen += [name for name in found if name not in chosen]
    return chosen


def read_samples(path):
    """A wav's samples as f32 in −1 … 1."""
    try:
        with wave.open(str(path)) as file:
            form = (file.getframerate(), file.getnchannels(), 8 * file.getsampwidth())
            frames = file.readframes(file.getnframes())
    except (OSError, EOFError, wave.Error) as error:
        raise Failure(f"{path} cannot be read as a wav: {error}") from error
    if form != (RATE, 1, 16):
        raise Failure(
            f"{path}: expected {RATE} Hz, one channel, 16 bits, got {form[0]} Hz, {form[1]} "
            f"channels, {form[2]} bits: ffmpeg -i FILE -ar {RATE} -ac 1 NEW.wav makes one"
        )
    return array.array("f", (sample / 32768 for sample in array.array("h", frames)))


def known_words(path):
    """The text of a .txt beside the file, the sample's own, or None."""
    beside = path.with_suffix(".txt")
    if beside.is_file():
        return beside.read_text(encoding="utf-8")
    digests = {hashlib.sha256(file.read_bytes()).digest() for file in (path, JFK)}
    return JFK_WORDS if len(digests) == 1 else None


def processor():
    """(name, flags)."""
    name, flags = "unknown processor", set()
    for line in pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        key, _, value = line.partition(":")
        if key.strip() == "model name":
            name = value.strip()
        elif key.strip() == "flags":
            flags = set(value.split())
    return name, flags


def run_rounds(started, rounds, path):
    """Each program once a round. Returns how much of the cores other work took meanwhile."""
    begin, busy = time.monotonic(), programs.busy_s()
    ours = sum(program.cpu_s() for program in started)
    for index in range(rounds):
        print(f"round {index + 1} of {rounds}…", file=sys.stderr, flush=True)
        # Another one begins each time: none always runs after the same.
        first = index % len(started)
        for program in started[first:] + started[:first]:
            program.run_round(path)
    others = programs.busy_s() - busy - (sum(program.cpu_s() for program in started) - ours)
    return max(0.0, others / (time.monotonic() - begin) / os.cpu_count())


def measure(options, samples, scratch):
    """Runs the rounds; the programs' results in the order of their start, ours first, and the share
    of the cores that other work took."""
    cache = pathlib.Path(
        os.environ.get("WHINCHAT_CACHE") or pathlib.Path.home() / ".cache/whinchat"
    )
    setting = programs.Setting(
        programs=options.programs,
        packages=cache / "bench" / "peers",
        folder=cache / "models" / options.model,
        ggml=scratch / "ggml.bin",
        openvino=scratch / "openvino",
        wav=options.wav,
        language="en",
        threads=len(os.sched_getaffinity(0)),
        ours_args=tuple(options.ours_args),
        limits=isa.switches(options.isa),
    )
    filters = cache / "mlx-whisper-0.4.3" / "mlx_whisper" / "assets" / "mel_filters.npz"
    write_ggml(setting.folder, filters, setting.ggml)
    path = scratch / "samples.f32"
    path.write_bytes(samples.tobytes())
    started = []
    try:
        for name in [*programs.OURS, *options.peers]:
            started.append(programs.start(name, setting))
            started[-1].wait_until_loaded()
            started[-1].warm_up(path)
        others = run_rounds(started, options.rounds, path)
        for program in started:
            program.note_peak()
    finally:
        for program in started:
            program.close()
    return [program.measured for program in started], others


def process_against_warm_call(whole, peers, known):
    """The line on our whole process against faster-whisper's best warm call; None without one."""
    rivals = [peer for peer in peers if peer.name.startswith("faster-whisper")]
    if not rivals:
        return None, None
    best = min(rivals, key=lambda peer: statistics.median(peer.seconds))
    line = f"whinchat from start to last word, against a warm call of {best.title}: "
    if refuses(whole.texts, best.texts, known):
        return line + "refused", None
    ratio = median_ratio(best.seconds, whole.seconds)
    return f"{line}{ratio:.2f}", ratio


def describe(options, duration_s, others):
    name, _ = processor()
    return [
        f"{options.wav.name} ({duration_s:.1f} s), whisper-{options.model}, language en, greedy, "
        f"timestamps; {options.rounds} rounds",
        f"{name}, {len(os.sched_getaffinity(0))} threads, instruction set "
        f"{'limited to ' + options.isa if options.isa else 'not limited'}",
        f"Other work took {others:.0%} of the cores meanwhile"
        + (": such times say little, so run it again on a quiet machine." if others > 0.1 else "."),
    ]


def write_json(path, options, results):
    document = {
        "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
        "file": options.wav.name,
        "model": options.model,
        "isa": options.isa,
        "rounds": options.rounds,
        "processor": processor()[0],
        "threads": len(os.sched_getaffinity(0)),
        **results,
    }
    path.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")


def compare(options):
    """Measures, prints; the status."""
    if options.isa and isa.FLAGS[options.isa] not in processor()[1]:
        raise Failure(f"this processor has no {options.isa}, so it cannot be limited to that")
    for peer in [peer for peer in options.peers if not isa.covers(peer, options.isa)]:
        print(f"{peer} is left out: it does not run on less than AVX2", file=sys.stderr)
        options.peers.remove(peer)
    samples = read_samples(options.wav)
    known = known_words(options.wav)
    duration_s = len(samples) / RATE
    with tempfile.TemporaryDirectory(prefix="whinchat-bench-") as scratch:
        (warm, whole, *peers), others = measure(options, samples, pathlib.Path(scratch))

    ratios = [report.judge(warm, peer, known) for peer in peers]
    rows = [(warm, ""), (whole, ""), *zip(peers, ratios)]
    line, whole_ratio = process_against_warm_call(whole, peers, known)
    print("\n".join(describe(options, duration_s, others)), end="\n\n")
    print("\n".join(report.table(rows, known, duration_s)), end="\n\n")
    if line:
        print(line)
    if known is None:
        print("No .txt lies beside the file: word errors are unknown, and the ratios unchecked.")
    print("\n".join(report.transcripts([warm, whole, *peers])))
    refused = None in ratios or (line is not None and whole_ratio is None)
    if options.json:
        programs_json = [report.as_json(program, known, ratio) for program, ratio in rows]
        results = {
            "duration_s": duration_s,
            "others": others,
            "programs": programs_json,
            "whole_ratio": whole_ratio,
            "refused": refused,
        }
        write_json(options.json, options, results)
    if refused:
        print("dev bench peers: whinchat has more word errors, so no ratio counts", file=sys.stderr)
    return 1 if refused else 0


def main(arguments):
    try:
        return compare(read_arguments(arguments))
    except Failure as failure:
        print(f"dev bench peers: {failure}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
