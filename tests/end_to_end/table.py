"""The bad input table: rows of a file and what is said about it, run with the real program.

A row is right when the program ends by itself with the stated status, prints the stated words and
the stated sentence and no other, and takes no more memory than its bytes can justify.
"""

import contextlib
import dataclasses
import os
import resource
import signal
import subprocess
import tempfile
import time

from program import PROGRAM, EndToEnd, Result, words

# Of a row, refusals and words alike: a hang is what takes more. Processor time, so that a loaded
# machine makes no hang; who sleeps for long ends by PATIENCE_S.
MOST_CPU_S = 10
PATIENCE_S = 400
# One thread, which waits for no other; the type that every machine has.
ALIKE = ("--threads", 1, "--compute", "f32")
MIB = 1 << 20
LEAST_ROWS = 80  # of each table
# What an allocator, FFmpeg's probing and thread stacks may differ by from run to run.
SLACK_BYTES = 64 * MIB
# Memory that is asked for and never touched shows in no peak; this ends it.
MOST_DATA_BYTES = 3 << 30


@dataclasses.dataclass
class Usage:
    """What a run took."""

    cpu_s: float
    peak_bytes: int


def measured(*arguments, cwd=None, rows=1):
    """Runs the program under limits; its Result and Usage."""

    def limit():
        resource.setrlimit(resource.RLIMIT_DATA, (MOST_DATA_BYTES, MOST_DATA_BYTES))
        resource.setrlimit(resource.RLIMIT_CPU, (MOST_CPU_S * rows, MOST_CPU_S * rows))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    with contextlib.ExitStack() as stack:
        out, err = (stack.enter_context(tempfile.TemporaryFile()) for _ in range(2))
        process = subprocess.Popen(
            [PROGRAM, "transcribe", *map(str, [*ALIKE, *arguments])],
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=err,
            cwd=cwd,
            preexec_fn=limit,
        )
        status, usage = wait(process)
        out.seek(0)
        err.seek(0)
        result = Result(status, out.read().decode(), err.read().decode())
    return result, Usage(usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024)


def wait(process):
    """wait4, which alone tells the peak of this one child."""
    end = time.monotonic() + PATIENCE_S
    while True:
        pid, status, usage = os.wait4(process.pid, os.WNOHANG)
        if pid != 0:
            process.returncode = os.waitstatus_to_exitcode(status)
            return process.returncode, usage
        if time.monotonic() > end:
            process.send_signal(signal.SIGKILL)
            end += PATIENCE_S
        time.sleep(0.005)


class Table(EndToEnd):
    """Counts the rows that were checked, and prints how many."""

    checked = 0

    @classmethod
    def tearDownClass(cls):
        super().tearDownClass()
        print(f"\n{cls.__name__}: {cls.checked} rows", flush=True)
        if cls.checked < LEAST_ROWS:
            raise AssertionError(f"expected {LEAST_ROWS} rows or more")

    def count(self, rows):
        type(self).checked += rows

    def assert_ended(self, result, usage, status, most_bytes):
        self.assertGreaterEqual(result.status, 0, f"ended by a signal: {result.err}")
        self.assertEqual(result.status, status, result.err)
        self.assertLessEqual(usage.peak_bytes, most_bytes, "memory beyond what the files justify")

    def assert_one_sentence(self, complaint, sentence):
        self.assertRegex(complaint, "^whinchat: " + sentence + "$")
        self.assertNotRegex(complaint, r"[\x00-\x1f]")


def heard(text):
    return words(text or "")
