"""Clips: parts of a recording, on its own clock."""

import json
import unittest

from program import SAMPLE_WORDS, EndToEnd, read_wav, run, transcribe, words, write_wav

ASKING = "ask not what your country can do for you"


class Clips(EndToEnd):
    def heard(self, clips, *options):
        result = transcribe("-f", "json", self.wav, "--clip-timestamps", clips, *options)
        self.assertEqual(result.status, 0, result.err)
        return json.loads(result.out), result.err

    def test_nothing_outside_of_a_clip_is_heard_and_times_are_the_files(self):
        document, err = self.heard("3.2,7.8")
        self.assertEqual(words(document["text"]), ASKING)
        self.assertGreaterEqual(document["segments"][0]["start"], 3.2)
        self.assertLessEqual(document["segments"][-1]["end"], 7.8)
        self.assertRegex(err, r"talk\.wav: 4\.6 s in ")

    def test_clips_follow_each_other(self):
        document, err = self.heard("0,7.8,7.8")
        self.assertEqual(words(document["text"]), SAMPLE_WORDS)
        self.assertEqual({part["seek"] for part in document["segments"]}, {0, 780})
        self.assertRegex(err, r"talk\.wav: 11\.0 s in ")

    def test_a_clip_may_end_behind_the_end(self):
        document, _ = self.heard("0,20")
        self.assert_words(document["text"])
        self.assertLessEqual(document["segments"][-1]["end"], 11)
        document, _ = self.heard("12,20")
        self.assertEqual((document["text"], document["segments"]), ("", []))

    def test_a_start_alone_goes_to_the_end_and_skips_what_is_before(self):
        write_wav(self.folder / "late.wav", [0] * 16000 * 40 + list(read_wav(self.wav)))
        result = transcribe("--clip-timestamps", 40, "-f", "json", "late.wav", cwd=self.folder)
        document = json.loads(result.out)
        self.assert_words(document["text"])
        self.assertEqual(document["segments"][0]["seek"], 4000)
        self.assertLessEqual(document["segments"][-1]["end"], 51)

    def test_a_start_and_an_end_are_a_clip_as_people_say_it(self):
        said = transcribe("-q", self.wav, "--start", "0:03.2", "--end", "7.8")
        self.assertEqual((said.status, words(said.out)), (0, ASKING), said.err)
        text = "ask not what your country can do for you"
        timed = transcribe(
            "-q", self.wav, "--start=3.2", "--end=0:00:07.8", "-f", "json", "--align", text
        )
        times = [word for part in json.loads(timed.out)["segments"] for word in part["words"]]
        self.assertEqual(len(times), 9)
        self.assertAlmostEqual(times[0]["start"], 3.2, delta=0.4)
        self.assertAlmostEqual(times[-1]["end"], 7.8, delta=0.4)
        result = run("detect-language", "-q", "--model=base", self.wav, "--start", "0:12")
        self.assertEqual((result.status, result.out.split("\t")[0]), (0, "-"), result.err)

    def test_a_start_and_an_end_that_make_no_clip_are_refused(self):
        wrong = {
            ("--start=-1",): "--start: expected a time from 0 on, .* got -1$",
            ("--start", "1:75"): "--start: expected a time from 0 on, .* got 1:75$",
            ("--start=9", "--end=0:09"): "--end: expected a time after the start, 9 s, got 9 s$",
            ("--end=9", "--clip-timestamps=3"): "--end excludes --clip-timestamps$",
        }
        for options, sentence in wrong.items():
            with self.subTest(options):
                self.assert_refused(transcribe("a.wav", *options), 2, sentence)
                if "clip" not in options[-1]:
                    result = run("detect-language", "a.wav", *options)
                    self.assert_refused(result, 2, sentence)

    def test_times_that_make_no_sense_are_refused(self):
        wrong = {
            "-1,5": "--clip-timestamps|clip-timestamps: expected seconds from 0 on, got -1",
            "5,3": "clip-timestamps: expected times that ascend, got 3 after 5",
            "2,2": "clip-timestamps: expected times that ascend, got 2 after 2",
            "0,5,4,6": "clip-timestamps: expected times that ascend, got 4 after 5",
            "soon": "--clip-timestamps",
        }
        for clips, named in wrong.items():
            with self.subTest(clips):
                result = transcribe("a.wav", f"--clip-timestamps={clips}")
                self.assert_refused(result, 2, ".*" + named)


if __name__ == "__main__":
    unittest.main()
