#!/usr/bin/env python3
"""./dev prove mutations: each constant, changed alone, must turn a named test red.

Builds with WHINCHAT_MUTATIONS, runs every named test as it is (green), then once a mutation (red),
and writes docs/proofs/mutations.md.
"""

import datetime
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

from machine import processor

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = ROOT / "build/mutations"
CACHE = pathlib.Path(os.environ["WHINCHAT_CACHE"])
PARITY = "whisper_parity_test", "Cases/WhisperParity.{}/tiny_en_jfk_f32"

# What is changed, how, and the test that must notice: (program, test).
MUTATIONS = [
    ("GELU's form: sigmoid in place of erf", "gelu.sigmoid_form=1", "CompiledAndPlainGeluAreEqual"),
    ("log-mel's clamp: 8 → 7 decades", "log_mel.clamp_decades=7", "LogMelEqualsOracle"),
    (
        "attention's scale: exponent −1/4 → −1/2",
        "attention.scale_exponent=-0.5",
        "EncoderEqualsOracleAtEveryTracePoint",
    ),
    (
        "order of heads: interleaved",
        "attention.head_order=1",
        "EncoderEqualsOracleAtEveryTracePoint",
    ),
    ("layer norm's ε: 1e-5 → 1.1e-5", "norm.eps=1.1e-5", "EncoderEqualsOracleAtEveryTracePoint"),
    (
        "positions of text: off by one",
        "decoder.position_shift=1",
        "LogitsBeforeFiltersEqualOracleAtEveryStep",
    ),
    (
        "one byte of one weight: the lowest bit",
        "WEIGHT",
        "LogitsBeforeFiltersEqualOracleAtEveryStep",
    ),
    (
        "the rule of timestamp pairs: off",
        "rules.pairs=0",
        ("decoding_test", "Rules.WantASecondTimestampOrTheEndAfterAClosingOne"),
    ),
    (
        "the rule of rising timestamps: off",
        "rules.monotonic=0",
        ("decoding_test", "Rules.LetTimeNeitherStandStillNorGoBack"),
    ),
    (
        "seeking: off by one frame",
        "seek.shift_frames=1",
        ("transcription_test", "SplitWindow.DecodesAgainFromTheLastTimestampOfAnUnfinishedSegment"),
    ),
]


def program_and_test(test):
    return test if isinstance(test, tuple) else (PARITY[0], PARITY[1].format(test))


def call(*command, **options):
    subprocess.run(command, check=True, **options)


def build():
    call(
        "cmake",
        "-G",
        "Ninja",
        "-S",
        ROOT,
        "-B",
        BUILD,
        "-DCMAKE_BUILD_TYPE=Release",
        "-DWHINCHAT_MUTATIONS=ON",
        f"-DWHINCHAT_CACHE={CACHE}",
        stdout=subprocess.DEVNULL,
    )
    programs = {program_and_test(test)[0] for _, _, test in MUTATIONS}
    call("cmake", "--build", BUILD, "-j2", "--target", "decode_audio", *sorted(programs))
    call(
        "ctest",
        "--test-dir",
        BUILD,
        "-R",
        r"^oracle\.(samples|tiny_en_jfk_f32)$",
        stdout=subprocess.DEVNULL,
    )


def flip_weight_byte(folder):
    """A cache whose tiny.en differs from the real one in one bit."""
    model = pathlib.Path(folder) / "models/tiny.en"
    shutil.copytree(CACHE / "models/tiny.en", model)
    name = b"decoder/layer_0/ffn/linear_0/weight\0"
    with open(model / "model.bin", "r+b") as file:
        content = file.read()
        position = (
            content.index(name) + len(name) + 64 * 1024
        )  # well inside the tensor's f16 values
        file.seek(position & ~1)
        byte = file.read(1)[0]
        file.seek(position & ~1)
        file.write(bytes([byte ^ 1]))


def passes(test, mutation=None):
    program, name = program_and_test(test)
    environment = {
        **os.environ,
        "OMP_NUM_THREADS": "2",
        "WHINCHAT_ORACLE_FILES": str(BUILD / "oracle"),
    }
    with tempfile.TemporaryDirectory() as folder:
        if mutation == "WEIGHT":
            flip_weight_byte(folder)
            environment["WHINCHAT_CACHE"] = folder
        elif mutation:
            environment["WHINCHAT_MUTATE"] = mutation
        run = subprocess.run(
            [BUILD / "bin" / program, f"--gtest_filter={name}"],
            env=environment,
            capture_output=True,
            text=True,
        )
    if "1 test from 1 test suite ran" not in run.stdout:
        sys.exit(f"{name} did not run: {run.stdout}{run.stderr}")
    return run.returncode == 0


def main():
    build()
    rows, survivors = [], []
    for what, mutation, test in MUTATIONS:
        if not passes(test):
            sys.exit(f"{test} is red without a mutation")
        red = not passes(test, mutation)
        if not red:
            survivors.append(what)
        rows.append(f"| {what} | `{program_and_test(test)[1]}` | {'red' if red else '**green**'} |")
        print(rows[-1], flush=True)
    record = ROOT / "docs/proofs/mutations.md"
    record.write_text(
        f"# Mutations\n\n{datetime.date.today()}, {processor()}, `./dev prove mutations`: "
        f"{len(rows) - len(survivors)} of {len(rows)} noticed. Each test is green without it.\n\n"
        "| changed | test | then |\n|---|---|---|\n" + "\n".join(rows) + "\n",
        encoding="utf-8",
    )
    if survivors:
        sys.exit("not noticed: " + "; ".join(survivors))


if __name__ == "__main__":
    main()
