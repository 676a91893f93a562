"""./dev doctor on a machine of fakes: what it calls missing or odd, and that it changes nothing."""

import configparser
import re
import unittest

from machine import ROOT, Machine

VERSION = "whinchat 0.1.0\nMLX 0.32.4\nBLAS OpenBLAS (/x/libopenblas.so.0)\ninstruction set avx2"


class Doctor(Machine):
    def setUp(self):
        super().setUp()
        self.write_machine(
            "proc/cpuinfo", "processor: 0\nmodel name\t: Some CPU\nflags\t: avx2 amx_bf16\n"
        )
        self.write_machine("proc/meminfo", "MemTotal: 8000000 kB\nMemAvailable: 7000000 kB\n")
        for name in ("c++", "whinchat"):
            self.write_program(self.fakes / name, f'#!/bin/sh\nprintf "{VERSION}"\n')
        self.write_program(self.fakes / "nproc", "#!/bin/sh\necho 2\n")
        (self.root / "CMakeLists.txt").write_text("project(whinchat VERSION 0.1.0 LANGUAGES CXX)\n")
        self.write_build(f'printf "{VERSION}"')
        self.cache = self.root / "home" / ".cache" / "whinchat"
        self.write_stamps()

    def write_machine(self, path, text):
        path = self.root / "machine" / path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def write_build(self, script):
        for name in ("whinchat", "whinchat-selftest"):
            program = self.root / "build" / "release" / "bin" / name
            self.write_program(program, f"#!/bin/sh\n{script}\n")

    def write_stamps(self):
        """What set-up leaves for `run`; a stamp has wheels before files, and files before joins."""
        pins = configparser.ConfigParser(interpolation=None)
        pins.read(ROOT / "tools" / "pins.ini")
        for name in pins.sections():
            section = pins[name]
            if "run" not in section["for"].split() or "crate" in section:
                continue
            lines = "".join(section.get(part, "") for part in ("wheels", "files", "join"))
            (self.cache / name).mkdir(parents=True)
            stamp = self.cache / "stamps" / name.replace("/", "-")
            stamp.parent.mkdir(exist_ok=True)
            stamp.write_text(" ".join(re.findall(r"\b[0-9a-f]{64}\b", lines)))

    def doctor(self, **environment):
        """The status, and each finding as (state, sentence) by its subject."""
        machine = str(self.root / "machine")
        done = self.dev("doctor", WHINCHAT_DOCTOR_MACHINE=machine, **environment)
        self.assertEqual(done.stderr, "")
        findings = [line.split(maxsplit=2) for line in done.stdout.splitlines()]
        return done.returncode, {what: (state, words) for state, what, words in findings}

    def snapshot(self):
        """All files and when they changed, but for what the fakes write down."""
        files = set(self.root.rglob("*")) - {self.log}
        return {path: path.stat().st_mtime_ns for path in files}

    def test_a_whole_machine_is_ok_and_stays_as_it_is(self):
        before = self.snapshot()
        status, findings = self.doctor()
        odd = {what: found for what, found in findings.items() if found[0] != "ok"}
        self.assertEqual(list(odd), ["self-test"])  # not run for this build yet
        self.assertEqual(status, 0)
        self.assertEqual(findings["processor"], ("ok", "Some CPU: avx2 amx_bf16"))
        self.assertEqual(findings["models/base"], ("ok", "as pinned"))
        self.assertIn("0.1.0", findings["installed"][1])
        self.assertEqual(self.snapshot(), before)

    def test_a_bare_machine_misses_things_and_gets_none(self):
        for name in ("ninja", "cargo", "whinchat"):
            (self.fakes / name).unlink()
        (self.root / "build" / "release" / "bin" / "whinchat").unlink()
        path = f"{self.fakes}:{self.only_basics()}"
        before = self.snapshot()
        status, findings = self.doctor(FAKE_MISSING="libfmt-dev cargo-web python3-pip", PATH=path)
        self.assertEqual(status, 1)
        for what in ("ninja", "cargo", "packages", "build"):
            self.assertEqual(findings[what][0], "missing", what)
        self.assertIn("libfmt-dev cargo-web", findings["packages"][1])
        self.assertEqual(findings["installed"], ("ok", "no whinchat on the PATH"))
        self.assertEqual(self.snapshot(), before)
        self.assertEqual(self.calls("apt-get"), [])

    def only_basics(self):
        """A folder with what every system has, and no tool of a build."""
        folder = self.root / "basics"
        folder.mkdir()
        for name in ("sh", "cat", "cksum", "cut", "df", "dirname", "du", "env", "find", "grep",
                     "head", "readlink", "sed", "sort", "tail", "tr"):  # fmt: skip
            (folder / name).symlink_to(f"/usr/bin/{name}")
        return folder

    def test_what_another_pin_brought_is_missing(self):
        (self.cache / "stamps" / "mlx-whisper-0.4.3").write_text("0" * 64)
        (self.cache / "models" / "base").rmdir()
        status, findings = self.doctor()
        self.assertEqual(status, 1)
        self.assertIn("by other pins", findings["mlx-whisper-0.4.3"][1])
        self.assertIn("not fetched yet", findings["models/base"][1])
        self.assertEqual(findings["mlx-cpu-0.32.4"][0], "ok")

    def test_variables_are_odd_and_tokens_stay_hidden(self):
        status, findings = self.doctor(OMP_NUM_THREADS="1", HF_TOKEN="secret", LD_PRELOAD="")
        self.assertEqual(status, 0)
        self.assertEqual(findings["OMP_NUM_THREADS"], ("odd", "is set: 1"))
        self.assertEqual(findings["HF_TOKEN"], ("odd", "is set: (not shown)"))
        self.assertNotIn("LD_PRELOAD", findings)
        self.assertNotIn("variables", findings)

    def test_a_small_machine_is_odd(self):
        self.write_machine("proc/cpuinfo", "processor: 0\nmodel name: Old CPU\nflags: sse4_2\n")
        self.write_machine("sys/fs/cgroup/cpu.max", "50000 100000\n")
        self.write_machine("sys/fs/cgroup/memory.max", str(300 << 20))
        status, findings = self.doctor()
        self.assertEqual(status, 0)
        self.assertEqual(findings["processor"][0], "odd")
        self.assertIn("--threads 1", findings["cores"][1])
        self.assertEqual(findings["memory"][0], "odd")
        self.assertIn("allows 300 MB", findings["memory"][1])
        self.write_machine("sys/fs/cgroup/cpu.max", "max 100000\n")
        self.write_machine("sys/fs/cgroup/memory.max", "max\n")
        _, findings = self.doctor()
        self.assertEqual((findings["cores"][0], findings["memory"][0]), ("ok", "ok"))

    def test_a_build_is_asked_what_it_runs_on(self):
        self.write_build("echo whinchat: no such instruction set >&2; exit 1")
        status, findings = self.doctor()
        self.assertEqual(status, 1)
        self.assertEqual(
            findings["build"], ("missing", "it does not start: whinchat: no such instruction set")
        )
        self.write_build('printf "whinchat 0.1.0\\nBLAS none (/x/libblas.so.3)\\n"')
        self.assertEqual(self.doctor()[1]["BLAS"][0], "odd")

    def test_another_version_that_is_installed_is_odd(self):
        self.write_program(self.fakes / "whinchat", "#!/bin/sh\necho whinchat 0.0.9\n")
        self.assertIn("whinchat 0.0.9, and this is 0.1.0", self.doctor()[1]["installed"][1])

    def test_an_old_system_is_missing_something(self):
        status, findings = self.doctor(FAKE_GLIBC="2.31")
        self.assertEqual((status, findings["system"][0]), (1, "missing"))

    def test_it_takes_no_arguments(self):
        done = self.dev("doctor", "now")
        self.assertEqual(done.returncode, 2)
        self.assertIn("got 'now'", done.stderr)


if __name__ == "__main__":
    unittest.main()
