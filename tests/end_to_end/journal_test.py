"""--journal: a run that was ended by force goes on where it was.

WHINCHAT_KILLS: how often the run is killed, 3 unless it says more; WHINCHAT_SEED: when.
"""

import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import time
import unittest

from program import PATIENCE_S, PROGRAM, EndToEnd, read_wav, transcribe, write_wav

QUICK = ("--beam-size=1", "--no-fallback")
KILLS = int(os.environ.get("WHINCHAT_KILLS", "3"))
SEED = int(os.environ.get("WHINCHAT_SEED", "9"))


class Talks(EndToEnd):
    """Each test has a new folder, here/, with talks/: recordings of 2 s and more."""

    COUNT = 3

    def setUp(self):
        self.here = self.folder / "here"
        shutil.rmtree(self.here, ignore_errors=True)
        (self.here / "talks").mkdir(parents=True)
        samples = read_wav(self.wav)
        for number in range(self.COUNT):
            begin = number * 16000 % (8 * 16000)
            piece = samples[begin : begin + (2 + number % 3) * 16000]
            write_wav(self.here / "talks" / f"{number:02}.wav", piece)
        self.journal = self.here / "journal"

    def command(self, output="out", journal="journal", events="events", threads=1):
        return [*QUICK, f"--threads={threads}", "talks", "-f", "txt,json", "-o", output,
                "--journal", journal, "--json-progress", events]  # fmt: skip

    def run_here(self, *arguments, **places):
        return transcribe(*self.command(**places), *arguments, cwd=self.here)

    def contents(self, output="out"):
        folder = self.here / output
        return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}

    def ends(self, events="events"):
        """How each file's turn ended, by its number; the file is emptied."""
        path = self.here / events
        lines = path.read_text(encoding="utf-8").splitlines()
        path.unlink()
        ends = {}
        for event in map(json.loads, lines):
            if event["event"] in ("done", "done_before", "failed", "skipped"):
                ends[event["number"]] = event["event"]
        return ends

    def lines(self):
        return self.journal.read_text(encoding="utf-8").splitlines(keepends=True)


class Killed(Talks):
    COUNT = 8 if KILLS < 10 else 20

    def recorded(self):
        """The inputs that the journal has, a torn line left out."""
        if not self.journal.exists():
            return set()
        whole, _, _ = self.journal.read_text(encoding="utf-8").rpartition("\n")
        lines = [json.loads(line) for line in whole.splitlines()]
        return {pathlib.Path(line["input"]).name for line in lines if line["type"] == "done"}

    def run_killed_after(self, seconds):
        """False when the run came to its end before."""
        process = subprocess.Popen(
            [PROGRAM, "transcribe", "-q", "--model", "tiny.en", *self.command()],
            stdin=subprocess.DEVNULL,
            cwd=self.here,
        )
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            process.kill()
        return process.wait(PATIENCE_S) == -signal.SIGKILL

    def heard_since(self, before, killed):
        """What the last run's events say of inputs that had been done, and of the others."""
        path = self.here / "events"
        text = path.read_text(encoding="utf-8") if path.exists() else ""
        whole, _, _ = text.rpartition("\n")
        names, ends = {}, {}
        for event in map(json.loads, whole.splitlines()):
            if event["event"] == "begin":
                names[event["number"]] = pathlib.Path(event["file"]).name
            elif "number" in event:
                ends[names[event["number"]]] = event["event"]
        path.unlink(missing_ok=True)
        for name, end in ends.items():
            if name in before:
                self.assertEqual(end, "done_before", name)
            else:
                self.assertNotEqual(end, "done_before", name)
        return {name for name, end in ends.items() if end == "done"}

    def test_a_run_that_is_killed_again_and_again_gives_the_same_files(self):
        begin_s = time.monotonic()
        result = self.run_here(output="whole", journal="journal_of_whole", events="events_of_whole")
        whole_s = time.monotonic() - begin_s
        self.assertEqual(result.status, 0, result.err)
        self.assertEqual(len(self.contents("whole")), 2 * self.COUNT)

        moments = random.Random(SEED)
        kills = with_work = 0
        while kills < KILLS:
            before = self.recorded()
            if len(before) == self.COUNT:  # all is done too early: from the beginning
                self.journal.unlink()
                continue
            share_left = 1 - len(before) / self.COUNT
            if self.run_killed_after(moments.uniform(0, whole_s * share_left)):
                kills += 1
                with_work += 0 < len(before) < self.COUNT
            done = self.heard_since(before, kills)
            self.assertLessEqual(done, self.recorded())
        # Before the last run something is to be done, and what a killed one may leave lies there.
        if len(self.recorded()) == self.COUNT:
            self.journal.write_text("".join(self.lines()[:-1]), encoding="utf-8")
        (self.here / "out").mkdir(exist_ok=True)
        left = next(name for name in self.names() if name not in self.recorded())
        (self.here / "out" / left.replace(".wav", ".txt.part")).write_text("half a w")
        with self.journal.open("a", encoding="utf-8") as file:
            file.write('{"type":"done","inp' if self.recorded() else "")

        before = self.recorded()
        result = self.run_here()
        self.assertEqual(result.status, 0, result.err)
        self.heard_since(before, kills)
        self.assertEqual(self.contents(), self.contents("whole"))
        self.assertEqual(len(self.recorded()), self.COUNT)
        print(f"\n{kills} kills, {with_work} of them of a run that went on; {self.COUNT} files")

    def names(self):
        return sorted(path.name for path in (self.here / "talks").iterdir())


