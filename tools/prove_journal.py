#!/usr/bin/env python3
"""./dev prove journal [SEED…]: a run over a folder is killed at ten random moments.

Runs the test of tests/end_to_end/journal_test.py with ten kills and twenty recordings, for each
seed (1 unless some are given): restarted as often, the run leaves the files of an unbroken one,
byte for byte, and hears nothing again that was done. Writes docs/proofs/journal.md; status 1 on a
failure."""

import datetime
import os
import pathlib
import re
import subprocess
import sys

from machine import processor

ROOT = pathlib.Path(__file__).resolve().parent.parent
TEST = ROOT / "tests/end_to_end/journal_test.py"
PROGRAM = ROOT / "build/release/bin/whinchat"
KILLS = 10
SAID = re.compile(r"^(\d+) kills, (\d+) of them of a run that went on; (\d+) files$", re.MULTILINE)


def row(seed):
    """The record's line of one seed, and whether the test passed."""
    numbers = {"WHINCHAT_KILLS": str(KILLS), "WHINCHAT_SEED": str(seed)}
    run = subprocess.run(
        [sys.executable, "-B", TEST, "Killed"],
        env={**os.environ, **numbers, "WHINCHAT_PROGRAM": str(PROGRAM)},
        capture_output=True,
        text=True,
    )
    said = SAID.search(run.stdout)
    if run.returncode != 0 or not said:
        print(run.stderr, file=sys.stderr)
        return f"| {seed} | | | | FAILED |", False
    return f"| {seed} | {' | '.join(said.groups())} | the same bytes |", True


def prove(seeds):
    rows = [row(seed) for seed in seeds]
    commit = subprocess.check_output(
        ["git", "-C", ROOT, "rev-parse", "--short", "HEAD"], text=True
    ).strip()
    record = [
        "# Journal: killed and started again",
        "",
        f"{datetime.date.today()}, {processor()}, commit {commit}.",
        "Written by `./dev prove journal`: whisper-tiny.en over short recordings, txt and json of",
        "each. The run is killed by SIGKILL at random moments and started again with the same",
        "command; then its folder is compared with that of a run that was left alone, and its",
        "events are asked whether anything that the journal had was heard again: nothing was.",
        "",
        "| seed | kills | of them while it went on | recordings | the folder |",
        "|---|---|---|---|---|",
        *(line for line, _ in rows),
    ]
    (ROOT / "docs/proofs/journal.md").write_text("\n".join(record) + "\n", encoding="utf-8")
    print("\n".join(record))
    return 0 if all(passed for _, passed in rows) else 1


def main():
    seeds = [int(word) for word in sys.argv[1:]] or [1]
    subprocess.run([ROOT / "dev", "--yes", "build"], check=True)
    return prove(seeds)


if __name__ == "__main__":
    sys.exit(main())
