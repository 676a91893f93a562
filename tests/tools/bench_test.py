"""The logic of ./dev bench peers: word errors, refusal, ratios, what is printed; no peer runs."""

import array
import contextlib
import importlib.util
import io
import json
import pathlib
import struct
import sys
import tempfile
import unittest
import wave
import zipfile
from unittest import mock

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SPEC = importlib.util.spec_from_file_location("peers", ROOT / "bench" / "peers.py")
peers = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(peers)

import ggml_file  # noqa: E402
import isa  # noqa: E402
import report  # noqa: E402
from programs import PEERS, Failure, Measured, Warm, Whole  # noqa: E402
from word_rates import count_errors, difference, verdict  # noqa: E402
from words import median_ratio, refuses, word_errors  # noqa: E402

KNOWN = peers.JFK_WORDS
WORSE = KNOWN.replace("fellow", "yellow")
CHILD = """
import sys
print("{}", flush=True)
for line in sys.stdin:
    if line.strip() == "break":
        sys.exit("the last word")
    print('{"seconds": 0.5, "text": " heard  %s"}' % line.strip(), flush=True)
"""


class WordRates(unittest.TestCase):
    KNOWN = ["one two three four"] * 40

    def heard(self, wrong):
        return count_errors(self.KNOWN, ["one two three"] * wrong + self.KNOWN[wrong:])

    def test_a_rate_is_errors_over_words_of_the_chosen_clips(self):
        self.assertEqual(self.heard(10).rate(), 10 / 160)
        self.assertEqual(self.heard(10).rate(range(20)), 10 / 80)

    def test_few_clips_more_are_no_difference_and_many_are_one(self):
        gap, low, high = difference(self.heard(11), self.heard(10), resamples=2000)
        self.assertAlmostEqual(gap, 1 / 160)
        self.assertEqual(verdict(low, high), "as good")
        for one, other, said in ((30, 10, "worse"), (10, 30, "better")):
            _, low, high = difference(self.heard(one), self.heard(other), resamples=2000)
            self.assertEqual(verdict(low, high), said)

    def test_the_same_errors_are_no_difference_at_all(self):
        self.assertEqual(difference(self.heard(10), self.heard(10), resamples=100), (0, 0, 0))

    def test_other_clips_are_refused(self):
        with self.assertRaisesRegex(ValueError, "the same clips"):
            difference(self.heard(1), count_errors(["one"], ["one"]))


class Words(unittest.TestCase):
    def test_case_and_punctuation_are_no_errors(self):
        self.assertEqual(word_errors(KNOWN, KNOWN.upper().replace(",", " --")), 0)
        self.assertEqual(word_errors("it’s", "it's"), 0)

    def test_each_kind_of_error_counts_once(self):
        self.assertEqual(word_errors("a b c d", "a x c d"), 1)
        self.assertEqual(word_errors("a b c d", "a c d"), 1)
        self.assertEqual(word_errors("a b c d", "a b b c d"), 1)
        self.assertEqual(word_errors("a b c d", "b c d e"), 2)
        self.assertEqual(word_errors("a b c", ""), 3)
        self.assertEqual(word_errors("", "a b"), 2)

    def test_our_worst_is_held_against_their_best(self):
        self.assertFalse(refuses([KNOWN], [KNOWN], KNOWN))
        self.assertFalse(refuses([WORSE], [WORSE], KNOWN))
        self.assertFalse(refuses([KNOWN], [WORSE], KNOWN))
        self.assertTrue(refuses([KNOWN, WORSE], [KNOWN], KNOWN))
        self.assertTrue(refuses([WORSE], [WORSE, KNOWN], KNOWN))

    def test_without_a_known_text_nothing_is_refused(self):
        self.assertFalse(refuses([WORSE], [KNOWN], None))

    def test_the_ratio_is_the_median_of_the_rounds_own(self):
        self.assertEqual(median_ratio([2, 9, 4], [1, 3, 4]), 2)
        with self.assertRaises(ValueError):
            median_ratio([2, 9], [1])


def measured(name, texts, seconds=(1.0, 2.0, 4.0)):
    return Measured(name, name, list(seconds), list(texts), 100)