class GoingOn(Talks):
    """Each test finds the folder as one whole run left it."""

    def setUp(self):
        super().setUp()
        kept = self.folder / "kept"
        if kept.exists():
            shutil.rmtree(self.here)
            shutil.copytree(kept, self.here)  # with the files' times
            return
        result = self.run_here()
        self.assertEqual(result.status, 0, result.err)
        self.assertEqual(self.ends(), {1: "done", 2: "done", 3: "done"})
        shutil.copytree(self.here, kept)

    def test_what_is_done_is_told_and_not_heard_again(self):
        result = self.run_here()
        self.assertEqual((result.status, result.out), (0, ""))
        self.assertEqual(result.err, "3 files: 0 done, 3 done before\n")
        last = json.loads((self.here / "events").read_text().splitlines()[-1])
        self.assertEqual((last["event"], last["done"], last["done_before"]), ("summary", 0, 3))
        self.assertEqual(self.ends(), dict.fromkeys((1, 2, 3), "done_before"))
        self.assertEqual(len(self.lines()), 4)

    def test_a_changed_input_and_a_missing_or_changed_output_are_done_again(self):
        os.utime(self.here / "talks/00.wav", ns=(1, 1))
        (self.here / "out/01.json").unlink()
        with (self.here / "out/02.txt").open("a") as file:
            file.write("more")
        whole = self.contents()
        result = self.run_here()
        self.assertEqual(result.status, 0, result.err)
        self.assertEqual(self.ends(), {1: "done", 2: "done", 3: "done"})
        self.assertIn("01.json", self.contents())
        self.assertNotEqual(self.contents()["02.txt"], whole["02.txt"])
        self.run_here()
        self.assertEqual(self.ends(), dict.fromkeys((1, 2, 3), "done_before"))

    def test_a_new_input_is_heard_and_one_that_fails_is_tried_again(self):
        (self.here / "talks/03.wav").write_text("no sound")
        for _ in range(2):
            result = self.run_here()
            self.assertEqual(result.status, 1)
            expected = {1: "done_before", 2: "done_before", 3: "done_before", 4: "failed"}
            self.assertEqual(self.ends(), expected)
        write_wav(self.here / "talks/03.wav", read_wav(self.wav)[:32000])
        self.assertEqual(self.run_here().status, 0)
        self.assertEqual(self.ends()[4], "done")

    def test_a_torn_line_is_cut_and_its_input_done_again(self):
        *whole, last = self.lines()
        self.journal.write_text("".join(whole) + last[:-20], encoding="utf-8")
        result = self.run_here()
        self.assertEqual(result.status, 0, result.err)
        self.assertEqual(self.ends(), {1: "done_before", 2: "done_before", 3: "done"})
        self.assertEqual(self.lines(), [*whole, last])

    def test_what_is_not_this_runs_is_refused_and_nothing_is_touched(self):
        head, first, *rest = self.lines()
        damaged = head + first[:-20] + "\n" + "".join(rest)
        whole = "".join(self.lines())
        other_type = head + first.replace("done", "heard") + rest[0]
        rows = [
            (whole, "tiny.en", ["--best-of=3"], 2,
             "the journal journal is of a run with no --best-of; this one has --best-of 3$"),
            (whole, "base", [], 2,
             r"the journal journal is of a run with the model \S+tiny.en; this one has the model "),
            (damaged, "tiny.en", [], 1, "journal, line 2: expected JSON, got a syntax error at "),
            (other_type, "tiny.en", [], 1,
             "journal, line 2: expected a line of the type done, got heard$"),
            ("my notes\n", "tiny.en", [], 2, "journal is no journal: expected "),
        ]  # fmt: skip
        # There is something to do.
        (self.here / "talks/03.wav").write_bytes((self.here / "talks/00.wav").read_bytes())
        written = self.contents()
        for text, model, options, status, sentence in rows:
            with self.subTest(sentence):
                self.journal.write_text(text, encoding="utf-8")
                result = transcribe(*self.command(), *options, model=model, cwd=self.here)
                self.assert_refused(result, status, sentence)
                self.assertEqual(self.journal.read_text(encoding="utf-8"), text)
                self.assertEqual(self.contents(), written)

    def test_options_that_decide_nothing_may_change(self):
        result = self.run_here("-q", "--offline", threads=2)
        self.assertEqual((result.status, result.err), (0, ""))
        self.assertEqual(self.ends(), dict.fromkeys((1, 2, 3), "done_before"))


