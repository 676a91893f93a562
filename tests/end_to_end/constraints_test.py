"""Constraints on what is written, and what windows are told, on the sample and on silence."""

import json
import random
import unittest

from program import SAMPLE_WORDS, EndToEnd, read_wav, transcribe, words, write_wav

EOT = 50256  # of tiny.en: what is below is text


class Heard(EndToEnd):
    def heard(self, *options, file=None):
        """The document, and the warnings."""
        greedy = () if "--beam-size" in options else ("--beam-size", 1)
        result = transcribe("-f", "json", "--no-fallback", file or self.wav, *greedy, *options)
        self.assertEqual(result.status, 0, result.err)
        return json.loads(result.out), "\n".join(result.complaints)


class Constraints(Heard):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.three = cls.folder / "three.wav"
        write_wav(cls.three, read_wav(cls.wav) * 3)

    def test_tokens_that_a_pattern_matches_are_not_written(self):
        document, complaints = self.heard("--suppress-regex", " ?[Cc]ountry")
        self.assertNotIn("country", document["text"].lower().split())
        self.assertIn("fellow", document["text"])
        self.assertEqual(complaints, "")

    def test_tokens_are_suppressed_by_number(self):
        plain, _ = self.heard()
        tokens = [token for part in plain["segments"] for token in part["tokens"]]
        text = [token for token in tokens if token < EOT]
        for given in (str(text[0]), f"-1,{text[0]}"):
            document, _ = self.heard("--suppress-tokens", given)
            self.assertNotIn(text[0], document["segments"][0]["tokens"])
        document, _ = self.heard("--suppress-tokens", "")
        self.assert_words(document["text"])

    def test_no_run_of_tokens_comes_twice_in_a_window(self):
        plain, _ = self.heard(file=self.three)
        self.assertTrue(self.has_repetition(plain, 4))
        document, _ = self.heard("--no-repeat-ngram-size", 4, file=self.three)
        self.assertFalse(self.has_repetition(document, 4))
        for path in ("--faithful",), ():
            document, _ = self.heard("--no-repeat-ngram-size", 2, "--beam-size", 2, *path)
            self.assertFalse(self.has_repetition(document, 2))

    def has_repetition(self, document, size):
        windows = {}
        for part in document["segments"]:
            text = [token for token in part["tokens"] if token < EOT]
            windows.setdefault(part["seek"], []).extend(text)
        for text in windows.values():
            runs = [tuple(text[i : i + size]) for i in range(len(text) - size + 1)]
            if len(runs) != len(set(runs)):
                return True
        return False

    def test_a_penalty_on_repetition_changes_what_is_written_twice(self):
        document, _ = self.heard("--repetition-penalty", 100)
        text = [token for part in document["segments"] for token in part["tokens"] if token < EOT]
        self.assertEqual(len(text), len(set(text)))
        document, _ = self.heard("--repetition-penalty", 1.01)
        self.assert_words(document["text"])

    def test_without_timestamps_no_word_is_lost_between_windows(self):
        with_times, _ = self.heard(file=self.three)
        for path in ("--faithful",), (), ("--beam-size", 2):
            without, complaints = self.heard("--without-timestamps", *path, file=self.three)
            self.assertEqual(words(without["text"]), words(with_times["text"]))
            self.assertEqual(complaints, "")
            for part in without["segments"]:
                self.assertLess(max(part["tokens"]), EOT)
        document, _ = self.heard("--without-timestamps")
        self.assert_words(document["text"])
        self.assertEqual(len(document["segments"]), 1)

    def test_what_the_most_new_tokens_cut_is_decoded_again_or_said(self):
        document, complaints = self.heard("--max-new-tokens", 8)
        self.assertEqual(len(document["segments"][0]["tokens"]), 8)
        self.assertRegex(complaints, "the text of 1 window was cut .*words may be missing$")
        # Each clip stands alone: told the same text before, the model leaves some of it out.
        document, complaints = self.heard("--max-new-tokens", 40, "--condition-on-previous-text",
                                          "false", file=self.three)  # fmt: skip
        self.assertEqual(complaints, "")
        self.assertEqual(words(document["text"]), " ".join([SAMPLE_WORDS] * 3))
        # One window is not enough for its text without times: they come back.
        document, complaints = self.heard("--max-new-tokens", 8, "--without-timestamps")
        self.assertRegex(complaints, "words may be missing$")

    def test_what_makes_no_sense_is_refused(self):
        wrong = {
            (
                "--suppress-regex",
                "[",
            ): "suppress-regex: expected a regular expression, got \\[: unc",
            ("--suppress-tokens", "x"): "expected tokens by commas, got x",
            ("--suppress-tokens", "50256"): "can do without, got 50256, which is <|endoftext|>",
            ("--suppress-tokens", "60000"): "expected -1 or tokens below 51864, got 60000",
            ("--max-initial-timestamp", "31"): "expected 0 to 30 s, got 31",
            ("--max-new-tokens", "0"): "--max-new-tokens",
            ("--repetition-penalty", "0"): "repetition-penalty: expected more than 0, got 0",
            ("--no-repeat-ngram-size", "-1"): "--no-repeat-ngram-size",
            ("--vocabulary", "@missing.txt"): "missing.txt cannot be read",
        }
        for options, named in wrong.items():
            with self.subTest(options):
                pattern = ".*" + named.replace("|", "\\|").replace(".txt", "\\.txt")
                self.assert_refused(transcribe("a.wav", *options), 2, pattern)


