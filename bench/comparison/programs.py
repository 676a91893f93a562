"""The programs that are measured, each in a process of its own."""

import dataclasses
import json
import os
import pathlib
import re
import subprocess
import tempfile
import time

# What whisper-cli writes before a segment.
TIMES = re.compile(r"^\[[\d:.]+ --> [\d:.]+\]", re.MULTILINE)
TICK_S = 1 / os.sysconf("SC_CLK_TCK")


class Failure(Exception):
    """Its text is the sentence that the user reads."""


@dataclasses.dataclass
class Measured:
    """One program and what its rounds gave."""

    name: str
    maker: str
    configuration: str = ""
    seconds: list = dataclasses.field(default_factory=list)
    texts: list = dataclasses.field(default_factory=list)
    peak_mb: float = 0

    @property
    def title(self):
        return f"{self.maker}, {self.configuration}" if self.configuration else self.maker


def busy_s():
    """Seconds that the machine's cores worked since it started, for anyone."""
    user, nice, system = pathlib.Path("/proc/stat").read_text(encoding="ascii").split()[1:4]
    return (int(user) + int(nice) + int(system)) * TICK_S


def spawn(title, command, environment, **pipes):
    command = [str(word) for word in command]
    try:
        return subprocess.Popen(command, text=True, env={**os.environ, **environment}, **pipes)
    except OSError as error:
        raise Failure(f"{title}: {command[0]} does not start: {error.strerror}") from error


class Warm:
    """A child that answers each request, a path of f32 samples, with one timed transcription."""

    def __init__(self, measured, command, environment):
        self.measured = measured
        self._errors = tempfile.TemporaryFile("w+")
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": self._errors}
        try:
            self._process = spawn(measured.title, command, environment, **pipes)
        except Failure:
            self._errors.close()
            raise

    def wait_until_loaded(self):
        self._answer()

    def warm_up(self, samples):
        self._ask(samples)

    def run_round(self, samples):
        answer = self._ask(samples)
        self.measured.seconds.append(answer["seconds"])
        self.measured.texts.append(" ".join(answer["text"].split()))

    def _ask(self, samples):
        try:
            self._process.stdin.write(f"{samples}\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            pass  # the answer, which does not come, says why
        return self._answer()

    def _answer(self):
        line = self._process.stdout.readline()
        if line:
            return json.loads(line)
        self._process.wait()
        self._errors.seek(0)
        last = (self._errors.read().strip().splitlines() or ["no word from it"])[-1]
        raise Failure(f"{self.measured.title} ended with status {self._process.returncode}: {last}")

    def cpu_s(self):
        """Seconds of its cores so far."""
        stat = pathlib.Path(f"/proc/{self._process.pid}/stat").read_text(encoding="utf-8")
        after_name = stat.rpartition(")")[2].split()
        return (int(after_name[11]) + int(after_name[12])) * TICK_S

    def note_peak(self):
        status = pathlib.Path(f"/proc/{self._process.pid}/status").read_text(encoding="ascii")
        (line,) = (line for line in status.splitlines() if line.startswith("VmHWM:"))
        self.measured.peak_mb = int(line.split()[1]) / 1024

    def close(self):
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout, self._errors):
            try:
                stream.close()
            except BrokenPipeError:
                pass


class Whole:
    """A program from its start to its last word, once a round."""

    def __init__(self, measured, command, environment):
        self.measured = measured
        self._command = command
        self._environment = environment
        self._cpu_s = 0.0

    def wait_until_loaded(self):
        pass

    def warm_up(self, _samples):
        self._run()

    def run_round(self, _samples):
        seconds, text = self._run()
        self.measured.seconds.append(seconds)
        self.measured.texts.append(text)

    def _run(self):
        with tempfile.TemporaryFile("w+") as errors:
            start = time.perf_counter()
            process = spawn(
                self.measured.title,
                self._command,
                self._environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=errors,
            )
            text = process.stdout.read()
            _, status, usage = os.wait4(process.pid, 0)
            seconds = time.perf_counter() - start
            process.returncode = os.waitstatus_to_exitcode(status)
            process.stdout.close()
            if process.returncode != 0:
                errors.seek(0)
                raise Failure(f"{self.measured.title}: {errors.read().strip()}")
        self.measured.peak_mb = max(self.measured.peak_mb, usage.ru_maxrss / 1024)
        self._cpu_s += usage.ru_utime + usage.ru_stime
        return seconds, " ".join(TIMES.sub("", text).split())

    def cpu_s(self):
        return self._cpu_s

    def note_peak(self):
        pass

    def close(self):
        pass
