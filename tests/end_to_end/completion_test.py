"""What the program says of itself: completion in real shells, and the manual page."""

import os
import pathlib
import pty
import re
import select
import shutil
import subprocess
import tempfile
import unittest

from program import PATIENCE_S, PROGRAM, EndToEnd, run

SHELLS = {
    "bash": (
        ["bash", "--noprofile", "--norc", "-i"],
        "bind 'set show-all-if-ambiguous on'; bind 'set page-completions off'\n",
    ),
    "zsh": (
        ["zsh", "-f", "-i"],
        "autoload -U compinit; compinit -u -D; setopt no_beep no_auto_remove_slash\n",
    ),
}


class Terminal:
    """A shell that has read whinchat's completion; whinchat itself shows its arguments."""

    def __init__(self, shell, folder):
        command, setup = SHELLS[shell]
        self.own, other = pty.openpty()
        self.process = subprocess.Popen(
            command,
            stdin=other,
            stdout=other,
            stderr=other,
            cwd=folder,
            start_new_session=True,
            env={"PATH": os.environ["PATH"], "TERM": "dumb", "HOME": folder, "LC_ALL": "C.UTF-8"},
        )
        os.close(other)
        self.send(setup)
        self.send(f"source <({PROGRAM} completion {shell})\n")
        # Its answer alone has the real brackets: what is typed has them as numbers.
        shown = r"whinchat() { printf '\133%s\135' " + '"$@"' + r"; printf '\041\n'; }" + "\n"
        self.send(shown)
        self.complete("whinchat ready", tabs=0)

    def send(self, text):
        os.write(self.own, text.encode())

    def complete(self, line, tabs=1):
        """Types the line, tabs and Enter: the arguments that whinchat got, and what was shown."""
        self.send(line + "\t" * tabs + "\n")
        shown = ""
        while True:
            if not select.select([self.own], [], [], PATIENCE_S)[0]:
                raise TimeoutError(shown)
            shown += os.read(self.own, 65536).decode(errors="replace")
            done = re.search(r"((?:\[[^]\r\n]*\])+)!", shown)
            if done:
                return re.findall(r"\[([^]]*)\]", done[1]), shown

    def close(self):
        self.process.kill()
        self.process.wait()
        os.close(self.own)


class Completes(EndToEnd):
    """The same questions to every shell that can be typed into."""

    shell = None

    def setUp(self):
        if self.shell is None or shutil.which(self.shell) is None:
            self.skipTest(f"{self.shell} is not installed")
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        for name in ("my talk.wav", "notes.txt"):
            (self.folder / name).touch()
        (self.folder / "models").mkdir()
        self.terminal = Terminal(self.shell, folder.name)
        self.addCleanup(self.terminal.close)

    def assert_completes(self, line, *arguments):
        self.assertEqual(self.terminal.complete(line)[0], list(arguments), line)

    def assert_offers(self, line, *words):
        shown = self.terminal.complete(line, tabs=2)[1]
        for word in words:
            self.assertRegex(shown, rf"(?m)(^|\s){re.escape(word)}(\s|$)")
        return shown

    def test_subcommands_options_values_and_files(self):
        self.assert_completes("whinchat tr", "transcribe")
        self.assert_completes("whinchat completion z", "completion", "zsh")
        self.assert_completes("whinchat transcribe --output-f", "transcribe", "--output-format")
        self.assert_completes("whinchat transcribe --device g", "transcribe", "--device", "gpu")
        self.assert_completes("whinchat transcribe -f j", "transcribe", "-f", "json")
        self.assert_completes("whinchat transcribe my", "transcribe", "my talk.wav")
        self.assert_completes("whinchat transcribe -q no", "transcribe", "-q", "notes.txt")
        self.assert_completes("whinchat transcribe --profile no", "transcribe", "--profile",
                              "notes.txt")  # fmt: skip
        self.assert_completes("whinchat transcribe -o m", "transcribe", "-o", "models/")
        self.assert_completes("whinchat transcribe --threads n", "transcribe", "--threads", "n")
        self.assert_offers("whinchat transcribe --task ", "transcribe", "translate")

    def test_a_value_behind_an_equals_sign(self):
        (_, argument), _ = self.terminal.complete("whinchat transcribe --compute=bf")
        self.assertEqual(argument, "--compute=bf16")


