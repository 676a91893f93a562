#!/usr/bin/env python3
"""./dev prove fuzz [--minutes N] [--seed N] [TARGET…]: every fuzz target under ASan and UBSan.

Builds the targets with the sanitizers into build/fuzz and runs each from its kept corpus for an
hour, or for N minutes, two at a time, with a seed that is another one in each run. An input that
fails is kept in build/fuzz/failures. Writes docs/proofs/fuzz.md; status 1 when an input failed.
"""

import argparse
import concurrent.futures
import datetime
import os
import pathlib
import re
import secrets
import shutil
import subprocess
import sys

from machine import processor

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = ROOT / "build/fuzz"
FAILURES = BUILD / "failures"
CORPUS = ROOT / "tests/fuzz/corpus"
AT_ONCE = 2
# What an input makes a reader allocate must be justified by its size: as in a build without them.
SANITIZERS = {
    "ASAN_OPTIONS": "max_allocation_size_mb=2048:hard_rss_limit_mb=4096:detect_leaks=1",
    "UBSAN_OPTIONS": "print_stacktrace=1",
}


def words():
    parser = argparse.ArgumentParser(prog="dev prove fuzz")
    parser.add_argument("--minutes", type=float, default=60, help="of each target")
    parser.add_argument("--seed", type=int, default=secrets.randbelow(1 << 32))
    parser.add_argument("targets", nargs="*", metavar="TARGET")
    return parser.parse_args()


def build():
    """Optimised a little: the sanitizers see the same, in more inputs."""
    options = {
        "CMAKE_BUILD_TYPE": "Debug",
        "CMAKE_CXX_FLAGS_DEBUG": "-O1 -g",
        "WHINCHAT_SANITIZE": "ON",
        "WHINCHAT_CACHE": os.environ["WHINCHAT_CACHE"],
    }
    definitions = [f"-D{name}={value}" for name, value in options.items()]
    configure = ["cmake", "-G", "Ninja", "-S", ROOT, "-B", BUILD, *definitions]
    subprocess.run(configure, check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["cmake", "--build", BUILD, "-j2", "--target", "fuzz"], check=True)


def run(name, minutes, seed):
    """The record's row, and whether no input failed."""
    folder = BUILD / "runs" / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    program = BUILD / "bin" / f"fuzz_{name}"
    command = [program, CORPUS / name, "--seconds", str(60 * minutes), "--seed", str(seed)]
    with open(folder / "log", "w+", encoding="utf-8", errors="replace") as log:
        environment = {**os.environ, **SANITIZERS}
        done = subprocess.run(command, cwd=folder, env=environment, stdout=log, stderr=log)
        log.seek(0)
        said = log.read()
    ran = re.search(r"^(\d+) inputs ran$", said, re.MULTILINE)
    seeds = len(list((CORPUS / name).iterdir()))
    row = f"| {name} | {seeds} | {minutes:g} | {ran.group(1) if ran else '?'} "
    if done.returncode == 0 and ran:
        print(f"{name}: {ran.group(1)} inputs, none failed", flush=True)
        return row + "| none failed |", True
    kept = keep(folder, name, seed)
    print(f"{said[-4000:]}\n{name}: FAILED; again: {program} {kept}", flush=True)
    return row + f"| **failed** ({kept.name}) |", False


def keep(folder, name, seed):
    FAILURES.mkdir(exist_ok=True)
    kept = FAILURES / f"{name}-{seed}"
    failing = folder / f"fuzz_{name}.input"
    # A leak shows at the end, when no input is at work: then what was said is all there is.
    shutil.copy(failing if failing.exists() else folder / "log", kept)
    return kept


def commit():
    command = ["git", "-C", ROOT, "rev-parse", "--short", "HEAD"]
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout.strip()


def record(rows, options, holds):
    verdict = "no input failed" if holds else "FAILED"
    text = f"""# Fuzzing

{datetime.date.today()}, {processor()}, commit {commit()}: {verdict}. Written by
`./dev prove fuzz --minutes {options.minutes:g}`, seed {options.seed}, {AT_ONCE} targets at a time,
under the address, leak and undefined-behaviour sanitizers. An input may take 10 s and allocate
2 GiB at once.

| target | kept inputs | minutes | inputs run | result |
|---|---|---|---|---|
"""
    (ROOT / "docs/proofs/fuzz.md").write_text(text + "\n".join(rows) + "\n", encoding="utf-8")


def main():
    options = words()
    known = sorted(folder.name for folder in CORPUS.iterdir())
    unknown = set(options.targets) - set(known)
    if unknown:
        sys.exit(f"there is no fuzz target {', '.join(sorted(unknown))}; known: {', '.join(known)}")
    build()
    names = options.targets or known
    print(f"seed {options.seed}, {options.minutes:g} minutes each: {', '.join(names)}", flush=True)
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        results = list(pool.map(lambda name: run(name, options.minutes, options.seed), names))
    holds = all(good for _, good in results)
    if not options.targets:  # a part is no proof
        record([row for row, _ in results], options, holds)
    if not holds:
        sys.exit(f"inputs failed; they are kept in {FAILURES}")


if __name__ == "__main__":
    main()
