#!/usr/bin/env python3
# What ./dev bench peers sets up for it:
# groups: bench speech
# targets: bin/bench_transcribe_warm
"""./dev bench peers: whinchat beside OpenVINO GenAI, faster-whisper and whisper.cpp, in one run.

Same weights, samples, language, search without fallback, timestamps and threads; every program in
its own process, warm unless the work is the whole process. A round runs each program once; a ratio
is the median over the rounds of their time to ours, so that over 1 we are faster. It is refused,
with status 1, where our transcript has more word errors than theirs."""

import argparse
import dataclasses
import datetime
import functools
import json
import math
import os
import pathlib
import shlex
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "bench" / "comparison"), str(ROOT / "oracles")]

import isa  # noqa: E402
import programs  # noqa: E402
import report  # noqa: E402
import rows  # noqa: E402
import speech  # noqa: E402
import whisper_cpp_build  # noqa: E402
from ggml_file import write_ggml  # noqa: E402
from programs import Failure  # noqa: E402
from works import WORKS  # noqa: E402

PEERS = {**rows.WARM, **rows.WHOLE}


def read_arguments(arguments):
    parser = argparse.ArgumentParser("dev bench peers", description=__doc__.split("\n\n")[0])
    parser.add_argument("wav", nargs="?", type=pathlib.Path, metavar="WAV",
                        help="in place of the sample and of the ten minutes: 16 kHz, mono, 16 "
                        "bits; its words in a .txt beside it")  # fmt: skip
    parser.add_argument("--work", metavar="LIST", default="greedy",
                        help=f"with commas, or all: {', '.join(WORKS)}")  # fmt: skip
    parser.add_argument("--model", choices=("base", "tiny.en"), default="base")
    names = ", ".join(PEERS)
    parser.add_argument("--peers", metavar="LIST", default=",".join(PEERS),
                        help=f"names or their beginnings, with commas: {names}")  # fmt: skip
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--threads", type=int, default=usable_cores(), metavar="N",
                        help="of every program; one a usable core")  # fmt: skip
    parser.add_argument("--isa", choices=tuple(isa.VALUES),
                        help="limit every program to this instruction set")  # fmt: skip
    parser.add_argument("--ours-args", type=shlex.split, action="append", metavar='"…"',
                        help="more options for whinchat; given again, another row")  # fmt: skip
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE", help="all of it for programs")
    parser.add_argument("--programs", type=pathlib.Path, metavar="FOLDER",
                        default=ROOT / "build" / "release" / "bin",
                        help="whinchat's own programs, built")  # fmt: skip
    options = parser.parse_args(arguments)
    for name in ("rounds", "threads"):
        if getattr(options, name) < 1:
            parser.error(f"--{name}: expected 1 or more, got {getattr(options, name)}")
    options.ours_args = options.ours_args or [[]]
    options.peers = chosen_peers(options.peers, parser)
    options.work = chosen_works(options.work, parser)
    return options


def usable_cores():
    """By affinity, and by what a control group grants."""
    cores = len(os.sched_getaffinity(0))
    limit = pathlib.Path("/sys/fs/cgroup/cpu.max")
    quota, period = limit.read_text(encoding="ascii").split() if limit.is_file() else ("max", "")
    return cores if quota == "max" else min(cores, math.ceil(int(quota) / int(period)))


def chosen_peers(text, parser):
    chosen = []
    for word in text.split(","):
        found = [name for name in PEERS if word and name.startswith(word)]
        if not found:
            parser.error(f"--peers: '{word}' begins no name; there are {', '.join(PEERS)}")
        chosen += [name for name in found if name not in chosen]
    return chosen


def chosen_works(text, parser):
    names = list(WORKS) if text == "all" else text.split(",")
    for name in names:
        if name not in WORKS:
            parser.error(f"--work: '{name}' is none; there are {', '.join(WORKS)}, all")
    return names


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


def set_up(options, scratch):
    """What all works have in common: the models in each program's own form, whisper.cpp built."""
    cache = pathlib.Path(
        os.environ.get("WHINCHAT_CACHE") or pathlib.Path.home() / ".cache/whinchat"
    )
    setting = rows.Setting(
        programs=options.programs,
        packages=cache / "bench" / "peers",
        folder=cache / "models" / options.model,
        ggml=scratch / "ggml.bin",
        openvino=scratch / "openvino",
        whisper_cpp=scratch,
        native_program=scratch / "whisper_cpp_native",
        threads=options.threads,
        limits=isa.switches(options.isa),
        wav=speech.JFK,
        language=None,
        beam=1,
        vad=False,
    )
    filters = cache / "mlx-whisper-0.4.3" / "mlx_whisper" / "assets" / "mel_filters.npz"
    write_ggml(setting.folder, filters, setting.ggml)
    if any(name.startswith("whisper.cpp-native") for name in options.peers):
        built = whisper_cpp_build.build(cache, options.isa, processor()[1])
        whisper_cpp_build.compile_program(built, setting.native_program)
        setting = dataclasses.replace(setting, whisper_cpp=built)
    return setting


