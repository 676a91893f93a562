"""Where the words go: standard output, files, and places that take none."""

import json
import os
import subprocess
import unittest

from program import PATIENCE_S, PROGRAM, EndToEnd, run, transcribe

SEGMENT_FIELDS = {
    "id", "seek", "start", "end", "text", "tokens", "temperature", "avg_logprob",
    "compression_ratio", "no_speech_prob",
}  # fmt: skip


class StandardOutput(EndToEnd):
    def test_holds_the_transcript_and_nothing_else(self):
        result = transcribe(self.wav)
        self.assert_words(result.out)
        self.assertTrue(result.out.endswith("\n"))
        self.assertNotIn("\x1b", result.out + result.err)
        self.assertRegex(result.err, r"talk\.wav: 11\.0 s in \d+\.\d s, \d+\.\dx real time\n$")

    def test_quiet_says_nothing_and_json_is_openai_whispers(self):
        result = transcribe("--quiet", "-f", "json", self.wav)
        self.assertEqual(result.err, "")
        document = json.loads(result.out)
        self.assertEqual(set(document), {"text", "segments", "language"})
        self.assert_words(document["text"])
        self.assertEqual(document["language"], "en")
        self.assertEqual("".join(part["text"] for part in document["segments"]), document["text"])
        end_s = 0.0
        for number, segment in enumerate(document["segments"]):
            self.assertEqual(set(segment), SEGMENT_FIELDS)
            self.assertEqual(segment["id"], number)
            self.assertGreaterEqual(segment["start"], end_s)
            self.assertGreater(segment["end"], segment["start"])
            end_s = segment["end"]
        self.assertLessEqual(end_s, 11.0)

    def test_both_paths_hear_the_same_words(self):
        fast = transcribe("-q", "-f", "json", "--beam-size=1", self.wav)
        faithful = transcribe("-q", "-f", "json", "--faithful", self.wav)
        heard = [json.loads(result.out) for result in (fast, faithful)]
        self.assertEqual(heard[0]["text"], heard[1]["text"])
        tokens = [[part["tokens"] for part in document["segments"]] for document in heard]
        self.assertEqual(tokens[0], tokens[1])

    def test_a_profile_is_a_table_and_a_trace(self):
        result = transcribe("-q", "--profile", self.folder / "trace.json", self.wav)
        self.assert_words(result.out)
        self.assertRegex(result.err, r"(?m)^operation +calls +ms +share +GFLOP/s +GB/s$")
        self.assertRegex(result.err, r"(?m)^mlp +\d+ +\d+\.\d +\d+\.\d%( +\d+\.\d){2}$")
        self.assertRegex(result.err, r"(?m)^lstm +\d+ +\d+\.\d +\d+\.\d%( +\d+\.\d){2}$")
        self.assertRegex(result.err, r"(?m)^append +\d+ +\d+\.\d +\d+\.\d%$")
        self.assertRegex(result.err, r"(?m)^all +\d+\.\d +100\.0%$")
        self.assertRegex(result.err, r"(?m)^memory: \d+ MB, \d+ MB at its peak$")
        trace = json.loads((self.folder / "trace.json").read_text(encoding="utf-8"))
        end = 0.0
        for event in trace["traceEvents"]:
            self.assertGreaterEqual(event["ts"], end)
            end = event["ts"] + event["dur"]
        self.assertIn("logits_top_k", {event["name"] for event in trace["traceEvents"]})

    def test_a_closed_pipe_ends_the_program_quietly(self):
        process = subprocess.Popen(
            [PROGRAM, "transcribe", "--model", "tiny.en", self.wav],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        process.stdout.close()
        complaints = process.stderr.read().decode()
        process.stderr.close()
        self.assertNotEqual(process.wait(PATIENCE_S), 0)
        self.assertEqual(complaints, "")

    @unittest.skipUnless(os.path.exists("/dev/full"), "no /dev/full")
    def test_a_full_disk_is_a_sentence_and_a_status(self):
        sentence = r"standard output cannot be written"
        with open("/dev/full", "wb") as full:
            self.assert_refused(transcribe("-q", self.wav, stdout=full), 1, sentence)
            self.assert_refused(run("--version", stdout=full), 1, sentence)
            self.assert_refused(run("--help", stdout=full), 1, sentence)


class OutputFolder(EndToEnd):
    def contents(self, folder):
        return sorted(path.name for path in (self.folder / folder).iterdir())

    def test_same_stems_get_files_of_their_own_and_a_bad_file_none(self):
        (self.folder / "talk.mp3").write_bytes(self.wav.read_bytes())
        (self.folder / "broken.wav").write_text("no sound")
        result = transcribe(
            "--output_dir", "new/texts", "talk.wav", "broken.wav", "talk.mp3", cwd=self.folder
        )
        self.assertEqual(result.out, "")
        self.assertEqual(self.contents("new/texts"), ["talk.mp3.txt", "talk.wav.txt"])
        for name in self.contents("new/texts"):
            self.assert_words((self.folder / "new/texts" / name).read_text())
        self.assertEqual(len(result.complaints), 1, result.err)
        self.assertEqual(result.status, 1)

    def test_json_goes_to_a_file_over_what_an_earlier_run_left(self):
        folder = self.folder / "json"
        folder.mkdir()
        (folder / "talk.json").write_text("old")
        result = transcribe("-f", "json", "-o", folder, self.wav)
        self.assertEqual((result.status, result.out), (0, ""))
        self.assertEqual(self.contents("json"), ["talk.json"])
        self.assert_words(json.loads((folder / "talk.json").read_text())["text"])

    def test_a_folder_that_is_a_file_or_cannot_be_written_is_refused(self):
        (self.folder / "taken").write_text("a file")
        sentence = r"the output folder taken cannot be made: it is a file$"
        self.assert_refused(transcribe("-o", "taken", "talk.wav", cwd=self.folder), 2, sentence)
        # A folder stands where the file should go.
        (self.folder / "odd" / "talk.txt" / "inside").mkdir(parents=True)
        result = transcribe("-q", "-o", "odd", "talk.wav", cwd=self.folder)
        self.assert_refused(result, 1, r"talk\.wav: odd/talk\.txt cannot be written: ")
        self.assertEqual(self.contents("odd"), ["talk.txt"])


if __name__ == "__main__":
    unittest.main()