class Refused(Talks):
    COUNT = 1

    def test_where_no_file_is_written_or_an_input_cannot_be_heard_again(self):
        rows = [
            (["talks"], "journal", "--journal needs --output-dir or another place of files$"),
            (["talks", "-", "-o", "out"], "journal",
             "--journal: expected files alone, since standard input cannot be heard again$"),
            (["talks", "-o", "out", "--skip-existing"], "journal",
             "--skip-existing excludes --journal$"),
            (["talks", "-o", "out"], "no/where", "--journal: no/where cannot be written: No such "),
            (["talks", "-o", "out"], "talks",
             "--journal: talks cannot be written: Is a directory$"),
            (["talks", "-o", "out"], "talks/00.wav", "talks/00.wav is no journal: expected "),
        ]  # fmt: skip
        for arguments, journal, sentence in rows:
            with self.subTest(sentence):
                recording = (self.here / "talks/00.wav").read_bytes()
                result = transcribe(*QUICK, *arguments, "--journal", journal, cwd=self.here)
                self.assert_refused(result, 2, sentence)
                self.assertFalse(self.journal.exists())
                self.assertEqual((self.here / "talks/00.wav").read_bytes(), recording)

    def test_a_journal_that_the_words_would_overwrite(self):
        result = transcribe(*QUICK, "talks", "-o", "out", "--journal", "out/00.txt", cwd=self.here)
        self.assert_refused(result, 2, "the words would overwrite the journal: out/00.txt$")

    def test_a_journal_in_a_new_output_folder(self):
        result = self.run_here(output="new", journal="new/journal")
        self.assertEqual(result.status, 0, result.err)
        self.assertEqual(set(self.contents("new")), {"00.json", "00.txt", "journal"})


class Interrupted(Talks):
    COUNT = 1

    def test_a_part_is_no_end_and_is_done_again_and_a_second_run_waits_for_nothing(self):
        write_wav(self.here / "talks/00.wav", read_wav(self.wav) * 8)
        command = [PROGRAM, "transcribe", "-q", "--model", "tiny.en", *self.command()]
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, cwd=self.here)
        begin_s = time.monotonic()
        while '"progress"' not in self.text("events"):
            self.assertLess(time.monotonic() - begin_s, PATIENCE_S, "nothing was heard")
            time.sleep(0.01)
        result = self.run_here(events="other")
        sentence = "the journal journal is in use by another run$"
        self.assert_refused(result, 1, sentence)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(PATIENCE_S), 130)
        part = self.contents()["00.txt"]
        self.assertEqual(len(self.lines()), 1)

        (self.here / "events").unlink()
        self.assertEqual(self.run_here().status, 0)
        self.assertEqual(self.ends(), {1: "done"})
        self.assertGreater(len(self.contents()["00.txt"]), len(part))
        self.assertEqual(len(self.lines()), 2)

    def text(self, name):
        path = self.here / name
        return path.read_text(encoding="utf-8") if path.exists() else ""


if __name__ == "__main__":
    unittest.main()
