"""A copy of dev and tools, with a machine made of small fakes on the PATH."""

import pathlib
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
FAKES = {
    "uname": 'case ${1:-} in -m) echo "${FAKE_ARCH:-x86_64}" ;; *) echo Linux ;; esac',
    "getconf": 'echo "glibc ${FAKE_GLIBC:-2.36}"',
    "id": "echo ${FAKE_ID:-0}",
    "cargo": 'echo "cargo ${FAKE_CARGO:-1.90.0} (x)"',
    "dpkg-query": 'for p; do :; done; case " $FAKE_MISSING " in *" $p "*) exit 1 ;; esac\n'
    "printf installed",
    "python3": 'echo "python3 $*" >>"$FAKE_LOG"; [ "${1##*/}" != setup ] || exit ${FAKE_SETUP:-0}',
    "apt-get": 'echo "apt-get $*" >>"$FAKE_LOG"\n'
    'case "$*" in *" -s "*) printf "%s\\n" "${FAKE_SIMULATED:-Inst cmake (3.25)}"; exit ;; esac\n'
    'case "$1" in install) [ -z "${FAKE_APT:-}" ] || { echo "E: $FAKE_APT"; exit 100; } ;; esac',
    "cmake": "mkdir -p build/release/bin; touch build/release/build.ninja",
    "ninja": 'echo "ninja: Entering directory"; echo "$FAKE_NINJA"; exit ${FAKE_NINJA_CODE:-0}',
    "ctest": 'echo "ctest $*"',
}
PROGRAM = '#!/bin/sh\necho "ran $* in $PWD"; cat\n'


class Machine(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name).resolve() / "a checkout"
        shutil.copytree(ROOT / "tools", self.root / "tools")
        shutil.copy(ROOT / "dev", self.root)
        shutil.copy(ROOT / "CMakePresets.json", self.root)
        self.fakes = self.root / "fakes"
        for name, body in FAKES.items():
            self.write_program(self.fakes / name, f"#!/bin/sh\n{body}\n")
        self.write_program(self.root / "build" / "release" / "bin" / "whinchat", PROGRAM)
        self.log = self.root / "log"

    def write_program(self, path, text):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(0o755)

    def dev(self, *arguments, **environment):
        words = {
            "PATH": f"{self.fakes}:/usr/bin:/bin",
            "HOME": str(self.root / "home"),
            "FAKE_LOG": str(self.log),
            "FAKE_MISSING": "",
            "FAKE_NINJA": "ninja: no work to do.",
            **environment,
        }
        return subprocess.run(
            [self.root / "dev", *arguments],
            env=words,
            input="from standard input",
            capture_output=True,
            text=True,
            start_new_session=True,  # no terminal to ask on
            timeout=60,
        )

    def calls(self, program):
        lines = self.log.read_text().splitlines() if self.log.is_file() else []
        return [line for line in lines if line.startswith(program)]

    def assert_stops(self, done, words, status=1):
        self.assertEqual(done.returncode, status, done.stderr)
        self.assertIn(words, done.stderr.splitlines()[-1])
        self.assertEqual(done.stdout, "")
