#!/usr/bin/env python3
# What ./dev bench wer sets up for it:
# groups: bench test speech wer
# targets: bin/decode_audio
"""./dev bench wer: word errors of whinchat, faster-whisper and openai-whisper, on the same weights.

Each system transcribes the same files, with its defaults but for the language (en) and the beams,
over at least half an hour of speech whose words are known (bench/comparison/speech_set.py). Two
systems differ where a paired bootstrap over the clips leaves 0 out of the 95 % interval. Status 1
where whinchat is worse than a peer that searches as it does, or in int8 than in its default."""

import argparse
import datetime
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
CACHE = pathlib.Path(os.environ.get("WHINCHAT_CACHE") or pathlib.Path.home() / ".cache/whinchat")
sys.path[:0] = [str(ROOT / "bench" / "comparison"), str(CACHE / "bench" / "peers")]  # NumPy

from programs import Failure  # noqa: E402

OPENAI_WHISPER = (
    "openai-whisper==20250625 --hash=sha256:"
    "37a91a3921809d9f44748ffc73c0a55c9f366c85a3ef5c2ae0cc09540432eb96"
)


class Setting:
    """What is the same for all of them."""

    def __init__(self, options):
        self.model = CACHE / "models" / options.model
        self.programs = options.programs
        self.threads = len(os.sched_getaffinity(0))

    def ours(self, *arguments):
        command = [self.programs / "whinchat", "transcribe", "--quiet", "--language=en"]
        command += [f"--model={self.model}", f"--threads={self.threads}", *arguments]
        return lambda out, wavs: ([*command, f"--output-dir={out}", *wavs], {})

    def faster_whisper(self, compute_type, beam):
        script = ROOT / "bench" / "comparison" / "faster_whisper_files.py"
        command = [sys.executable, "-s", script, self.model, self.threads, compute_type, beam]
        path = {"PYTHONPATH": str(CACHE / "bench" / "peers")}
        return lambda out, wavs: ([*command, out, *wavs], path)

    def openai_whisper(self, beam):
        script = ROOT / "bench" / "comparison" / "openai_whisper_files.py"
        command = [python_with_torch(), script, CACHE / "oracle", self.model, self.threads, beam]
        path = {"PYTHONPATH": f"{fetched_openai_whisper()}:{ROOT / 'oracles'}"}
        return lambda out, wavs: ([*command, out, *wavs], path)


# Name: title, search, how it is run. A search is compared with its like.
SYSTEMS = {
    "ours-greedy": ("whinchat, greedy", "greedy", lambda s: s.ours("--beam-size=1")),
    "ours-beam": ("whinchat, beam 5", "beam", lambda s: s.ours("--beam-size=5")),
    "ours-int8-greedy": (
        "whinchat int8, greedy",
        "greedy",
        lambda s: s.ours("--compute=int8", "--beam-size=1"),
    ),
    "ours-int8-beam": (
        "whinchat int8, beam 5",
        "beam",
        lambda s: s.ours("--compute=int8", "--beam-size=5"),
    ),
    "faithful-greedy": (
        "whinchat --faithful, greedy",
        "greedy",
        lambda s: s.ours("--faithful", "--beam-size=1"),
    ),
    "faithful-beam": (
        "whinchat --faithful, beam 5",
        "beam",
        lambda s: s.ours("--faithful", "--beam-size=5"),
    ),
    "faster-whisper-greedy": (
        "faster-whisper 1.2.1 float32, greedy",
        "greedy",
        lambda s: s.faster_whisper("float32", 1),
    ),
    "faster-whisper-beam": (
        "faster-whisper 1.2.1 float32, beam 5",
        "beam",
        lambda s: s.faster_whisper("float32", 5),
    ),
    "faster-whisper-int8-beam": (
        "faster-whisper 1.2.1 int8, beam 5",
        "beam",
        lambda s: s.faster_whisper("int8", 5),
    ),
    "openai-greedy": ("openai-whisper 20250625, greedy", "greedy", lambda s: s.openai_whisper(1)),
    "openai-beam": ("openai-whisper 20250625, beam 5", "beam", lambda s: s.openai_whisper(5)),
}
PEERS = ("faster-whisper", "openai")


def is_peer(name):
    return name.startswith(PEERS)


def read_arguments(arguments):
    parser = argparse.ArgumentParser("dev bench wer", description=__doc__.split("\n\n")[0])
    parser.add_argument("--model", choices=("base", "tiny.en"), default="base")
    names = ", ".join(SYSTEMS)
    parser.add_argument("--systems", metavar="LIST", default=",".join(SYSTEMS),
                        help=f"names or their beginnings, with commas: {names}")  # fmt: skip
    parser.add_argument("--minutes", type=float, default=32, help="of speech")
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE", help="all of it for programs")
    parser.add_argument("--keep", type=pathlib.Path, metavar="FOLDER",
                        help="clips and transcripts stay here; those of the peers are taken from "
                        "it again")  # fmt: skip
    parser.add_argument("--programs", type=pathlib.Path, metavar="FOLDER",
                        default=ROOT / "build" / "release" / "bin",
                        help="whinchat's own programs, built")  # fmt: skip
    options = parser.parse_args(arguments)
    if not options.minutes > 0:
        parser.error(f"--minutes: expected more than 0, got {options.minutes}")
    chosen = []
    for word in options.systems.split(","):
        found = [name for name in SYSTEMS if word and name.startswith(word)]
        if not found:
            parser.error(f"--systems: '{word}' begins no name; there are {', '.join(SYSTEMS)}")
        chosen += [name for name in found if name not in chosen]
    options.systems = chosen
    return options


