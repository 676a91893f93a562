"""Times of words with the real program."""

import json
import unittest

from program import ROOT, SAMPLE_WORDS, EndToEnd, read_wav, run, transcribe, words, write_wav

CLIPS = ROOT.parent / "shared" / "audio"


class Words(EndToEnd):
    def heard(self, *arguments, **options):
        """The document; its words take time, follow one another and lie in the recording."""
        result = transcribe("-f", "json", "--no-fallback", *arguments, **options)
        self.assertEqual(result.status, 0, result.err)
        document = json.loads(result.out)
        until = 0
        for segment in document["segments"]:
            self.assertEqual("".join(word["word"] for word in segment["words"]), segment["text"])
            for word in segment["words"]:
                self.assertEqual(list(word), ["word", "start", "end", "probability"])
                self.assertLessEqual(until, word["start"])
                self.assertLess(word["start"], word["end"])
                self.assertTrue(0 <= word["probability"] <= 1)
                until = word["end"]
        return document, until

    def test_every_word_of_the_sample_has_its_time(self):
        document, until = self.heard("--word-timestamps", self.wav)
        timed = [word for segment in document["segments"] for word in segment["words"]]
        self.assertEqual(words("".join(word["word"] for word in timed)), SAMPLE_WORDS)
        self.assertLessEqual(until, 11)
        starts = {words(word["word"]): word["start"] for word in timed}
        self.assertAlmostEqual(starts["americans"], 1.6, delta=0.5)
        self.assertAlmostEqual(starts["country"], 9.9, delta=0.5)

    def test_beams_hear_the_same_words_at_the_same_times(self):
        greedy, _ = self.heard("--word-timestamps", self.wav)
        beams, _ = self.heard("--word-timestamps", "--beam-size", 5, self.wav)
        times = [
            {words(word["word"]): word["end"] for part in document["segments"]
             for word in part["words"]}
            for document in (greedy, beams)
        ]  # fmt: skip
        self.assertEqual(times[0].keys(), times[1].keys())
        for word, end in times[0].items():
            self.assertAlmostEqual(times[1][word], end, delta=0.3)

    def test_words_are_only_there_when_asked_for(self):
        for arguments, expected in {
            (): False,
            ("--word_timestamps", "True"): True,
            ("--word-timestamps", "False"): False,
            ("--word-timestamps=true",): True,
        }.items():
            with self.subTest(arguments):
                result = transcribe("-f", "json", *arguments, self.wav)
                for segment in json.loads(result.out)["segments"]:
                    self.assertEqual("words" in segment, expected)

    def test_punctuation_goes_where_it_is_told(self):
        document, _ = self.heard("--word-timestamps", self.wav, model="base")
        self.assertIn(" you,", [word["word"] for word in document["segments"][0]["words"]])
        document, _ = self.heard(
            "--word-timestamps", "--append-punctuations", "", self.wav, model="base"
        )
        self.assertIn(",", [word["word"] for word in document["segments"][0]["words"]])

    def test_recordings_down_to_ten_milliseconds(self):
        for milliseconds in [10, 20, 30, 70, 140, 1000]:
            with self.subTest(milliseconds):
                samples = [(i * 7919 % 2000) - 1000 for i in range(16 * milliseconds)]
                write_wav(self.folder / "short.wav", samples)
                _, until = self.heard(
                    "--word-timestamps", "--no-speech-threshold", "none",
                    self.folder / "short.wav",
                )  # fmt: skip
                self.assertLessEqual(until, milliseconds / 1000)

    def test_silence_before_odd_words_is_skipped(self):
        # The threshold changes what is heard in silence, and loses no word that was said.
        path = self.folder / "late.wav"
        write_wav(path, [0] * (16000 * 15) + list(read_wav(self.wav)))
        document, _ = self.heard("--word-timestamps", "--hallucination-silence-threshold", 2, path)
        self.assertTrue(words(document["text"]).endswith(SAMPLE_WORDS[-60:]), document["text"])

    def test_what_needs_words_is_refused_without_them(self):
        for option in ["--hallucination-silence-threshold", "--append-punctuations"]:
            with self.subTest(option):
                self.assert_refused(
                    transcribe(self.wav, option, 2), 2, option[2:] + " needs word-timestamps"
                )

    def test_a_translation_says_that_its_words_are_uncertain(self):
        result = run("transcribe", "--model", "base", "--task", "translate", "--word-timestamps",
                     self.wav)  # fmt: skip
        self.assertEqual(result.status, 0)
        self.assertRegex("\n".join(result.complaints), "warning: .*translation.* not be reliable")

    def test_a_known_text_is_timed_a_segment_a_line(self):
        text = "And so, my fellow Americans:\nAsk not what your country can do for you,\n"
        text += "ask what you can do for your country!"
        document, until = self.heard("--align", text, self.wav)
        self.assertEqual([part["text"].strip() for part in document["segments"]], text.splitlines())
        self.assertLessEqual(until, 11)
        second = document["segments"][1]
        self.assertAlmostEqual(second["start"], 3.3, delta=1)
        self.assertAlmostEqual(second["end"], 7.8, delta=1)

    def test_a_known_text_may_be_longer_shorter_and_of_many_windows(self):
        long = self.folder / "long.wav"
        write_wav(long, list(read_wav(self.wav)) * 4)
        line = "And so my fellow Americans ask not what your country can do for you. "
        line += "Ask what you can do for your country."
        path = self.folder / "text.txt"
        path.write_text("\n".join([line] * 4), encoding="utf-8")
        document, until = self.heard("--align", f"@{path}", long)
        self.assertLessEqual(until, 44)
        for index, part in enumerate(document["segments"]):
            self.assertAlmostEqual(part["start"], 11 * index + 0.3, delta=1.5)
        # What is said besides is left out.
        document, _ = self.heard("--align", "Ask what you can do for your country.", self.wav)
        self.assertGreater(document["segments"][0]["words"][0]["start"], 7)
        # What is not said is there all the same, and unlikely.
        unsaid = "We choose to go to the moon in this decade. " * 40
        document, _ = self.heard("--align", line + "\n" + unsaid, self.wav)
        self.assertEqual(words(document["text"]), words(line + unsaid))
        said, besides = document["segments"]
        self.assertGreater(said["avg_logprob"], besides["avg_logprob"])

    def test_a_text_that_cannot_be_aligned_is_refused(self):
        empty = self.folder / "empty.txt"
        empty.write_text(" \n", encoding="utf-8")
        refused = {
            ("--align", ""): "--align: expected a text with words, got none",
            ("--align", f"@{empty}"): "--align: expected a text with words, got none",
            ("--align", "words", self.wav): "--align takes one FILE, got 2",
            ("--align", "words", "--task", "translate"): ".*translat",
        }
        for arguments, sentence in refused.items():
            with self.subTest(arguments):
                self.assert_refused(transcribe(self.wav, *arguments), 2, sentence)
        self.assert_refused(transcribe(self.wav, "--align", "@nowhere.txt"), 1, "nowhere.txt")

    @unittest.skipUnless(CLIPS.is_dir(), "no clips here")
    def test_a_recording_of_several_languages(self):
        document, until = self.heard(
            "--word-timestamps", "--beam-size", 5, CLIPS / "multilingual.mp3", model="base"
        )
        self.assertGreater(len(words(document["text"]).split()), 80)
        self.assertLessEqual(until, 60)


if __name__ == "__main__":
    unittest.main()
