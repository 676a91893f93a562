"""`whinchat vad`: where speech is, as a table, a document and a file."""

import array
import json
import math
import os
import random
import signal
import subprocess
import time
import unittest

from program import PATIENCE_S, PROGRAM, ROOT, EndToEnd, read_wav, run, write_wav

SHARED = ROOT.parent / "shared" / "audio"
STORED = json.loads((ROOT / "tests" / "data" / "vad" / "recordings.json").read_text())
RATE = 16000


def table(rows):
    return "".join("\t".join(map(str, row)) + "\n" for row in rows)


def in_ms(samples, rate=RATE):
    """Spans of the oracle as the table has them."""
    times = [at * 1000 // rate for at in samples]
    return table([("start", "end"), *zip(times[::2], times[1::2])])


class Vad(EndToEnd):
    def found(self, *arguments, **options):
        result = run("vad", *arguments, **options)
        self.assertEqual((result.status, result.err), (0, ""))
        return result.out

    def test_a_table_has_what_silero_finds(self):
        oracle = STORED["jfk"]["16000"]
        self.assertEqual(self.found(self.wav), in_ms(oracle["silero"]))
        self.assertEqual(self.found("-", input=self.wav.read_bytes()), in_ms(oracle["silero"]))
        for options in [
            ["--min-silence-duration-ms=2000", "--min-speech-duration-ms=0", "--speech-pad-ms=400"],
            [
                "--min_silence_duration_ms",
                2000,
                "--min_speech_duration_ms=0",
                "--speech_pad_ms=400",
            ],
        ]:
            self.assertEqual(self.found(self.wav, *options), in_ms(oracle["transcription"]))
        cut = self.found(self.wav, "--max-speech-duration-s", 3, "--speech-pad-ms=100")
        self.assertEqual(cut, in_ms(oracle["short"]))

    def test_a_document_has_seconds(self):
        document = json.loads(self.found(self.wav, "-f", "json", "--probabilities"))
        spans = [at / RATE for at in STORED["jfk"]["16000"]["silero"]]
        self.assertEqual([[s["start"], s["end"]] for s in document["segments"]],
                         [list(span) for span in zip(spans[::2], spans[1::2])])  # fmt: skip
        self.assertEqual((document["sampling_rate"], document["end"]), (RATE, 11.0))
        stored = STORED["jfk"]["16000"]["probabilities"]
        self.assertEqual(len(document["probabilities"]), len(stored))
        for ours, theirs in zip(document["probabilities"], stored):
            self.assertAlmostEqual(ours, theirs, delta=1e-4)

    def test_probabilities_are_a_row_every_32_ms(self):
        rows = [line.split("\t") for line in self.found(self.wav, "--probabilities").splitlines()]
        self.assertEqual(rows[0], ["start", "probability"])
        self.assertEqual([int(row[0]) for row in rows[1:]], list(range(0, 11000, 32)))
        self.assertAlmostEqual(float(rows[1][1]), STORED["jfk"]["16000"]["probabilities"][0], 4)

    def test_eight_kilohertz_finds_nearly_the_same(self):
        rows = self.found(self.wav, "--sampling-rate=8000").splitlines()[1:]
        first, last = rows[0].split("\t"), rows[-1].split("\t")
        self.assertAlmostEqual(int(first[0]), 322, delta=200)
        self.assertAlmostEqual(int(last[1]), 10622, delta=300)

    def test_the_speech_is_cut_to_a_file(self):
        target = self.folder / "speech.wav"
        self.found(self.wav, "--output", target)
        samples, spans = read_wav(self.wav), STORED["jfk"]["16000"]["silero"]
        expected = array.array("h")
        for begin, end in zip(spans[::2], spans[1::2]):
            expected += samples[begin:end]
        self.assertTrue(read_wav(target) == expected)
        self.assertEqual(list(self.folder.glob("*.part")), [])

    def test_times_of_a_part_are_the_recordings(self):
        rows = self.found(self.wav, "--start=0:05", "--end=8").splitlines()[1:]
        self.assertEqual(len(rows), 1)
        start, end = map(int, rows[0].split("\t"))
        self.assertAlmostEqual(start, 5378, delta=100)
        self.assertAlmostEqual(end, 7678, delta=100)
        self.assertEqual(self.found(self.wav, "--start=1:00:00"), "start\tend\n")

    def test_silence_noise_and_tones_are_no_speech(self):
        draw = random.Random(5)
        recordings = {
            "zeros": [0] * (20 * RATE),
            "one": [0],
            "noise": [int(draw.gauss(0, 3000)) for _ in range(20 * RATE)],
            "tone": [round(9000 * math.sin(i * 0.17)) for i in range(20 * RATE)],
        }
        for name, samples in recordings.items():
            with self.subTest(name):
                file = self.folder / f"{name}.wav"
                write_wav(file, samples)
                target = self.folder / f"{name}.speech.wav"
                self.assertEqual(self.found(file, "--output", target), "start\tend\n")
                self.assertEqual(len(read_wav(target)), 0)
                document = json.loads(self.found(file, "-f", "json"))
                self.assertEqual(document["segments"], [])

    def test_what_cannot_be_is_refused(self):
        refused = {
            ("--threshold=2",): "threshold: expected 0 to 1, got 2",
            ("--speech-pad-ms=-1",): "speech-pad-ms: expected 0 to",
            ("--max-speech-duration-s=0",): "max-speech-duration-s: expected more than 0 s",
            ("--sampling-rate=44100",): "sampling-rate: expected 16000 or 8000, got 44100",
            ("--start=5", "--end=4"): ".*expected a time after the start",
            ("--output", self.wav): "--output: expected another file than the one that is heard",
            ("--output-format=srt",): ".*expected tsv or json, got srt",
        }
        for options, sentence in refused.items():
            with self.subTest(options):
                self.assert_refused(run("vad", self.wav, *options), 2, sentence)
        self.assert_refused(run("vad"), 2, "FILE is required")
        self.assertEqual(len(read_wav(self.wav)), 176000, "the input is whole")

    def test_a_file_that_cannot_be_heard_is_named(self):
        empty = self.folder / "empty.wav"
        empty.write_bytes(b"")
        self.assert_refused(run("vad", empty), 1, ".*empty.wav is empty")
        self.assert_refused(run("vad", "/no/such.wav"), 1, "cannot open /no/such.wav")
        self.assert_refused(run("vad", self.wav, "--channel=3"), 1, ".*there is no channel 3")
        nowhere = run("vad", self.wav, "--output", "/no/such/folder.wav")
        self.assert_refused(nowhere, 1, ".*/no/such/folder.wav cannot be written: No such file")

    def test_a_closed_pipe_ends_it_quietly(self):
        command = '"$0" vad --probabilities "$1" | head -n 2'
        done = subprocess.run(
            ["sh", "-c", command, PROGRAM, self.wav],
            capture_output=True,
            timeout=PATIENCE_S,
            check=False,
        )
        self.assertEqual(done.stdout.splitlines()[0], b"start\tprobability")
        self.assertEqual(done.stderr, b"")

    def test_ctrl_c_ends_a_wait_and_leaves_no_scrap(self):
        target = self.folder / "cut.wav"
        process = subprocess.Popen(
            [PROGRAM, "vad", "-", "--output", target],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        process.stdin.write(self.wav.read_bytes()[:300000])
        process.stdin.flush()
        part = target.with_name("cut.wav.part")
        begin_s = time.monotonic()
        while not part.exists() and time.monotonic() - begin_s < PATIENCE_S:
            time.sleep(0.02)
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=PATIENCE_S)
        self.assertEqual(process.returncode, 130, err)
        self.assertEqual(list(self.folder.glob("cut.wav*")), [])

    def peak_kib(self, minutes):
        """Of the program while it hears so many minutes of the sample."""
        file = self.folder / "long.wav"
        samples = read_wav(self.wav)
        write_wav(file, samples * (60 * minutes // 11))
        process = subprocess.Popen(
            [PROGRAM, "vad", file, "--output", self.folder / "out.wav"], stdout=subprocess.DEVNULL
        )
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        self.assertEqual(process.returncode, 0)
        return usage.ru_maxrss

    def test_memory_does_not_grow_with_the_recording(self):
        self.assertLess(self.peak_kib(10), 1.1 * self.peak_kib(1))


@unittest.skipUnless(SHARED.is_dir(), "the folder of real speech is not here")
class SharedRecording(EndToEnd):
    def test_each_has_what_silero_finds(self):
        for name in ["hotwords.mp3", "ls_test.flac", "multilingual.mp3", "silero_test.wav"]:
            with self.subTest(name):
                result = run("vad", SHARED / name)
                oracle = STORED[name.split(".")[0]]["16000"]["silero"]
                self.assertEqual((result.status, result.err), (0, ""))
                theirs = [line.split("\t") for line in in_ms(oracle).splitlines()]
                ours = [line.split("\t") for line in result.out.splitlines()]
                self.assertEqual(len(ours), len(theirs))
                for row, other in zip(ours[1:], theirs[1:]):
                    for time_ms, other_ms in zip(row, other):
                        self.assertAlmostEqual(int(time_ms), int(other_ms), delta=1)


if __name__ == "__main__":
    unittest.main()
