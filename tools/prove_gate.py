#!/usr/bin/env python3
"""./dev prove gate [ISA…]: the fast path against the faithful one, clip by clip.

Runs fast_gate (tests/parity) for tiny.en and base on the sample and the clips beside the project,
limited to each instruction set that the machine has, bf16 where it multiplies bf16, and int8;
then a profile of a transcription. Writes docs/proofs/gate.md; status 1 when a row does not hold.
Portable and SSE4 kernels take their time: with names, only those sets are run, and the record says
so.
"""

import datetime
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from machine import processor

ROOT = pathlib.Path(__file__).resolve().parent.parent
CACHE = pathlib.Path(os.environ["WHINCHAT_CACHE"])
BIN = ROOT / "build/release/bin"
SAMPLE = ROOT / "samples/jfk.wav"
CLIPS = ROOT.parent / "shared/audio"
SKIPPED = 77
LEAST_SHARE = 0.9  # of a fast run that must lie in named operations

# Instruction set, type of the products.
PATHS = [
    ("portable", "f32"),
    ("sse4", "f32"),
    ("avx2", "f32"),
    ("avx2", "int8"),
    ("avx512", "f32"),
    ("avx512", "int8"),
    ("avx512_vnni", "int8"),
    ("avx512_bf16", "bf16"),
    ("amx", "bf16"),
]


def gate(isa, compute, model, clips):
    """The gate's lines, whether all hold; None where the machine lacks the instruction set."""
    environment = {**os.environ, "WHINCHAT_MAX_ISA": isa, "WHINCHAT_CACHE": str(CACHE)}
    command = [BIN / "fast_gate", model, "--compute", compute, *clips]
    run = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True)
    if run.returncode == SKIPPED:
        return None
    return run.stdout.splitlines(), run.returncode == 0


def named_share():
    """The share of a fast run that lies in named operations, by its trace and table."""
    with tempfile.TemporaryDirectory() as folder:
        trace = pathlib.Path(folder) / "trace.json"
        run = subprocess.run(
            [BIN / "whinchat", "transcribe", "--quiet", "--profile", trace, SAMPLE],
            capture_output=True,
            text=True,
            check=True,
        )
        events = json.loads(trace.read_text(encoding="utf-8"))["traceEvents"]
    whole_ms = float(re.search(r"^all\s+([\d.]+)", run.stderr, re.MULTILINE).group(1))
    return sum(event["dur"] for event in events) / 1000 / whole_ms


def build():
    targets = ["bin/fast_gate", "bin/whinchat"]
    subprocess.run([ROOT / "dev", "--yes", "build"], check=True)
    missing = [target for target in targets if not (BIN.parent / target).exists()]
    if missing:
        sys.exit(f"not built: {', '.join(missing)}")


def main():
    asked = sys.argv[1:] or list(dict.fromkeys(isa for isa, _ in PATHS))
    unknown = set(asked) - {isa for isa, _ in PATHS}
    if unknown:
        sys.exit(f"there is no instruction set {', '.join(sorted(unknown))}")
    build()
    clips = [SAMPLE, *(sorted(CLIPS.iterdir()) if CLIPS.is_dir() else [])]
    rows, failed, absent = [], False, []
    for isa, compute in [path for path in PATHS if path[0] in asked]:
        for model in ("tiny.en", "base"):
            result = gate(isa, compute, model, clips)
            if result is None:
                absent.append(isa)
                break
            lines, holds = result
            failed |= not holds or len(lines) != len(clips)
            rows += [f"| {line} |" for line in lines]
            print("\n".join(lines), flush=True)
    share = named_share()
    failed |= share < LEAST_SHARE
    heads = "path | model | clip | windows | steps | largest difference of a logit | flips"
    heads += " | own decoding | judgements | gate"
    text = (
        f"# The fast path's gate\n\n{datetime.date.today()}, {processor()}, `./dev prove gate`: "
        f"{'FAILED' if failed else 'holds'}, {len(rows)} rows over {len(clips)} recordings. "
        f"The bound is derived in tests/parity/fast_gate.cpp.\n\n"
        f"Run: {', '.join(asked)}; not on this machine: {', '.join(absent) or 'nothing'}. "
        f"Of a transcription of the sample by base, {100 * share:.1f} % of the time lay in named "
        f"operations (`--profile`).\n\n"
        f"| {heads} |\n|{'---|' * 10}\n" + "\n".join(rows) + "\n"
    )
    (ROOT / "docs/proofs/gate.md").write_text(text, encoding="utf-8")
    if failed:
        sys.exit("the gate does not hold: docs/proofs/gate.md")


if __name__ == "__main__":
    main()
