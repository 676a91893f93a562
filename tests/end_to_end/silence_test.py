"""The sample in silence, in noise, behind a tone and behind music: its words, at its times, and no
others; and nothing where nobody speaks."""

import array
import json
import math
import random
import re
import unittest

from program import SAMPLE, EndToEnd, read_wav, run, transcribe
from wav_files import wav

RATE = 16000
MOST_APART_S = 0.2
NOISY_ERRORS = 2  # of 22 words: what the model itself mishears in noise


def sample():
    return read_wav(SAMPLE)


def silence(seconds):
    return array.array("h", bytes(2 * RATE * seconds))


def tone(seconds, hertz=440):
    return array.array(
        "h",
        (round(16000 * math.sin(2 * math.pi * hertz * i / RATE)) for i in range(seconds * RATE)),
    )


def noise(count, rms):
    draw = random.Random(1)
    return [draw.gauss(0, rms) for _ in range(count)]


def music(seconds):
    """A chord every half second, dying away."""
    samples = array.array("h")
    for beat in range(2 * seconds):
        root = 220 * 2 ** ([0, 5, 7, 3][beat % 4] / 12)
        for i in range(RATE // 2):
            t = i / RATE
            chord = sum(math.sin(2 * math.pi * root * f * t) / f for f in (1, 1.26, 1.5, 2, 3, 4))
            samples.append(round(2600 * math.exp(-3 * t) * chord))
    return samples


def in_noise(samples, decibel):
    """White noise so far below the speech's power."""
    speech = sample()
    power = sum(x * x for x in speech) / len(speech)
    rms = math.sqrt(power / 10 ** (decibel / 10))
    mixed = (x + n for x, n in zip(samples, noise(len(samples), rms)))
    return array.array("h", (max(-32768, min(32767, round(x))) for x in mixed))


def heard(samples, *options, **how):
    """The document, and [(word, start)] of it."""
    result = transcribe(
        "-", "--beam-size=1", "--word-timestamps", "-q", "-f", "json", *options,
        input=wav(samples.tobytes()), **how,
    )  # fmt: skip
    assert result.status == 0, result.err
    document = json.loads(result.out)
    words = [word for segment in document["segments"] for word in segment["words"]]
    return document, [(bare(word["word"]), word["start"]) for word in words]


def bare(word):
    return re.sub(r"[^a-z']", "", word.lower())


class Silence(EndToEnd):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        _, cls.words = heard(sample())
        assert len(cls.words) == 22, cls.words

    def assert_heard(self, samples, *begins_s):
        _, words = heard(samples)
        expected = [(word, start + begin) for begin in begins_s for word, start in self.words]
        self.assertEqual([word for word, _ in words], [word for word, _ in expected])
        for (word, start), (_, wanted) in zip(words, expected):
            self.assertAlmostEqual(start, wanted, delta=MOST_APART_S, msg=f"{word} in {words}")

    def test_around_the_words_changes_nothing(self):
        self.assert_heard(silence(30) + sample(), 30)
        self.assert_heard(sample() + silence(30), 0)
        self.assert_heard(sample() + silence(30) + sample(), 0, 41)

    def test_short_pieces_far_apart_share_a_window_and_keep_their_times(self):
        samples = silence(70)
        for begin, end, at in ((0, 3.3, 0), (3.3, 7.9, 25), (7.9, 11, 60)):
            piece = sample()[round(begin * RATE) : round(end * RATE)]
            samples[at * RATE : at * RATE + len(piece)] = piece
        heard_in = {}
        for shares, windows in (("true", 1), ("false", 3)):
            words, encoded = self.heard_in_windows(samples, shares)
            self.assertEqual(encoded, windows)
            self.assertEqual([word for word, _ in words], [word for word, _ in self.words])
            heard_in[shares] = words
        for (word, start), (_, wanted) in zip(heard_in["true"], heard_in["false"]):
            self.assertAlmostEqual(start, wanted, delta=MOST_APART_S, msg=word)

    def test_the_end_of_a_long_piece_shares_a_window_with_the_next_one(self):
        samples = 3 * sample() + silence(7) + sample()
        together, windows = self.heard_in_windows(samples, "true")
        apart, more_windows = self.heard_in_windows(samples, "false")
        self.assertEqual((windows, more_windows), (2, 3))
        self.assertEqual([word for word, _ in together], [word for word, _ in apart])
        for (word, start), (_, wanted) in zip(together[-22:], self.words):
            self.assertAlmostEqual(start, wanted + 40, delta=MOST_APART_S, msg=word)

    def heard_in_windows(self, samples, shares):
        """The words, and how many windows were encoded."""
        profile = self.folder / "profile.json"
        _, words = heard(samples, f"--share-windows={shares}", f"--profile={profile}")
        events = json.loads(profile.read_text())["traceEvents"]
        return words, sum(event["name"] == "cross_kv" for event in events)

    def test_a_tone_and_music_before_the_words_say_nothing(self):
        self.assert_heard(tone(20) + sample(), 20)
        self.assert_heard(music(20) + sample(), 20)

    def test_noise_around_the_words_says_nothing(self):
        for decibel in (20, 10, 5):
            with self.subTest(decibel):
                noisy = in_noise(silence(20) + sample() + silence(20), decibel)
                _, words = heard(noisy, model="base")
                self.assertEqual(len(words), len(self.words), words)
                wrong = sum(word != known for (word, _), (known, _) in zip(words, self.words))
                self.assertLessEqual(wrong, NOISY_ERRORS, words)
                _, alone = heard(noisy[20 * RATE : 31 * RATE], model="base")
                for (word, start), (same, at), (known, _) in zip(words, alone, self.words):
                    if word == same == known:
                        self.assertAlmostEqual(start, at + 20, delta=MOST_APART_S, msg=word)

    def test_where_nobody_speaks_there_are_no_words(self):
        loud = array.array("h", (round(x) for x in noise(60 * RATE, 3000)))
        for name, samples in {
            "silence": silence(60), "noise": loud, "a tone": tone(60), "music": music(60),
        }.items():  # fmt: skip
            with self.subTest(name):
                document, words = heard(samples)
                self.assertEqual((document["text"], words), ("", []))
                plain = transcribe("-", input=wav(samples.tobytes()))
                self.assertEqual((plain.status, plain.out), (0, ""))

    def test_the_language_is_that_of_the_speech(self):
        samples = array.array("h", (round(x) for x in noise(40 * RATE, 2000))) + sample()
        result = run("detect-language", "-", "--model", "base", "-q", input=wav(samples.tobytes()))
        self.assertEqual(result.status, 0, result.err)
        self.assertRegex(result.out, "en")

    def test_without_vad_all_is_heard(self):
        document, _ = heard(in_noise(silence(40), 20), "--no-vad")
        self.assertNotEqual(document["segments"], [], "what models find in noise")
        refused = run("transcribe", SAMPLE, "--no-vad", "--vad-threshold=0.3")
        self.assert_refused(refused, 2, "vad-filter: expected it on with its parameters, got false")


if __name__ == "__main__":
    unittest.main()