class Bash(Completes):
    shell = "bash"

    def test_a_folder_is_no_file(self):
        self.assert_completes("whinchat transcribe -o n", "transcribe", "-o", "n")


class Zsh(Completes):
    shell = "zsh"


class Fish(EndToEnd):
    def setUp(self):
        if shutil.which("fish") is None:
            self.skipTest("fish is not installed")

    def offers(self, line):
        ask = f'{PROGRAM} completion fish | source; complete -C "{line}"'
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "my talk.wav").touch()
            (pathlib.Path(folder) / "models").mkdir()
            done = subprocess.run(
                ["fish", "--no-config", "-c", ask], cwd=folder, capture_output=True, text=True,
                env={"PATH": os.environ["PATH"], "HOME": folder}, check=True,
            )  # fmt: skip
        return [line.split("\t")[0] for line in done.stdout.splitlines()]

    def test_subcommands_options_values_and_files(self):
        self.assertEqual(self.offers("whinchat tr"), ["transcribe"])
        self.assertEqual(self.offers("whinchat completion "), ["bash", "fish", "zsh"])
        self.assertEqual(self.offers("whinchat transcribe --output-f"), ["--output-format"])
        self.assertEqual(self.offers("whinchat transcribe --device "), ["auto", "cpu", "gpu"])
        self.assertEqual(self.offers("whinchat transcribe my"), ["my talk.wav"])
        self.assertEqual(self.offers("whinchat transcribe -o m"), ["models/"])
        self.assertEqual(self.offers("whinchat transcribe --threads m"), [])


class Manual(EndToEnd):
    def commands(self, path=()):
        """Every command that help names, with its help."""
        text = run(*path, "--help").out
        yield path, text
        _, _, below = text.partition("Subcommands:")
        for name in re.findall(r"^  ([a-z-]+)", below, re.MULTILINE):
            yield from self.commands((*path, name))

    def test_the_page_and_each_completion_name_all_that_help_names(self):
        pages = {"man": run("man").out.replace("\\-", "-")}
        for shell in ("bash", "zsh", "fish"):
            pages[shell] = run("completion", shell).out
        commands = list(self.commands())
        self.assertGreaterEqual(len(commands), 4)
        for path, text in commands:
            options = re.findall(r"^  (?:(-\w),)?--([a-z-]+)", text, re.MULTILINE)
            self.assertIn(("-h", "help"), options)
            for page, content in pages.items():
                for word in path:
                    self.assertIn(word, content)
                for short, long in options:
                    for name in (short, "--" + long) if short else ("--" + long,):
                        if page == "fish":
                            name = f"-l {name[2:]} " if name[1] == "-" else f"-s {name[1:]} "
                        self.assertIn(name, content, f"{page} {path}")

    def test_the_formatters_have_nothing_to_say(self):
        page = run("man").out.encode()
        for command in (["groff", "-man", "-Kutf8", "-Tutf8", "-ww"],
                        ["mandoc", "-Tlint", "-Werror"]):  # fmt: skip
            if shutil.which(command[0]) is None:
                continue
            done = subprocess.run(command, input=page, capture_output=True)
            self.assertEqual((done.returncode, done.stderr), (0, b""), command)

    def test_a_shell_that_it_does_not_know_is_wrong_usage(self):
        self.assert_refused(run("completion", "csh"), 2, ".*bash, zsh or fish, got csh")
        self.assert_refused(run("completion"), 2, ".*SHELL")


del Completes  # its tests run in the classes made of it

if __name__ == "__main__":
    unittest.main()
