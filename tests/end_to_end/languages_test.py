"""Languages: detected, chosen among some, changing in the middle; and what is refused."""

import json
import unittest

from program import ROOT, EndToEnd, run, transcribe, words, write_wav

SHARED = ROOT.parent / "shared" / "audio"


class Base(EndToEnd):
    def heard(self, file, *options):
        result = transcribe(
            "-f", "json", file, *options, "--beam-size=1", "--no-fallback", model="base"
        )
        self.assertEqual((result.status, result.complaints), (0, []), result.err)
        return json.loads(result.out)


class Languages(Base):
    def test_detection_is_among_the_candidates(self):
        self.assertEqual(self.heard(self.wav)["language"], "en")
        self.assertEqual(self.heard(self.wav, "--languages", "german,en")["language"], "en")
        self.assertIn(self.heard(self.wav, "--languages=de,fr")["language"], ("de", "fr"))

    def test_the_language_alone_is_a_line(self):
        write_wav(self.folder / "a sample.wav", [0])
        result = run("detect-language", "--model=base", "talk.wav", "a sample.wav", cwd=self.folder)
        self.assertRegex(result.out, r"^en\t0\.9\d{3}\ttalk\.wav\n-\t0\.0000\ta sample\.wav\n$")
        self.assertEqual((result.status, result.err), (0, ""))
        result = run("detect-language", "--all", "--languages=en,de", self.wav)
        lines = [line.split("\t") for line in result.out.splitlines()]
        self.assertEqual([line[0] for line in lines], ["en", "de"])
        self.assertAlmostEqual(sum(float(line[1]) for line in lines), 1, delta=0.001)
        result = run("detect-language", "--model=tiny.en", self.wav)
        self.assert_refused(result, 1, ".*English-only: no language is to be detected$")

    def test_silence_speaks_no_language_and_is_no_error(self):
        write_wav(self.folder / "silence.wav", [0] * 19200)
        for options in [(), ("--multilingual",), ("--language-detection-segments", 3)]:
            with self.subTest(options):
                document = self.heard(self.folder / "silence.wav", *options)
                self.assertEqual((document["text"], document["segments"]), ("", []))

    def test_what_means_nothing_is_refused(self):
        refused = {
            ("--language", "en", "--languages", "en,de"): "languages: expected no language with it",
            ("--language", "en", "--multilingual"): "multilingual: expected no language with it",
            ("--language-detection-segments", "0"): "--language-detection-segments",
            ("--language-detection-threshold", "0.7"): ".*segments above 1 with it",
            ("--languages", "en,Germen"): "did you mean german",
        }
        for options, named in refused.items():
            with self.subTest(options):
                result = transcribe("a.wav", *options, model="base")
                self.assert_refused(result, 2, ".*" + named)
        for option in [("--languages", "en,de"), ("--multilingual",)]:
            with self.subTest(option):
                self.assert_refused(transcribe("a.wav", *option), 2, ".*English-only")


class ChangingLanguages(Base):
    """English, then German, in the middle of a window."""

    def test_each_window_is_heard_in_its_own(self):
        clip = SHARED / "multilingual.mp3"
        if not clip.exists():
            self.skipTest("no multilingual.mp3 in ../shared/audio")
        document = self.heard(clip, "--multilingual")
        self.assertEqual(document["language"], "en")
        spoken = {"en": "", "de": ""}
        for segment in document["segments"]:
            spoken[segment["language"]] += segment["text"]
        self.assertIn("without restriction", words(spoken["en"]))
        for heard in ["dokumentationsdateien erhält", "software zu verwenden", "bedingungen"]:
            self.assertIn(heard, words(spoken["de"]))
        self.assertLessEqual(document["segments"][-1]["end"], 60)


if __name__ == "__main__":
    unittest.main()