def python_with_torch():
    for candidate in (sys.executable, "/usr/bin/python3"):
        if subprocess.run([candidate, "-c", "import torch"], capture_output=True).returncode == 0:
            return candidate
    raise Failure("openai-whisper needs torch: install Debian's python3-torch, or leave it out")


def fetched_openai_whisper():
    """Its package has no wheel: pip makes one."""
    folder = CACHE / "bench" / "openai-whisper"
    if (folder / "whisper").is_dir():
        return folder
    print("fetching openai-whisper 20250625…", file=sys.stderr, flush=True)
    with tempfile.TemporaryDirectory(prefix="whinchat-bench-") as scratch:
        requirement = pathlib.Path(scratch) / "requirements.txt"
        requirement.write_text(OPENAI_WHISPER + "\n", encoding="ascii")
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-input"]
        command += ["--require-hashes", "--disable-pip-version-check"]
        command += ["--target", str(folder), "-r", str(requirement)]
        done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        last = (done.stderr.strip().splitlines() or ["no word from pip"])[-1]
        raise Failure(f"openai-whisper could not be fetched: {last}")
    return folder


def transcribe(name, setting, clips, digest, folder):
    """A text for each clip. Ours are always made anew."""
    out = folder / name
    stamp = out / "heard"
    is_kept = is_peer(name) and stamp.is_file() and stamp.read_text(encoding="ascii") == digest
    title, _, make = SYSTEMS[name]
    if not is_kept:
        out.mkdir(parents=True, exist_ok=True)
        for old in out.iterdir():
            old.unlink()
        command, environment = make(setting)(out, [clip.wav for clip in clips])
        start = time.monotonic()
        print(f"{title}…", end=" ", file=sys.stderr, flush=True)
        done = subprocess.run(
            [str(word) for word in command],
            env={**os.environ, **environment},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
        )
        print(f"{time.monotonic() - start:.0f} s", file=sys.stderr, flush=True)
        if done.returncode != 0:
            last = (done.stderr.strip().splitlines() or ["no word from it"])[-1]
            raise Failure(f"{title} ended with status {done.returncode}: {last}")
        stamp.write_text(digest, encoding="ascii")
    return [(out / f"{clip.wav.stem}.txt").read_text(encoding="utf-8") for clip in clips]


def comparisons(names):
    """Ours against each peer of the same search, and our beams against our greedy search."""
    for name in [name for name in names if not is_peer(name)]:
        for peer in [peer for peer in names if is_peer(peer)]:
            if SYSTEMS[name][1] == SYSTEMS[peer][1]:
                yield name, peer
    for one, other in (
        ("ours-greedy", "ours-beam"),
        ("ours-greedy", "faithful-greedy"),
        ("ours-beam", "faithful-beam"),
        ("ours-int8-greedy", "ours-greedy"),
        ("ours-int8-beam", "ours-beam"),
    ):
        if one in names and other in names:
            yield one, other


def table(counted, clips):
    from speech_set import SNRS_DB

    columns = ["clean" if snr_db is None else f"{snr_db} dB" for snr_db in SNRS_DB]
    yield f"{'':<38}{'errors':>8}{'rate':>8}" + "".join(f"{column:>8}" for column in columns)
    for name, errors in counted.items():
        rates = [
            errors.rate([i for i, clip in enumerate(clips) if clip.snr_db == snr_db])
            for snr_db in SNRS_DB
        ]
        yield f"{SYSTEMS[name][0]:<38}{sum(errors.errors):>8}{errors.rate():>8.2%}" + "".join(
            f"{rate:>8.2%}" for rate in rates
        )


def compare(options, folder):
    from speech_set import SpeechSet
    from word_rates import count_errors, difference, verdict

    setting = Setting(options)
    speech = SpeechSet(folder / "clips", options.programs / "decode_audio").make(options.minutes)
    clips, digest = speech.clips, speech.digest()
    known = [clip.text for clip in clips]
    counted = {}
    for name in options.systems:
        counted[name] = count_errors(known, transcribe(name, setting, clips, digest, folder))
    minutes = sum(clip.duration_s for clip in clips) / 60
    words = sum(counted[options.systems[0]].words)
    print(f"whisper-{options.model}, {len(clips)} clips, {minutes:.1f} minutes, {words} words\n")
    print("\n".join(table(counted, clips)), end="\n\n")
    rows, is_worse = [], False
    for one, other in comparisons(options.systems):
        gap, low, high = difference(counted[one], counted[other])
        said = verdict(low, high)
        is_held = is_peer(other) or one.startswith("ours-int8")
        is_worse = is_worse or (said == "worse" and is_held)
        rows.append({"system": one, "than": other, "gap": gap, "low": low, "high": high})
        print(
            f"{SYSTEMS[one][0]} is {said} {'as' if said == 'as good' else 'than'} "
            f"{SYSTEMS[other][0]}: {100 * gap:+.2f} points, {100 * low:+.2f} to {100 * high:+.2f}"
        )
    if options.json:
        document = {
            "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
            "model": options.model,
            "minutes": minutes,
            "words": words,
            "clips": digest,
            "errors": {name: errors.errors for name, errors in counted.items()},
            "comparisons": rows,
        }
        options.json.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    if is_worse:
        print("dev bench wer: whinchat makes more word errors", file=sys.stderr)
    return 1 if is_worse else 0


def main(arguments):
    options = read_arguments(arguments)
    try:
        if options.keep:
            return compare(options, options.keep.resolve())
        with tempfile.TemporaryDirectory(prefix="whinchat-wer-") as folder:
            return compare(options, pathlib.Path(folder))
    except Failure as failure:
        print(f"dev bench wer: {failure}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