class Comparing(unittest.TestCase):
    """compare() with given results in place of the programs."""

    def compare(self, ours, theirs, whole=KNOWN, arguments=()):
        results = [
            measured("whinchat-warm", ours),
            measured("whinchat-whole", [whole]),
            measured("faster-whisper-int8", theirs, (3.0, 6.0, 12.0)),
        ]
        out, err = io.StringIO(), io.StringIO()
        with mock.patch.object(peers, "measure", return_value=(results, 0.02)):
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
                status = peers.main(list(arguments))
        return status, out.getvalue(), err.getvalue()

    def test_equal_words_give_a_ratio_and_status_0(self):
        status, out, err = self.compare([KNOWN], [KNOWN])
        self.assertEqual((status, err), (0, ""))
        self.assertRegex(out, r"faster-whisper-int8 .* 0 +3\.00\n")
        self.assertIn("against a warm call of faster-whisper-int8: 3.00\n", out)
        self.assertLessEqual(max(map(len, out.splitlines())), 100)

    def test_more_word_errors_give_no_ratio_and_status_1(self):
        status, out, err = self.compare([KNOWN, WORSE], [KNOWN])
        self.assertEqual(status, 1)
        self.assertRegex(out, r"faster-whisper-int8 .* 0 +refused\n")
        self.assertNotRegex(out, r"faster-whisper-int8 .* 3\.00\n")
        self.assertIn("more word errors", err)

    def test_the_whole_process_is_refused_alike(self):
        status, out, _ = self.compare([KNOWN], [KNOWN], whole=WORSE)
        self.assertEqual(status, 1)
        self.assertIn("against a warm call of faster-whisper-int8: refused\n", out)

    def test_their_errors_are_no_reason_to_refuse(self):
        self.assertEqual(self.compare([KNOWN], [WORSE])[0], 0)

    def test_each_transcript_is_printed_once(self):
        _, out, _ = self.compare([KNOWN, KNOWN], [WORSE, WORSE])
        self.assertEqual(out.count("And so my fellow"), 1)
        self.assertEqual(out.count("And so my yellow"), 1)

    def test_the_json_holds_times_texts_and_the_refusal(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "result.json"
            self.compare([WORSE], [KNOWN], arguments=["--json", str(path)])
            document = json.loads(path.read_text())
        self.assertTrue(document["refused"])
        self.assertEqual([p["word_errors"] for p in document["programs"]], [1, 0, 0])
        self.assertEqual(document["programs"][2]["seconds"], [3.0, 6.0, 12.0])
        self.assertIsNone(document["programs"][2]["ratio"])

    def test_unknown_words_are_said(self):
        with tempfile.TemporaryDirectory() as folder:
            path = write_wav(pathlib.Path(folder) / "some.wav")
            status, out, _ = self.compare([WORSE], [KNOWN], arguments=[str(path)])
        self.assertEqual(status, 0)
        self.assertIn("word errors are unknown", out)
        self.assertRegex(out, r"faster-whisper-int8 .* unknown +3\.00\n")

    def test_a_limit_that_the_processor_lacks_is_status_1(self):
        with mock.patch.object(peers, "processor", return_value=("a processor", {"avx2"})):
            status, _, err = self.compare([KNOWN], [KNOWN], arguments=["--isa", "avx512"])
        self.assertEqual(status, 1)
        self.assertIn("has no avx512", err)

    def test_peers_are_named_by_their_beginnings(self):
        chosen = peers.read_arguments(["--peers", "whisper.cpp-plain,faster"]).peers
        self.assertEqual(
            chosen, ["whisper.cpp-plain", "faster-whisper-int8", "faster-whisper-float32"]
        )
        for wrong in ("slower", "", "faster,"):
            with contextlib.redirect_stderr(io.StringIO()), self.assertRaises(SystemExit):
                peers.read_arguments(["--peers", wrong])

    def test_every_title_fits_the_table(self):
        for name, (title, _) in PEERS.items():
            row = report.row(Measured(name, title, [1.0], [""]), 11, None, "12.34")
            self.assertLessEqual(len(row), 100, row)
            self.assertIn(title + " ", row)

    def test_each_limit_sets_each_switch(self):
        self.assertEqual(isa.switches(None), {})
        for name, values in isa.VALUES.items():
            self.assertEqual(len(values), len(isa.SWITCHES), name)
            self.assertEqual(isa.switches(name)["WHINCHAT_MAX_ISA"], name)


def write_wav(path, rate=16000, channels=1, samples=(0, 16384, -32768)):
    with wave.open(str(path), "wb") as file:
        file.setnchannels(channels)
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes(array.array("h", samples).tobytes())
    return path


class Files(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def test_samples_are_f32_in_one(self):
        path = write_wav(self.folder / "a.wav")
        self.assertEqual(list(peers.read_samples(path)), [0.0, 0.5, -1.0])

    def test_another_rate_or_no_wav_is_one_sentence(self):
        other = write_wav(self.folder / "b.wav", rate=44100, channels=2, samples=(0, 0))
        with self.assertRaisesRegex(Failure, "expected 16000 Hz.*got 44100 Hz, 2 channels"):
            peers.read_samples(other)
        (self.folder / "c.wav").write_bytes(b"RIFF")
        with self.assertRaisesRegex(Failure, "cannot be read as a wav"):
            peers.read_samples(self.folder / "c.wav")

    def test_the_words_come_from_the_text_beside_the_file(self):
        path = write_wav(self.folder / "a.wav")
        self.assertIsNone(peers.known_words(path))
        path.with_suffix(".txt").write_text("known words")
        self.assertEqual(peers.known_words(path), "known words")

    def test_a_copy_of_the_sample_has_its_words(self):
        path = write_wav(self.folder / "sample.wav")
        copy = self.folder / "copy.wav"
        copy.write_bytes(path.read_bytes())
        with mock.patch.object(peers, "JFK", path):
            self.assertEqual(peers.known_words(copy), peers.JFK_WORDS)

    def test_whisper_cpps_tokens_are_the_bytes_of_the_vocabulary(self):
        tokenizer = {
            "added_tokens": [{"content": "<|end|>", "special": True}],
            "model": {"vocab": {"Ġa": 1, "!": 0, "Ã©": 2, "<|end|>": 3}},
        }
        path = self.folder / "tokenizer.json"
        path.write_text(json.dumps(tokenizer))
        self.assertEqual(ggml_file.read_vocabulary(path), [b"!", b" a", "é".encode()])
        del tokenizer["model"]["vocab"]["Ġa"]
        path.write_text(json.dumps(tokenizer))
        with self.assertRaisesRegex(ValueError, "without a gap"):
            ggml_file.read_vocabulary(path)

    def test_every_byte_has_its_character(self):
        table = ggml_file.bytes_of_characters()
        self.assertEqual(sorted(table.values()), list(range(256)))
        for character, byte in (("A", 65), ("Ā", 0), ("Ġ", 0x20), ("ł", 0xA0), ("Ń", 0xAD)):
            self.assertEqual(table[character], byte)

    def test_matrices_stay_f16_and_vectors_become_f32(self):
        half = struct.pack("<2e", 1.5, -2.0)
        for name, dims, kind, data in (
            ("decoder.blocks.0.mlp.0.weight", [1, 2], 1, half),
            ("encoder.ln_post.bias", [2], 0, struct.pack("<2f", 1.5, -2.0)),
            ("encoder.conv1.bias", [2], 0, struct.pack("<2f", 1.5, -2.0)),
            ("encoder.positional_embedding", [2, 1], 0, struct.pack("<2f", 1.5, -2.0)),
        ):
            out = io.BytesIO()
            ggml_file.write_tensor(out, name, dims, half)
            dims = [*dims, 1] if "conv1" in name else dims
            head = struct.pack("<3i", len(dims), len(name), kind)
            head += struct.pack(f"<{len(dims)}i", *reversed(dims))
            self.assertEqual(out.getvalue(), head + name.encode() + data)

    def test_mel_filters_of_another_type_are_refused(self):
        def npy(kind):
            header = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': (80, 2), }}".encode()
            head = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header
            return head + bytes(80 * 2 * int(kind[-1]))

        path = self.folder / "mel.npz"
        for kind in ("<f4", "<f8"):
            with zipfile.ZipFile(path, "w") as archive:
                archive.writestr("mel_80.npy", npy(kind))
            if kind == "<f4":
                self.assertEqual(ggml_file.read_mel_filters(path, 80), (80, 2, bytes(640)))
            else:
                with self.assertRaisesRegex(ValueError, "expected f32 rows"):
                    ggml_file.read_mel_filters(path, 80)


class Processes(unittest.TestCase):
    def start(self, command):
        program = Warm(Measured("child", "the child"), command, {"CHILD": "1"})
        self.addCleanup(program.close)
        return program

    def test_a_warm_child_answers_each_request(self):
        program = self.start([sys.executable, "-c", CHILD])
        program.wait_until_loaded()
        program.warm_up("first")
        program.run_round("second")
        program.note_peak()
        self.assertEqual(program.measured.seconds, [0.5])
        self.assertEqual(program.measured.texts, ["heard second"])
        self.assertGreater(program.measured.peak_mb, 1)

    def test_a_child_that_ends_gives_its_last_words(self):
        program = self.start([sys.executable, "-c", CHILD])
        program.wait_until_loaded()
        with self.assertRaisesRegex(Failure, "the child ended with status 1: the last word"):
            program.run_round("break")

    def test_a_program_that_is_not_there_is_one_sentence(self):
        with self.assertRaisesRegex(Failure, "/nowhere does not start: No such file"):
            Warm(Measured("child", "the child"), ["/nowhere"], {})

    def test_a_whole_process_is_timed_and_its_failure_shown(self):
        program = Whole(Measured("p", "the program"), ["sh", "-c", "sleep 0.05; echo a  b"], {})
        program.run_round(None)
        self.assertEqual(program.measured.texts, ["a b"])
        self.assertGreater(program.measured.seconds[0], 0.05)
        self.assertGreater(program.measured.peak_mb, 0)
        program = Whole(Measured("p", "the program"), ["sh", "-c", "echo why >&2; exit 3"], {})
        with self.assertRaisesRegex(Failure, "the program: why"):
            program.run_round(None)


if __name__ == "__main__":
    unittest.main()
