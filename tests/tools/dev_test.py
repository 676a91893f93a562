"""dev itself in a copy, with a machine made of small fakes on the PATH."""

import os
import shutil
import unittest

from machine import Machine


class Dev(Machine):
    def test_run_passes_arguments_standard_input_and_folder_through(self):
        done = self.dev("run", "transcribe", "a b", "--yes")
        self.assertEqual(done.returncode, 0, done.stderr)
        folder = os.getcwd()
        self.assertEqual(done.stdout, f"ran transcribe a b --yes in {folder}\nfrom standard input")

    def test_an_unknown_command_is_status_2(self):
        self.assert_stops(self.dev("walk"), "there is no command 'walk'", 2)

    def test_an_unknown_proof_lists_the_known_ones(self):
        for name in ("nothing", "", "../setup", "fresh/x"):
            done = self.dev("prove", name)
            self.assert_stops(done, "known: fresh", 2)

    def write_bench(self, name, text):
        (self.root / "bench").mkdir(exist_ok=True)
        (self.root / "bench" / name).write_text(text)
        self.write_program(self.fakes / "ninja", '#!/bin/sh\necho "ninja $*" >>"$FAKE_LOG"\n')

    def test_a_bench_script_gets_what_its_notes_say(self):
        self.write_bench("two_words.py", "# groups: bench more\n# targets: bin/part bin/other\n")
        done = self.dev("bench", "two-words", "a b", "--yes")
        self.assertEqual(done.returncode, 0, done.stderr)
        setup, run = [c for c in self.calls("python3") if "-m pip" not in c]
        self.assertTrue(setup.endswith(" run bench more"), setup)
        self.assertEqual(run, f"python3 {self.root}/bench/two_words.py a b --yes")
        (built,) = self.calls("ninja")
        self.assertTrue(built.endswith("bin/whinchat-selftest bin/part bin/other"), built)

    def test_a_bench_program_is_built_and_run(self):
        self.write_bench("some.cpp", "")
        program = self.root / "build" / "release" / "bin" / "bench_some"
        self.write_program(program, '#!/bin/sh\necho "measured $*"\n')
        self.assertEqual(self.dev("bench", "some", "--json").stdout, "measured --json\n")
        self.assertTrue(self.calls("ninja")[0].endswith("bin/whinchat-selftest bin/bench_some"))

    def test_an_unknown_bench_lists_the_known_ones(self):
        self.write_bench("two_words.py", "")
        self.write_bench("some.cpp", "")
        for name in ("nothing", "", "../setup", "some.cpp"):
            done = self.dev("bench", name)
            self.assert_stops(done, "known: two-words some.", 2)
        self.assertEqual(self.calls("ninja"), [])

    def test_build_takes_cuda_with_its_wheel_into_its_own_folder(self):
        folder = self.root / "build" / "cuda"
        configured = f"mkdir -p '{folder}'; touch '{folder}/build.ninja'"
        for name, then in (("cmake", configured), ("ninja", ":")):
            body = f'#!/bin/sh\necho "{name} $*" >>"$FAKE_LOG"\n{then}\n'
            self.write_program(self.fakes / name, body)
        done = self.dev("build", "cuda")
        self.assertEqual(done.returncode, 0, done.stderr)
        (setup,) = [c for c in self.calls("python3") if "-m pip" not in c]
        self.assertTrue(setup.endswith(" run cuda"), setup)
        self.assertIn("--preset cuda", self.calls("cmake")[0])
        self.assertEqual(self.calls("ninja"), [f"ninja -C {folder} all"])
        self.assert_stops(self.dev("build", "vulkan"), "there is no build 'vulkan'", 2)

    def test_an_old_glibc_stops_before_anything_else(self):
        done = self.dev("run", FAKE_GLIBC="2.31", FAKE_MISSING="cmake")
        self.assert_stops(done, "needs glibc 2.35 or later, and this machine has glibc 2.31")
        self.assertFalse(self.log.exists())

    def test_another_processor_stops(self):
        self.assert_stops(self.dev("run", FAKE_ARCH="aarch64"), "this is Linux-aarch64")

    def test_without_a_terminal_it_prints_the_line_and_installs_nothing(self):
        done = self.dev("run", FAKE_MISSING="cmake zlib1g-dev")
        line = "apt-get install -y --no-install-recommends --no-upgrade --no-remove"
        self.assertIn(f"  apt-get update && {line} cmake zlib1g-dev\n", "  " + done.stderr)
        self.assert_stops(done, "no terminal to ask on")
        self.assertEqual(self.calls("apt-get"), [])

    def test_yes_installs_exactly_that(self):
        for arguments in (("--yes", "run"), ("run", "--yes")):
            done = self.dev(*arguments, FAKE_MISSING="cmake")
            self.assertEqual(done.returncode, 0, done.stderr)
            install = self.calls("apt-get install -y")[-1]
            self.assertIn("--no-install-recommends --no-upgrade --no-remove cmake", install)
            shutil.rmtree(self.root / "build" / "release")
            self.setUp()

    def test_ci_does_not_ask(self):
        self.assertEqual(self.dev("run", FAKE_MISSING="cmake", CI="true").returncode, 0)

    def test_a_user_gets_sudo_in_the_line(self):
        done = self.dev("run", FAKE_MISSING="cmake", FAKE_ID="1000")
        self.assertIn("sudo apt-get update && sudo apt-get install", done.stderr)

    def test_it_upgrades_nothing_by_itself(self):
        upgrade = "Inst libc6 [2.36-9] (2.36-10 amd64)"
        done = self.dev("--yes", "run", FAKE_MISSING="g++", FAKE_SIMULATED=upgrade)
        self.assert_stops(done, "newer versions of installed ones (libc6)")
        self.assertEqual([c for c in self.calls("apt-get install") if " -s " not in c], [])

    def test_it_upgrades_what_a_missing_package_needs_when_told_to(self):
        upgrade = "Inst libc6 [2.36-9] (2.36-10 amd64)"
        for arguments in (("--yes", "--upgrade", "run"), ("run", "--upgrade", "--yes")):
            done = self.dev(*arguments, FAKE_MISSING="g++", FAKE_SIMULATED=upgrade)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("installing g++, upgrading libc6…", done.stderr)
            shutil.rmtree(self.root / "build" / "release")
            self.setUp()

    def test_what_apt_says_becomes_one_sentence(self):
        for words, sentence in (
            ("Packages need to be removed but remove is disabled.", "set-up never removes"),
            ("You don't have enough free space in /var/cache/apt/archives/.", "too full"),
            ("Unable to fetch some archives", "check the network"),
        ):
            done = self.dev("--yes", "run", FAKE_MISSING="g++", FAKE_APT=words)
            self.assert_stops(done, sentence)

    def test_an_old_cargo_brings_debians(self):
        done = self.dev("run", FAKE_CARGO="1.63.0", FAKE_MISSING="cargo-web rustc-web")
        self.assertIn(" cargo-web rustc-web\n", done.stderr)

    def test_a_build_with_nothing_to_do_says_nothing(self):
        self.dev("run")
        self.assertNotIn("ninja", self.dev("run").stderr)

    def test_a_failed_build_shows_why_and_stops(self):
        done = self.dev("run", FAKE_NINJA="x.cpp:1: error: no", FAKE_NINJA_CODE="1")
        self.assertIn("x.cpp:1: error: no\n", done.stderr)
        self.assert_stops(done, "the build failed")

    def test_a_failed_fetch_ends_it(self):
        done = self.dev("run", FAKE_SETUP="1")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stdout, "")

    def test_a_failed_self_test_stops_the_run(self):
        program = self.root / "build" / "release" / "bin" / "whinchat-selftest"
        self.write_program(program, "#!/bin/sh\necho the product is wrong\nexit 1\n")
        done = self.dev("run", "--version")
        self.assertIn("the product is wrong", done.stderr)
        self.assert_stops(done, "the self-test failed")

    def test_the_self_test_runs_once_for_each_binary(self):
        program = self.root / "build" / "release" / "bin" / "whinchat-selftest"
        count = self.root / "count"
        self.write_program(program, f"#!/bin/sh\necho >>'{count}'\n")
        os.utime(program, (1, 1))
        os.utime(program.with_name("whinchat"), (1, 1))
        self.dev("run")
        self.dev("run")
        self.assertEqual(len(count.read_text()), 1)
        os.utime(program)
        os.utime(program.with_name("whinchat"), None)
        os.utime(self.root / "build" / "release" / "selftest", (2, 2))
        self.dev("run")
        self.assertEqual(len(count.read_text()), 2)

    def test_a_second_run_asks_set_up_nothing(self):
        self.dev("run")
        (self.root / "samples").mkdir()
        (self.root / "samples" / "jfk.wav").touch()
        model = self.root / "home" / ".cache" / "whinchat" / "models" / "base" / "model.bin"
        model.parent.mkdir(parents=True)
        model.touch()
        before = len(self.calls("python3"))
        self.assertEqual(self.dev("run").returncode, 0)
        self.assertEqual(len(self.calls("python3")), before)
        with open(self.root / "tools" / "pins.ini", "a") as pins:
            pins.write("# another pin\n")
        self.dev("run")
        self.assertGreater(len(self.calls("python3")), before)

    def test_test_hands_its_arguments_to_ctest(self):
        done = self.dev("test", "-R", "Wav")
        self.assertRegex(done.stdout, r"--output-on-failure -j \d+ -R Wav")


if __name__ == "__main__":
    unittest.main()
