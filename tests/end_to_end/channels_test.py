"""--channel split: each channel is heard by itself, and its words are labelled."""

import json
import shutil
import unittest

from program import ROOT, EndToEnd, read_wav, run, transcribe, words, write_wav

SHARED = ROOT.parent / "shared" / "audio" / "stereo.wav"
CUT = 16000 * 79 // 10  # in the pause
FIRST = "and so my fellow americans ask not what your country can do for you"
REST = "ask what you can do for your country"


class Split(EndToEnd):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        samples = read_wav(cls.wav)
        silence = [0] * len(samples)
        cls.first = [*samples[:CUT], *silence[CUT:]]
        cls.rest = [*silence[:CUT], *samples[CUT:]]
        cls.write("stereo.wav", cls.rest, cls.first)
        cls.write("same.wav", samples, samples)
        cls.write("surround.wav", silence, silence, cls.rest, silence, silence, cls.first)

    @classmethod
    def write(cls, name, *channels):
        frames = (sample for frame in zip(*channels) for sample in frame)
        write_wav(cls.folder / name, frames, len(channels))

    def split(self, *arguments):
        result = transcribe(
            "--channel", "split", "--beam-size=1", "--no-fallback", *arguments, cwd=self.folder
        )
        self.assertEqual(result.status, 0, result.err)
        return result

    def by_channel(self, segments):
        heard = {}
        for segment in segments:
            heard[segment["channel"]] = heard.get(segment["channel"], "") + segment["text"]
        return {channel: words(text) for channel, text in heard.items()}

    def test_the_channels_are_merged_by_time_in_every_format(self):
        self.split("stereo.wav", "-o", "out", "-f", "all", "--word-timestamps")
        document = json.loads((self.folder / "out" / "stereo.json").read_text())
        start_s = 0.0
        for number, segment in enumerate(document["segments"]):
            self.assertEqual(segment["id"], number)
            self.assertGreaterEqual(segment["start"], start_s)
            start_s = segment["start"]
            for word in segment["words"]:
                self.assertGreaterEqual(word["start"], segment["start"])
        self.assertEqual(self.by_channel(document["segments"]), {1: REST, 2: FIRST})
        self.assertEqual("".join(s["text"] for s in document["segments"]), document["text"])
        text = (self.folder / "out" / "stereo.txt").read_text()
        self.assertRegex(text, r"^\(channel 2\) And so my fellow Americans")
        self.assertRegex(text, r"(?m)^\(channel 1\) ")
        self.assertIn("<v Channel 2>", (self.folder / "out" / "stereo.vtt").read_text())

    def test_surround_sound_has_six_and_silent_ones_say_nothing(self):
        self.split("surround.wav", "-q", "--json-progress", "events", "-f", "json")
        events = [json.loads(line) for line in (self.folder / "events").read_text().splitlines()]
        segments = [event for event in events if event["event"] == "segment"]
        self.assertEqual(self.by_channel(segments), {3: REST, 6: FIRST})
        progress = [event["done_s"] for event in events if event["event"] == "progress"]
        self.assertEqual(progress, sorted(progress))
        self.assertGreaterEqual(len(progress), 6)
        self.assertEqual(progress[-1], 11.0)

    def test_one_channel_and_equal_ones_are_heard_once_without_a_label(self):
        for name, warning in {
            "talk.wav": "there is one channel, and nothing to split$",
            "same.wav": "all 2 channels are the same: heard as one$",
        }.items():
            result = self.split(name)
            self.assert_words(result.out)
            self.assertRegex(result.complaints[0], warning)

    def test_what_cannot_be_split_is_refused(self):
        stereo = (self.folder / "stereo.wav").read_bytes()
        result = transcribe("--channel", "split", "-", input=stereo)
        self.assert_refused(result, 1, ".*2 channels of a pipe cannot be split: expected a file$")
        for arguments in (("--align", "And so"), ("--profile", "trace.json")):
            result = transcribe("--channel", "split", self.wav, *arguments)
            self.assert_refused(result, 2, f"{arguments[0]} is of one channel")
        result = run("detect-language", "--channel", "split", self.wav)
        self.assert_refused(result, 2, "--channel: expected the number of one, got split")
        self.assert_refused(
            transcribe("--channel", "left", self.wav), 2, ".*a number or split, got"
        )


class SharedRecording(EndToEnd):
    def setUp(self):
        if not SHARED.is_file():
            self.skipTest(f"{SHARED} is not there")

    def test_two_speakers_are_told_apart(self):
        shutil.copy(SHARED, self.folder / "two.wav")
        result = transcribe("--channel", "split", "two.wav", "--no-fallback", cwd=self.folder)
        self.assertEqual(result.status, 0, result.err)
        for channel in (1, 2):
            self.assertIn(f"(channel {channel}) ", result.out)


if __name__ == "__main__":
    unittest.main()
