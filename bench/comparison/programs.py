"""The programs that are measured, each in a process of its own."""

import dataclasses
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent


TICK_S = 1 / os.sysconf("SC_CLK_TCK")


class Failure(Exception):
    """Its text is the sentence that the user reads."""


@dataclasses.dataclass
class Measured:
    """One program and what its rounds gave."""

    name: str
    title: str
    seconds: list = dataclasses.field(default_factory=list)
    texts: list = dataclasses.field(default_factory=list)
    peak_mb: float = 0


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
        return seconds, " ".join(text.split())

    def cpu_s(self):
        return self._cpu_s

    def note_peak(self):
        pass

    def close(self):
        pass


@dataclasses.dataclass(frozen=True)
class Setting:
    """What is the same for all of them."""

    programs: pathlib.Path  # our own, built
    packages: pathlib.Path  # the peers', unpacked
    folder: pathlib.Path  # the model as CTranslate2 has it
    ggml: pathlib.Path  # the same weights as whisper.cpp has them
    openvino: pathlib.Path  # and a folder for each form that OpenVINO GenAI has them in
    wav: pathlib.Path
    language: str
    threads: int
    ours_args: tuple
    limits: dict  # environment that limits the instruction set

    def _python(self, script, *arguments):
        command = [sys.executable, "-s", HERE / script, *arguments]
        return command, {**self.limits, "PYTHONPATH": str(self.packages)}

    def faster_whisper(self, compute_type):
        common = (self.folder, self.language, self.threads)
        return Warm, *self._python("faster_whisper_warm.py", *common, compute_type)

    def whisper_cpp(self, attention):
        common = (self.ggml, self.language, self.threads)
        return Warm, *self._python("whisper_cpp_warm.py", *common, attention)

    def openvino_genai(self, form):
        folder = self.openvino / form
        if not folder.is_dir():
            self._write_openvino(folder, form)
        return Warm, *self._python("openvino_warm.py", folder, self.language, self.threads)

    def _write_openvino(self, folder, form):
        command, environment = self._python("openvino_model.py", self.folder, folder, form)
        with tempfile.TemporaryFile("w+") as errors:
            process = spawn("openvino_model.py", command, environment, stderr=errors)
            if process.wait() != 0:
                errors.seek(0)
                last = (errors.read().strip().splitlines() or ["no word from it"])[-1]
                raise Failure(f"OpenVINO's {form} model could not be written: {last}")

    def our_options(self):
        options = ("--model", self.folder, "--language", self.language, "--threads", self.threads)
        return [*options, *self.ours_args]

    def ours_warm(self):
        return Warm, [self.programs / "bench_transcribe_warm", *self.our_options()], self.limits

    def ours_whole(self):
        greedy = ("--beam-size=1", "--no-fallback")
        command = [self.programs / "whinchat", "transcribe", self.wav, "--quiet", *greedy]
        return Whole, [*command, *self.our_options()], self.limits


# Name, title, how it is started. whisper.cpp's version is that of the library in the package.
PEERS = {
    "openvino-f16": ("OpenVINO GenAI 2026.4.1, f16 weights", lambda s: s.openvino_genai("f16")),
    "openvino-int8": ("OpenVINO GenAI 2026.4.1, int8 weights", lambda s: s.openvino_genai("int8")),
    "faster-whisper-int8": ("faster-whisper 1.2.1, int8", lambda s: s.faster_whisper("int8")),
    "faster-whisper-float32": (
        "faster-whisper 1.2.1, float32",
        lambda s: s.faster_whisper("float32"),
    ),
    "whisper.cpp-flash": ("whisper.cpp 1.8.5, flash attention", lambda s: s.whisper_cpp("flash")),
    "whisper.cpp-plain": ("whisper.cpp 1.8.5", lambda s: s.whisper_cpp("plain")),
}
OURS = {
    "whinchat-warm": ("whinchat", lambda s: s.ours_warm()),
    "whinchat-whole": ("whinchat, whole process", lambda s: s.ours_whole()),
}


def start(name, setting):
    title, make = {**OURS, **PEERS}[name]
    kind, command, environment = make(setting)
    return kind(Measured(name, title), command, environment)
