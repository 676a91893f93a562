"""Recordings that speech recognisers are known to stumble over: silence, ends, repetitions."""

import json
import unittest

from program import ROOT, SAMPLE_WORDS, EndToEnd, read_wav, transcribe, words, write_wav

RATE = 16000
SHARED = ROOT.parent / "shared" / "audio"


class Recordings(EndToEnd):
    def heard(self, samples, *options, model="tiny.en"):
        write_wav(self.folder / "made.wav", samples)
        return self.heard_in(self.folder / "made.wav", *options, model=model)

    def heard_in(self, file, *options, model="tiny.en"):
        result = transcribe("-f", "json", file, *options, model=model)
        self.assertEqual((result.status, result.complaints), (0, []), result.err)
        return json.loads(result.out)

    def assert_times(self, document, duration_s):
        end_s = 0.0
        for segment in document["segments"]:
            self.assertGreaterEqual(segment["start"], end_s)
            self.assertGreater(segment["end"], segment["start"])
            end_s = segment["end"]
        self.assertLessEqual(end_s, duration_s)


class Speech(Recordings):
    def test_silence_has_no_words(self):
        for model in ("tiny.en", "base"):
            document = self.heard([0] * int(1.2 * RATE), model=model)
            self.assertEqual((document["text"], document["segments"]), ("", []))

    def test_silence_in_front_shifts_the_times(self):
        document = self.heard([0] * 12 * RATE + list(read_wav(self.wav)))
        self.assert_words(document["text"])
        self.assert_times(document, 23)
        self.assertGreater(document["segments"][-1]["end"], 20)

    def test_speech_over_the_end_of_a_window_is_heard_once(self):
        document = self.heard([0] * 22 * RATE + list(read_wav(self.wav)), "--no-fallback")
        self.assert_words(document["text"])
        self.assert_times(document, 33)

    def test_what_is_really_said_three_times_stays(self):
        samples = list(read_wav(self.wav)) * 3
        for option in ("true", "false"):
            document = self.heard(samples, "--no-fallback", "--prompt-reset-on-repetition", option)
            self.assertEqual(words(document["text"]), " ".join([SAMPLE_WORDS] * 3))
            self.assert_times(document, 33)

    def test_times_stay_inside_of_a_recording_of_15_s(self):
        samples = list(read_wav(self.wav))
        document = self.heard(samples + samples[: 4 * RATE])
        self.assertIn(SAMPLE_WORDS, words(document["text"]))
        self.assert_times(document, 15)

    def test_a_shorter_encoder_hears_the_words_on_both_paths(self):
        for options in [("--audio-ctx", 700), ("--audio-ctx", 700, "--faithful")]:
            with self.subTest(options):
                document = self.heard_in(self.wav, *options)
                self.assert_words(document["text"])
                self.assert_times(document, 11)
        document = self.heard_in(self.wav, "--audio-ctx", 700, "--word-timestamps")
        self.assert_words(document["text"])
        times = {words(word["word"]): word for part in document["segments"]
                 for word in part["words"]}  # fmt: skip
        self.assertAlmostEqual(times["americans"]["start"], 1.6, delta=0.5)
        self.assertAlmostEqual(times["country"]["start"], 9.9, delta=0.5)
        self.assertEqual(self.heard_in(self.wav, "--audio-ctx", 1500), self.heard_in(self.wav))

    def test_a_shorter_encoder_needs_a_sensible_length(self):
        for length in (1, 1501, -3):
            result = transcribe("a.wav", "--audio-ctx", length)
            self.assert_refused(result, 2, f".*audio-ctx: expected 0, or 50 to 1500, got {length}")

    def test_an_encoder_pass_serves_detection_and_text(self):
        # A call for each of the two convolutions.
        for options in [(), ("--multilingual",), ("--language", "en")]:
            with self.subTest(options):
                trace = self.folder / "trace.json"
                result = transcribe(self.wav, "--profile", trace, *options, model="base")
                self.assertEqual(result.status, 0, result.err)
                events = json.loads(trace.read_text())["traceEvents"]
                names = [event["name"] for event in events]
                self.assertEqual(names.count("conv_gelu"), 2)


class SharedSpeech(Recordings):
    def test_times_stay_inside_of_a_clip_that_a_model_hears_more_in(self):
        clip = SHARED / "stereo.wav"
        if not clip.exists():
            self.skipTest("no stereo.wav in ../shared/audio")
        self.assert_times(self.heard_in(clip, "--faithful", "--no-fallback"), 5)


if __name__ == "__main__":
    unittest.main()
