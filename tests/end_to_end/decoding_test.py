"""Beams, temperatures, seeds and prompts, on the sample."""

import json
import unittest

from program import EndToEnd, transcribe, words


class Decoding(EndToEnd):
    def heard(self, *options):
        """The document, and the warnings."""
        result = transcribe("-f", "json", self.wav, *options)
        self.assertEqual(result.status, 0, result.err)
        return json.loads(result.out), result.complaints

    def test_beams_hear_the_words_on_both_paths(self):
        for options in [("--beam-size", 5), ("--beam_size=2", "--patience", 2),
                        ("--beam-size", 5, "--faithful"),
                        ("--beam-size", 5, "--length-penalty", 0.6)]:  # fmt: skip
            with self.subTest(options):
                document, _ = self.heard(*options)
                self.assert_words(document["text"])
                self.assertEqual(document["segments"][0]["temperature"], 0)

    def test_a_window_that_needs_it_is_decoded_at_the_next_temperature(self):
        # Every text compresses better than 0.1: the last temperature's is kept.
        repetitive = ("--compression-ratio-threshold", 0.1)
        document, _ = self.heard(*repetitive, "--temperature", "0,0.2,0.4")
        self.assertEqual({part["temperature"] for part in document["segments"]}, {0.4})
        document, _ = self.heard(*repetitive, "--no-fallback")
        self.assertEqual({part["temperature"] for part in document["segments"]}, {0})
        # No text is as likely as that.
        document, _ = self.heard("--logprob-threshold", 0, "--temperature", "0,0.3")
        self.assertEqual({part["temperature"] for part in document["segments"]}, {0.3})
        document, _ = self.heard("--logprob-threshold", "none", "--temperature", "0,0.3")
        self.assertEqual({part["temperature"] for part in document["segments"]}, {0})
        document, _ = self.heard()
        self.assertEqual({part["temperature"] for part in document["segments"]}, {0})

    def test_the_same_seed_gives_the_same_text(self):
        drawn = ("--temperature", 1, "--best-of", 2, "--seed")
        documents = [self.heard(*drawn, seed)[0] for seed in (0, 0, 1, 2, 3)]
        self.assertEqual(documents[0], documents[1])
        tokens = {str(document["segments"]) for document in documents}
        self.assertGreater(len(tokens), 1, "other seeds draw other texts")

    def test_of_several_draws_the_likeliest_stays(self):
        cold = ("--temperature", 0.2, "--no-fallback", "--best-of", 5)
        document, _ = self.heard(*cold)
        self.assert_words(document["text"])
        self.assertEqual(document["segments"][0]["temperature"], 0.2)

    def test_a_prompt_sets_the_spelling_and_is_not_part_of_the_text(self):
        plain, _ = self.heard()
        prompted, complaints = self.heard("--initial-prompt", "MY FELLOW AMERICANS, WE SHOUT.")
        self.assertEqual(complaints, [])
        self.assertEqual(words(prompted["text"]), words(plain["text"]))
        self.assertNotEqual(prompted["text"], plain["text"])
        self.assertNotIn("SHOUT", prompted["text"])

    def test_special_tokens_in_a_prompt_are_plain_text(self):
        document, complaints = self.heard("--initial-prompt", "<|endoftext|><|startoftranscript|>")
        self.assertEqual(complaints, [])
        self.assert_words(document["text"])

    def test_a_prompt_that_is_too_long_keeps_its_end_and_says_so(self):
        _, complaints = self.heard("--initial-prompt", "country " * 300)
        self.assertRegex(
            "\n".join(complaints),
            r"warning: the initial prompt has 300 tokens, of which the last 223 are used$",
        )
        document, complaints = self.heard("--carry-initial-prompt", "--initial-prompt", "A speech.")
        self.assertEqual(complaints, [])
        self.assert_words(document["text"])

    def test_numbers_that_make_no_sense_are_refused(self):
        wrong = {
            ("--temperature", "-1"): "--temperature",
            ("--temperature", "warm"): "--temperature",
            ("--best-of", "0"): "--best-of",
            ("--beam-size", "100"): "--beam-size",
            ("--beam-size", "2", "--patience", "0.1"): "patience: expected enough for one",
            ("--length-penalty", "2"): "length-penalty: expected 0 to 1, got 2",
            ("--logprob-threshold", "low"): "expected a number or none, got low",
        }
        for options, named in wrong.items():
            with self.subTest(options):
                self.assert_refused(transcribe("a.wav", *options), 2, ".*" + named)


if __name__ == "__main__":
    unittest.main()
