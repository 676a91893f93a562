"""Many inputs: folders, patterns, lists; where their files go; what is said of them."""

import json
import os
import pathlib
import tempfile
import unittest

from program import EndToEnd, read_wav, run, transcribe, write_wav

QUICK = ("--beam-size=1", "--no-fallback")
SECONDS = 2


class Talks(EndToEnd):
    """Each test has a folder of its own: talks/ with a.wav, b.wav, deep/c.wav and notes.txt."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.here = pathlib.Path(folder.name)
        (self.here / "talks" / "deep").mkdir(parents=True)
        samples = read_wav(self.wav)[: SECONDS * 16000]
        for name in ("talks/a.wav", "talks/b.wav", "talks/deep/c.wav"):
            write_wav(self.here / name, samples)
        (self.here / "talks" / "notes.txt").write_text("no sound")

    def run_here(self, *arguments, **options):
        return transcribe(*QUICK, *arguments, cwd=self.here, **options)

    def written(self, folder="out"):
        return sorted(path.name for path in (self.here / folder).iterdir())

    def assert_refused_last(self, result, pattern):
        self.assertEqual((result.status, result.out), (2, ""))
        self.assertRegex(result.complaints[-1], pattern)


class Inputs(Talks):
    def test_a_folder_is_its_recordings_and_the_rest_is_counted(self):
        result = self.run_here("talks", "-o", "out")
        self.assertEqual(self.written(), ["a.txt", "b.txt"])
        self.assertEqual(
            result.complaints,
            ["whinchat: 1 file that is neither audio nor video was passed over"],
        )
        self.assertRegex(result.err, r"(?m)^file 2 of 2: talks/b\.wav: 2\.0 s in ")
        self.assertRegex(result.err, r"(?m)^2 files: 2 done$")
        self.assertEqual((result.status, result.out), (0, ""))

    def test_patterns_lists_and_deeper_folders(self):
        (self.here / "list").write_text("# mine\ntalks/b.wav\n")
        result = self.run_here("talks/[a]*", "@list", "-o", "out")
        self.assertEqual((result.status, self.written()), (0, ["a.txt", "b.txt"]))
        names = b"talks/deep\ntalks/a.wav\n"
        result = self.run_here("--input-list", "-", "-o", "new", input=names)
        self.assertEqual((result.status, self.written("new")), (0, ["a.txt", "c.txt"]))
        result = self.run_here("--recursive", "talks", "-o", "all")
        self.assertEqual((result.status, self.written("all")), (0, ["a.txt", "b.txt", "c.txt"]))

    def test_what_stands_for_nothing_fails_alone_and_the_worst_is_the_status(self):
        (self.here / "empty").mkdir()
        result = self.run_here("*.ogg", "empty", "missing.wav", "talks/a.wav", "-o", "out")
        self.assertEqual(self.written(), ["a.txt"])
        self.assertEqual(len(result.complaints), 3, result.err)
        self.assertRegex(result.complaints[0], r"no file matches \*\.ogg$")
        self.assertRegex(result.complaints[1], r"the folder empty has no audio or video file")
        self.assertRegex(result.complaints[2], r"missing\.wav")
        self.assertRegex(result.err, r"(?m)^4 files: 1 done, 3 failed$")
        self.assertEqual(result.status, 1)
        self.assertEqual(run("transcribe", "*.ogg", "--model", "none", cwd=self.here).status, 1)

    def test_existing_files_are_left_out_and_no_model_is_opened_for_them(self):
        (self.here / "out").mkdir()
        (self.here / "out" / "a.txt").write_text("mine")
        result = self.run_here("talks", "-o", "out", "--skip-existing")
        self.assertEqual((self.here / "out" / "a.txt").read_text(), "mine")
        self.assertEqual(self.written(), ["a.txt", "b.txt"])
        self.assertRegex(result.err, r"(?m)^2 files: 1 done, 1 skipped$")
        self.assertEqual(result.status, 0)
        result = transcribe(
            "talks", "-o", "out", "--skip-existing", model="no-such-model", cwd=self.here
        )
        self.assertRegex(result.err, r"(?m)^2 files: 0 done, 2 skipped$")
        self.assertEqual(result.status, 0)
        result = self.run_here("talks", "--skip-existing")
        self.assert_refused(result, 2, "--skip-existing needs --output-dir")

    def test_files_beside_the_input_or_by_a_name(self):
        self.run_here("talks/a.wav", "--output-beside")
        self.assertTrue((self.here / "talks" / "a.wav.txt").is_file())
        result = self.run_here("talks/a.wav", "--output-name", "mine", "-o", "out")
        self.assertEqual((result.status, self.written()), (0, ["mine.txt"]))
        result = self.run_here("talks", "--output-name", "mine")
        self.assert_refused_last(result, "--output-name: expected 2, one each, for 2 files, got 1$")
        result = self.run_here("talks/a.wav", "--output-beside", "-o", "out")
        self.assert_refused_last(result, "--output-dir excludes --output-beside$")

    def test_no_words_over_the_recording(self):
        (self.here / "talk.txt").write_bytes((self.here / "talks/a.wav").read_bytes())
        result = self.run_here("talk.txt", "-o", ".")
        self.assert_refused(result, 1, r"the words would overwrite the recording: .*talk\.txt$")

    def test_nothing_named_is_wrong_usage(self):
        self.assert_refused(run("transcribe", "--recursive"), 2, "FILE is required")
        self.assert_refused(run("detect-language"), 2, ".*FILE")

    def test_the_same_inputs_are_asked_for_their_language(self):
        result = run("detect-language", "talks", "--model", "no-such-model", cwd=self.here)
        self.assertRegex(result.complaints[0], "passed over$")
        self.assertEqual(result.status, 1)


class Events(Talks):
    """--json-progress, as docs/events.md has it."""

    def events_of(self, *arguments, status=0, **options):
        result = self.run_here("--json-progress", "events", *arguments, **options)
        self.assertEqual(result.status, status, result.err)
        lines = (self.here / "events").read_text(encoding="utf-8").splitlines()
        return [json.loads(line) for line in lines]

    def test_every_file_begins_and_comes_to_one_end(self):
        (self.here / "talks" / "broken.mp3").write_text("no sound")
        events = self.events_of("talks", "nothing*", "-o", "out", "--skip-existing", status=1)
        self.assertEqual(events[0], {"event": "failed", "message": "no file matches nothing*"})
        first = events[1 : events.index(next(e for e in events if e["event"] == "done")) + 1]
        self.assertEqual(
            first[0], {"event": "begin", "number": 1, "count": 3, "file": "talks/a.wav"}
        )
        kinds = [event["event"] for event in first]
        self.assertEqual(kinds[0], "begin")
        self.assertEqual(set(kinds[1:-1]), {"segment", "progress"})
        for event in first:
            self.assertEqual(event["number"], 1)
            if event["event"] == "segment":
                self.assertEqual(set(event), {"event", "number", "id", "start", "end", "text"})
            if event["event"] == "progress":
                self.assertEqual((event["done_s"], event["total_s"]), (SECONDS, SECONDS))
                self.assertEqual(event["left_s"], 0)
                self.assertGreater(event["speed"], 0)
                overall = event["all"]
                self.assertEqual((overall["files"], overall["files_done"]), (3, 0))
                self.assertEqual((overall["done_s"], overall["total_s"]), (SECONDS, None))
        # The size of b.wav says how long it is, that of broken.mp3 nothing.
        second = [e for e in events if e["event"] == "progress" and e["number"] == 2][-1]
        overall = second["all"]
        self.assertEqual((overall["files_done"], overall["done_s"]), (1, 2 * SECONDS))
        self.assertEqual((overall["total_s"], overall["left_s"]), (None, None))
        done = first[-1]
        self.assertEqual((done["outputs"], done["duration_s"]), (["out/a.txt"], SECONDS))
        self.assertEqual((done["language"], done["cancelled"], done["warnings"]), ("en", False, []))
        failed = [event for event in events if event["event"] == "failed"][1]
        self.assertEqual(failed["number"], 3)
        self.assertIn("broken.mp3", failed["message"])
        counts = {"files": 4, "done": 2, "done_before": 0, "failed": 2, "skipped": 0}
        summary = {"event": "summary", **counts, "not_begun": 0, "status": 1}
        self.assertEqual(events[-1], summary)
        # A second run is appended, and finds the files.
        again = self.events_of("talks/a.wav", "-o", "out", "--skip-existing")[len(events) :]
        self.assertEqual([event["event"] for event in again], ["begin", "skipped", "summary"])
        self.assertEqual(again[1]["outputs"], ["out/a.txt"])

    def test_what_is_left_of_all_is_estimated_from_files_of_the_same_kind(self):
        files = ["talks/a.wav", "talks/b.wav", "talks/deep/c.wav"]
        events = self.events_of(*files, "-o", "out")
        overall = [event["all"] for event in events if event["event"] == "progress"]
        self.assertIsNone(overall[0]["total_s"])
        self.assertEqual([each["total_s"] for each in overall[1:]], [3 * SECONDS] * 2)
        self.assertGreater(overall[1]["left_s"], 0)
        self.assertEqual(overall[-1]["left_s"], 0)

    def test_words_and_a_detected_language_are_told_through_a_descriptor(self):
        ours, theirs = os.pipe()
        result = transcribe(
            *QUICK, "--json-progress", f"/dev/fd/{theirs}", "--word-timestamps", "talks/a.wav",
            model="base", cwd=self.here, pass_fds=[theirs],
        )  # fmt: skip
        os.close(theirs)
        with open(ours, encoding="utf-8") as pipe:
            events = [json.loads(line) for line in pipe]
        self.assertEqual(result.status, 0, result.err)
        language = next(event for event in events if event["event"] == "language")
        self.assertEqual(language["language"], "en")
        self.assertGreater(language["probability"], 0.5)
        words = next(event for event in events if event["event"] == "segment")["words"]
        for word in words:
            self.assertEqual(set(word), {"word", "start", "end", "probability"})

    def test_what_ends_all_is_an_event_too(self):
        result = transcribe(
            "--json-progress", "events", "talks/a.wav", model="no-such-model", cwd=self.here
        )
        self.assertEqual(result.status, 1)
        (event,) = [json.loads(line) for line in (self.here / "events").read_text().splitlines()]
        self.assertEqual(event["event"], "failed")
        self.assertIn("no-such-model", event["message"])
        result = self.run_here("--json-progress", "no/where", "talks/a.wav")
        self.assert_refused(result, 2, "--json-progress: no/where cannot be written: ")


if __name__ == "__main__":
    unittest.main()