class Hints(Heard):
    def test_a_vocabulary_says_which_words_fitted(self):
        document, complaints = self.heard("--vocabulary", "Walton, Quillsby")
        self.assertEqual(document["vocabulary"],
                         {"included": ["Walton", "Quillsby"], "omitted": []})  # fmt: skip
        self.assertEqual(complaints, "")
        self.assert_words(document["text"])
        names = [f"Name{i}sworth" for i in range(100)]
        file = self.folder / "names.txt"
        file.write_text("\n".join([*names, "", "Li"]), encoding="utf-8")
        document, complaints = self.heard("--vocabulary", f"@{file}")
        fitted = document["vocabulary"]
        self.assertEqual(sorted(fitted["included"] + fitted["omitted"]), sorted([*names, "Li"]))
        self.assertRegex(complaints, r"\d+ of 101 words of the vocabulary do not fit .*, …$")
        self.assert_words(document["text"])
        self.assertNotIn("vocabulary", self.heard()[0])

    def test_hints_are_told_and_change_how_likely_the_words_are(self):
        plain, _ = self.heard()
        for hint in ("--hotwords", "--vocabulary"):
            document, _ = self.heard(hint, "My fellow Americans")
            self.assert_words(document["text"])
            likelihoods = [part["segments"][0]["avg_logprob"] for part in (plain, document)]
            self.assertNotAlmostEqual(*likelihoods, places=3)

    def test_prompt_and_hotwords_that_are_too_long_together_keep_their_ends(self):
        long = "country " * 300
        document, complaints = self.heard("--hotwords", long, "--initial-prompt", long,
                                          "--carry-initial-prompt", "--prefix", long)  # fmt: skip
        self.assertIn("hotwords has 300 tokens, of which the last 223 are used", complaints)
        self.assertIn("prompt has 300 tokens, of which none is used", complaints)
        self.assertIn("prefix has 300 tokens, of which the last 112 are used", complaints)
        for half in ("country " * 120, "country " * 200):
            _, complaints = self.heard("--hotwords", half, "--initial-prompt", half)
            self.assertRegex(complaints, r"of which the last \d+ are used")

    def test_a_prefix_is_what_the_text_begins_with(self):
        document, _ = self.heard("--prefix", "And so my fellow", "--without-timestamps")
        self.assertEqual(words(document["text"]).split()[0], "americans")

    def test_special_tokens_in_hints_are_plain_text(self):
        for option in ("--hotwords", "--vocabulary"):
            document, complaints = self.heard(option, "<|endoftext|>")
            self.assertEqual(complaints, "")
            self.assert_words(document["text"])


class Silence(EndToEnd):
    HINTS = [
        ("--hotwords", "ComfyUI"),
        ("--hotwords", "Kubernetes, Grafana, Prometheus"),
        ("--vocabulary", "Kubernetes,Grafana,Prometheus"),
        (
            "--initial-prompt",
            "And so my fellow Americans, ask not what your country can do for you.",
        ),
        ("--prefix", "Kubernetes"),
    ]

    def test_hints_are_not_heard_in_silence(self):
        draw = random.Random(1)
        sounds = {"zeros.wav": [0] * 80000}
        for name, loudness in [("faint.wav", 20), ("hiss.wav", 200)]:
            sounds[name] = [round(draw.gauss(0, loudness)) for _ in range(80000)]
        for name, samples in sounds.items():
            write_wav(self.folder / name, samples)
        for model in ("tiny.en", "base"):
            for hint in self.HINTS:
                with self.subTest(model, hint=hint):
                    result = transcribe("-q", "--language", "en", *hint, *sounds,
                                        model=model, cwd=self.folder)  # fmt: skip
                    self.assertEqual(list(result.texts), list(sounds))
                    self.assertEqual("".join(result.texts.values()).strip(), "")


if __name__ == "__main__":
    unittest.main()
