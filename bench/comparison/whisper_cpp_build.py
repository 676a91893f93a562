"""whisper.cpp as its own build makes it for a processor, kept in the cache: whisper-cli, libraries
and headers. The wheel's Python module asks for libraries of a newer compiler than Debian's, so a
small program of ours (whisper_cpp_native.cpp) takes its place."""

import hashlib
import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile

from programs import Failure

VERSION = "1.8.5"  # the same as the wheel's
SOURCE = (
    "pywhispercpp==1.5.1 --hash=sha256:"
    "5df897e5dd9d9f16804fc937bd85b9f5880a0b29a55f8843585e0e03d76195e5"
)
AVX2 = ("SSE42", "AVX", "AVX2", "BMI2", "FMA", "F16C")
AVX512 = (*AVX2, "AVX512", "AVX512_VNNI")
# What whisper.cpp's own switches name for a limited instruction set.
SETS = {
    "sse4": ("SSE42",),
    "avx2": AVX2,
    "avx512_vnni": AVX512,
    "avx512_bf16": (*AVX512, "AVX512_BF16"),
}


def build(cache, limit, processor_flags):
    """The folder of the build for `limit`, or for this very processor."""
    flags = hashlib.sha256(" ".join(sorted(processor_flags)).encode()).hexdigest()[:8]
    kept = cache / "bench" / f"whisper.cpp-{VERSION}" / (limit or f"native-{flags}")
    if not kept.is_dir():
        say(f"building whisper.cpp {VERSION} for {limit or 'this processor'}, once…")
        kept.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix="build-", dir=kept.parent) as scratch:
            scratch = pathlib.Path(scratch)
            source = fetch(scratch)
            compile_into(scratch / "kept", source, scratch / "objects", limit)
            (scratch / "kept").rename(kept)
    return kept


def say(line):
    print(line, file=sys.stderr, flush=True)


def fetch(scratch):
    """pywhispercpp's source package (10 MB) carries whisper.cpp's sources, its program included."""
    say("fetching whisper.cpp's sources: pywhispercpp 1.5.1 (10 MB, and what pip asks of it)…")
    requirement = scratch / "requirements.txt"
    requirement.write_text(SOURCE + "\n", encoding="ascii")
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-input"]
    command += ["--no-binary", "pywhispercpp", "--require-hashes", "--disable-pip-version-check"]
    run("fetched", [*command, "-d", scratch, "-r", requirement])
    (archive,) = scratch.glob("*.tar.gz")
    with tarfile.open(archive) as packed:
        top = f"{archive.name[: -len('.tar.gz')]}/whisper.cpp/"
        packed.extractall(scratch, [m for m in packed.getmembers() if m.name.startswith(top)])
    return scratch / top


def compile_into(kept, source, objects, limit):
    options = ["CMAKE_BUILD_TYPE=Release", "WHISPER_BUILD_TESTS=OFF", "WHISPER_BUILD_SERVER=OFF"]
    options += [f"GGML_NATIVE={'OFF' if limit else 'ON'}"]
    if limit:
        known = sorted({name for names in SETS.values() for name in names})
        options += [f"GGML_{name}={'ON' if name in SETS[limit] else 'OFF'}" for name in known]
    # The program finds its libraries beside it.
    options += ["CMAKE_BUILD_WITH_INSTALL_RPATH=ON", "CMAKE_INSTALL_RPATH=$ORIGIN"]
    options += [f"CMAKE_LIBRARY_OUTPUT_DIRECTORY={kept}"]
    configure = ["cmake", "-G", "Ninja", "-S", source, "-B", objects]
    run("configured", [*configure, *(f"-D{option}" for option in options)])
    run("built", ["ninja", "-C", objects, "whisper-cli"])
    shutil.copy2(objects / "bin" / "whisper-cli", kept)
    (kept / "include").mkdir()
    for header in (*source.glob("include/*.h"), *source.glob("ggml/include/*.h")):
        shutil.copy2(header, kept / "include")


def compile_program(built, program):
    """The warm program, against that build: seconds, so it is not kept."""
    command = [
        "c++",
        "-std=c++17",
        "-O2",
        pathlib.Path(__file__).with_name("whisper_cpp_native.cpp"),
    ]
    command += ["-I", built / "include", "-L", built, "-lwhisper", f"-Wl,-rpath,{built}"]
    command += [f"-Wl,-rpath-link,{built}", "-o", program]
    run("linked with", command)


def run(what, command):
    command = [str(word) for word in command]
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    except OSError as error:
        raise Failure(f"{command[0]} does not start: {error.strerror}") from error
    if done.returncode != 0:
        lines = (done.stdout + done.stderr).strip().splitlines() or ["no word from it"]
        first = next((line for line in lines if "rror" in line), lines[-1])
        raise Failure(f"whisper.cpp could not be {what}: {first}")
