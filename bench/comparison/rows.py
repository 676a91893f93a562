"""The table's rows: how each program is started, in each of its configurations."""

import dataclasses
import json
import os
import pathlib
import sys
import tempfile
from typing import Optional

from programs import Failure, Measured, Warm, Whole, spawn

HERE = pathlib.Path(__file__).resolve().parent


@dataclasses.dataclass(frozen=True)
class Setting:
    """What is the same for all of them."""

    programs: pathlib.Path  # our own, built
    packages: pathlib.Path  # the peers', unpacked; beside it onnxruntime
    folder: pathlib.Path  # the model as CTranslate2 has it
    ggml: pathlib.Path  # the same weights as whisper.cpp has them
    openvino: pathlib.Path  # and a folder for each form that OpenVINO GenAI has them in
    whisper_cpp: pathlib.Path  # whisper.cpp built for this processor
    native_program: pathlib.Path  # and our program on top of that
    threads: int
    limits: dict  # environment that limits the instruction set
    wav: pathlib.Path
    language: Optional[str]  # None: to be detected
    beam: int
    vad: bool  # whether silence is left out, by those that can

    def _python(self, script, packages, **options):
        """A peer's script; options are what its main() takes."""
        command = [sys.executable, "-s", HERE / script, json.dumps(options, default=str)]
        path = os.pathsep.join(map(str, packages))
        return command, {**self.limits, "PYTHONPATH": path}

    def _common(self):
        return {"threads": self.threads, "language": self.language}

    def _faster_whisper(self, compute_type, **options):
        options.update(model=self.folder, compute_type=compute_type, beam=self.beam, vad=self.vad)
        packages = (self.packages, self.packages.parent / "onnxruntime")
        return self._python("faster_whisper_peer.py", packages, **self._common(), **options)

    def faster_whisper(self, compute_type, **options):
        return Warm, *self._faster_whisper(compute_type, **options)

    def faster_whisper_whole(self, compute_type):
        return Whole, *self._faster_whisper(compute_type, wav=self.wav)

    def whisper_cpp_wheel(self, attention):
        options = {"model": self.ggml, "beam": self.beam, "attention": attention}
        packages = (self.packages,)
        return Warm, *self._python("whisper_cpp_warm.py", packages, **self._common(), **options)

    def whisper_cpp_native(self, attention):
        options = (self.threads, self.language or "auto", self.beam, attention)
        return Warm, [self.native_program, self.ggml, *options], self.limits

    def whisper_cli(self, attention):
        command = [self.whisper_cpp / "whisper-cli", "--no-prints", "--no-fallback", "--no-gpu"]
        command += ["--model", self.ggml, "--language", self.language or "auto"]
        command += ["--threads", self.threads, "--suppress-nst", "--max-context", 0]
        command += ["--best-of", 1, "--beam-size", self.beam, "--file", self.wav]
        command.append("--flash-attn" if attention == "flash" else "--no-flash-attn")
        return Whole, command, self.limits

    def openvino_genai(self, form):
        folder = self.openvino / form
        if not folder.is_dir():
            self._write_openvino(folder, form)
        packages = (self.packages,)
        return Warm, *self._python("openvino_warm.py", packages, model=folder, **self._common())

    def _write_openvino(self, folder, form):
        command = [sys.executable, "-s", HERE / "openvino_model.py", self.folder, folder, form]
        environment = {"PYTHONPATH": str(self.packages)}
        with tempfile.TemporaryFile("w+") as errors:
            process = spawn("openvino_model.py", command, environment, stderr=errors)
            if process.wait() != 0:
                errors.seek(0)
                last = (errors.read().strip().splitlines() or ["no word from it"])[-1]
                raise Failure(f"OpenVINO's {form} model could not be written: {last}")

    def _our_options(self, more):
        language = ("--language", self.language) if self.language else ()
        options = ("--model", self.folder, "--threads", self.threads, "--beam-size", self.beam)
        options = (*options, "--vad-filter", str(self.vad))
        return [*options, "--condition-on-previous-text", "False", *language, *more]

    def ours_warm(self, more):
        return (
            Warm,
            [self.programs / "bench_transcribe_warm", *self._our_options(more)],
            self.limits,
        )

    def ours_whole(self, more):
        command = [self.programs / "whinchat", "transcribe", self.wav, "--quiet", "--no-fallback"]
        return Whole, [*command, *self._our_options(more)], self.limits


OPENVINO = "OpenVINO GenAI"
FASTER_WHISPER = "faster-whisper"
WHISPER_CPP = "whisper.cpp"
VERSIONS = {OPENVINO: "2026.4.1", FASTER_WHISPER: "1.2.1", WHISPER_CPP: "1.8.5"}
# Name: whose, which configuration, how it is started. whisper.cpp's wheel is pywhispercpp's.
WARM = {
    "openvino-f16": (OPENVINO, "f16 weights", lambda s: s.openvino_genai("f16")),
    "openvino-int8": (OPENVINO, "int8 weights", lambda s: s.openvino_genai("int8")),
    "faster-whisper-int8": (FASTER_WHISPER, "int8", lambda s: s.faster_whisper("int8")),
    "faster-whisper-float32": (FASTER_WHISPER, "float32", lambda s: s.faster_whisper("float32")),
    "faster-whisper-batched": (
        FASTER_WHISPER,
        "int8, batched",
        lambda s: s.faster_whisper("int8", batch=8),
    ),
    "whisper.cpp-wheel-flash": (
        WHISPER_CPP,
        "wheel, flash",
        lambda s: s.whisper_cpp_wheel("flash"),
    ),
    "whisper.cpp-wheel-plain": (WHISPER_CPP, "wheel", lambda s: s.whisper_cpp_wheel("plain")),
    "whisper.cpp-native-flash": (
        WHISPER_CPP,
        "native, flash",
        lambda s: s.whisper_cpp_native("flash"),
    ),
    "whisper.cpp-native-plain": (WHISPER_CPP, "native", lambda s: s.whisper_cpp_native("plain")),
}
WHOLE = {
    "faster-whisper-int8": (FASTER_WHISPER, "int8", lambda s: s.faster_whisper_whole("int8")),
    "faster-whisper-float32": (
        FASTER_WHISPER,
        "float32",
        lambda s: s.faster_whisper_whole("float32"),
    ),
    "whisper.cpp-native-flash": (WHISPER_CPP, "CLI, flash", lambda s: s.whisper_cli("flash")),
    "whisper.cpp-native-plain": (WHISPER_CPP, "CLI", lambda s: s.whisper_cli("plain")),
}


def start(name, row, setting):
    maker, configuration, make = row
    kind, command, environment = make(setting)
    return kind(Measured(name, maker, configuration), command, environment)