def chosen_rows(work, options):
    """Ours, a row for each --ours-args, then the peers' (name, row)."""
    ours = rows.Setting.ours_whole if work.is_whole else rows.Setting.ours_warm
    for more in options.ours_args:
        yield "whinchat", (" ".join(["whinchat", *more]), "", functools.partial(ours, more=more))
    for name, row in work.rows().items():
        if name in options.peers and isa.covers(name, options.isa):
            yield name, row


def measure(work, heard, options, setting):
    """Runs the rounds; the programs' results, ours first, and the share of the cores that other
    work took."""
    setting = dataclasses.replace(
        setting, wav=heard.wav, language=work.language, beam=work.beam, vad=work.has_pauses
    )
    started = []
    with tempfile.TemporaryDirectory(prefix="whinchat-bench-") as scratch:
        path = pathlib.Path(scratch) / "samples.f32"
        path.write_bytes(heard.samples().tobytes())
        sample = pathlib.Path(scratch) / "warm-up.f32"
        sample.write_bytes(speech.of_file(speech.JFK).samples().tobytes())
        try:
            for name, row in chosen_rows(work, options):
                started.append(rows.start(name, row, setting))
                started[-1].wait_until_loaded()
                started[-1].warm_up(sample)
            others = run_rounds(started, options.rounds, path)
            for program in started:
                program.note_peak()
        finally:
            for program in started:
                program.close()
    return [program.measured for program in started], others


def describe(work, heard, options, duration_s, others):
    language = f"language {work.language}" if work.language else "language detected"
    return [
        f"{heard.name} ({duration_s:.1f} s), whisper-{options.model}, {work.title}, {language}, "
        f"timestamps, {options.rounds} rounds",
        f"{processor()[0]}, {options.threads} threads, instruction set "
        f"{'limited to ' + options.isa if options.isa else 'not limited'}",
        f"Other work took {others:.0%} of the cores meanwhile"
        + (": such times say little, so run it again on a quiet machine." if others > 0.1 else "."),
        *work.notes(),
        *left_out(work, options),
    ]


def left_out(work, options):
    names = [
        name for name in work.rows() if name in options.peers and not isa.covers(name, options.isa)
    ]
    return [f"Not run, for lack of AVX2: {', '.join(names)}."] if names else []


def compare(name, heard, options, setting):
    """One work: measures, prints; its part of the JSON."""
    work, known = WORKS[name], heard.pieces
    results, others = measure(work, heard, options, setting)
    ours, peers = results[: len(options.ours_args)], results[len(options.ours_args) :]
    duration_s = len(heard.samples()) / speech.RATE
    ratios = [report.judge(ours[0], peer, known) for peer in peers]
    table = [*((own, "") for own in ours), *zip(peers, ratios)]
    print("\n".join(describe(work, heard, options, duration_s, others)), end="\n\n")
    print("\n".join(report.table(table, known, duration_s)), end="\n\n")
    for own in ours:
        print("\n".join(report.against_fastest(own, peers, known)), end="\n\n")
    if known is None:
        print("No .txt lies beside the file: word errors are unknown, and the ratios unchecked.")
    print("\n".join(report.transcripts(results)), end="\n\n", flush=True)
    return {
        "work": name,
        "heard": heard.name,
        "duration_s": duration_s,
        "others": others,
        "programs": [report.as_json(program, known, ratio) for program, ratio in table],
        "refused": None in ratios,
    }


def made_speech(work, scratch):
    if not work.is_long:
        return speech.of_file(speech.JFK)
    pause = speech.LONG_PAUSE if work.has_pauses else speech.PAUSE
    return speech.ten_minutes(scratch, pause, work.most_words)


def compare_all(options):
    """Every work in turn; the status."""
    if options.isa and isa.FLAGS[options.isa] not in processor()[1]:
        raise Failure(f"this processor has no {options.isa}, so it cannot be limited to that")
    given = speech.of_file(options.wav) if options.wav else None
    with tempfile.TemporaryDirectory(prefix="whinchat-bench-") as scratch:
        scratch = pathlib.Path(scratch)
        setting = set_up(options, scratch)
        works = []
        for name in options.work:
            heard = given or made_speech(WORKS[name], scratch)
            works.append(compare(name, heard, options, setting))
    if options.json:
        write_json(options, works)
    refused = [work["work"] for work in works if work["refused"]]
    if refused:
        where = ", ".join(refused)
        print(
            f"dev bench peers: whinchat has more word errors in {where}, so no ratio counts there",
            file=sys.stderr,
        )
    return 1 if refused else 0


def write_json(options, works):
    document = {
        "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
        "model": options.model,
        "isa": options.isa,
        "rounds": options.rounds,
        "processor": processor()[0],
        "threads": options.threads,
        "versions": rows.VERSIONS,
        "works": works,
    }
    options.json.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")


def main(arguments):
    try:
        return compare_all(read_arguments(arguments))
    except Failure as failure:
        print(f"dev bench peers: {failure}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
