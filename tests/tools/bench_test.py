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
import speech  # noqa: E402
import whisper_cpp_build  # noqa: E402
from programs import Failure, Measured, Warm, Whole  # noqa: E402
from rows import OPENVINO, WARM, WHOLE, Setting  # noqa: E402
from word_rates import count_errors, difference, refuses, verdict  # noqa: E402
from words import median_ratio, piece_errors, word_errors  # noqa: E402
from works import WORKS  # noqa: E402

KNOWN = speech.JFK_WORDS
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

    def test_errors_count_for_the_piece_that_they_are_in(self):
        pieces = ("one two", "three four", "five")
        self.assertEqual(piece_errors(pieces, "one two three four five"), [0, 0, 0])
        self.assertEqual(piece_errors(pieces, "one two too three four"), [1, 0, 1])
        self.assertEqual(piece_errors(pieces, "so one two"), [1, 2, 1])
        self.assertEqual(piece_errors(pieces, ""), [2, 2, 1])
        self.assertEqual(piece_errors(("",), "a b"), [2])

    def test_our_worst_is_held_against_their_best(self):
        known = (KNOWN,)
        self.assertFalse(refuses([KNOWN], [KNOWN], known))
        self.assertFalse(refuses([WORSE], [WORSE], known))
        self.assertFalse(refuses([KNOWN], [WORSE], known))
        self.assertTrue(refuses([KNOWN, WORSE], [KNOWN], known))
        self.assertTrue(refuses([WORSE], [WORSE, KNOWN], known))

    def test_of_a_long_text_few_errors_more_are_no_reason_to_refuse(self):
        known = tuple("one two three four" for _ in range(40))
        heard = {wrong: " ".join(["one two three"] * wrong + ["one two three four"] * (40 - wrong))
                 for wrong in (10, 11, 30)}  # fmt: skip
        self.assertFalse(refuses([heard[11]], [heard[10]], known))
        self.assertTrue(refuses([heard[30]], [heard[10]], known))

    def test_without_a_known_text_nothing_is_refused(self):
        self.assertFalse(refuses([WORSE], [KNOWN], None))

    def test_the_ratio_is_the_median_of_the_rounds_own(self):
        self.assertEqual(median_ratio([2, 9, 4], [1, 3, 4]), 2)
        with self.assertRaises(ValueError):
            median_ratio([2, 9], [1])


def measured(name, texts, seconds=(1.0, 2.0, 4.0), configuration="", peak_mb=100):
    return Measured(name, name, configuration, list(seconds), list(texts), peak_mb)


class Comparing(unittest.TestCase):
    """compare_all() with given results in place of the programs."""

    def compare(self, ours, theirs, arguments=(), others=()):
        results = [
            measured("whinchat", ours),
            measured("faster-whisper", theirs, (3.0, 6.0, 12.0), "int8", 150),
            *others,
        ]
        out, err = io.StringIO(), io.StringIO()
        with mock.patch.object(peers, "measure", return_value=(results, 0.02)):
            with mock.patch.object(peers, "set_up"):
                with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
                    status = peers.main(list(arguments))
        return status, out.getvalue(), err.getvalue()

    def test_equal_words_give_a_ratio_and_status_0(self):
        status, out, err = self.compare([KNOWN], [KNOWN])
        self.assertEqual((status, err), (0, ""))
        self.assertRegex(out, r"faster-whisper, int8 .* 0 +3\.00\n")
        self.assertRegex(out, r"\n  faster-whisper, int8 +3\.00 +1\.50\n")
        self.assertLessEqual(max(map(len, out.splitlines())), 100)

    def test_more_word_errors_give_no_ratio_and_status_1(self):
        status, out, err = self.compare([KNOWN, WORSE], [KNOWN])
        self.assertEqual(status, 1)
        self.assertRegex(out, r"faster-whisper, int8 .* 0 +refused\n")
        self.assertRegex(out, r"\n  faster-whisper, int8 +refused +1\.50\n")
        self.assertNotIn("3.00\n", out)
        self.assertIn("more word errors in greedy", err)

    def test_their_errors_are_no_reason_to_refuse(self):
        self.assertEqual(self.compare([KNOWN], [WORSE])[0], 0)

    def test_what_counts_is_the_fastest_configuration_of_each(self):
        slow = measured("faster-whisper", [KNOWN], (9.0, 9.0, 9.0), "float32")
        other = measured("whisper.cpp", [KNOWN], (8.0, 8.0, 8.0), "native")
        results = [slow, measured("faster-whisper", [KNOWN], (4.0, 4.0, 4.0), "int8"), other]
        self.assertEqual(report.fastest_of_each(results), [results[1], other])
        lines = report.against_fastest(
            measured("whinchat", [KNOWN], (2.0, 2.0, 2.0)), results, None
        )
        self.assertEqual([line.split()[-2] for line in lines], ["time", "2.00", "4.00"])

    def test_another_row_of_ours_has_its_own_ratios(self):
        faster = measured("whinchat --compute f32", [KNOWN], (0.5, 1.0, 2.0))
        theirs = measured("faster-whisper", [KNOWN], (3.0, 6.0, 12.0), "int8")
        results = [measured("whinchat", [KNOWN]), faster, theirs]
        out = io.StringIO()
        arguments = ["--ours-args", "", "--ours-args", "--compute f32"]
        with mock.patch.object(peers, "measure", return_value=(results, 0.0)):
            with mock.patch.object(peers, "set_up"), contextlib.redirect_stdout(out):
                peers.main(arguments)
        self.assertRegex(out.getvalue(), r"whinchat against .*\n  faster-whisper, int8 +3\.00")
        self.assertRegex(out.getvalue(), r"f32 against .*\n  faster-whisper, int8 +6\.00")

    def test_each_transcript_is_printed_once(self):
        _, out, _ = self.compare([KNOWN, KNOWN], [WORSE, WORSE])
        self.assertEqual(out.count("And so my fellow"), 1)
        self.assertEqual(out.count("And so my yellow"), 1)

    def test_the_json_holds_times_texts_and_the_refusal_of_each_work(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "result.json"
            self.compare([WORSE], [KNOWN], ["--json", str(path), "--work", "greedy,beam5"])
            document = json.loads(path.read_text())
        self.assertEqual([work["work"] for work in document["works"]], ["greedy", "beam5"])
        work = document["works"][0]
        self.assertTrue(work["refused"])
        self.assertEqual([p["word_errors"] for p in work["programs"]], [1, 0])
        self.assertEqual(work["programs"][1]["seconds"], [3.0, 6.0, 12.0])
        self.assertIsNone(work["programs"][1]["ratio"])

    def test_unknown_words_are_said(self):
        with tempfile.TemporaryDirectory() as folder:
            path = write_wav(pathlib.Path(folder) / "some.wav")
            status, out, _ = self.compare([WORSE], [KNOWN], arguments=[str(path)])
        self.assertEqual(status, 0)
        self.assertIn("word errors are unknown", out)
        self.assertRegex(out, r"faster-whisper, int8 .* unknown +3\.00\n")

    def test_a_limit_that_the_processor_lacks_is_status_1(self):
        with mock.patch.object(peers, "processor", return_value=("a processor", {"avx2"})):
            status, _, err = self.compare([KNOWN], [KNOWN], arguments=["--isa", "avx512_vnni"])
        self.assertEqual(status, 1)
        self.assertIn("has no avx512_vnni", err)

    def test_peers_are_named_by_their_beginnings(self):
        chosen = peers.read_arguments(["--peers", "whisper.cpp-wheel-plain,faster-whisper-i"]).peers
        self.assertEqual(chosen, ["whisper.cpp-wheel-plain", "faster-whisper-int8"])
        for wrong in ("slower", "", "faster,"):
            with contextlib.redirect_stderr(io.StringIO()), self.assertRaises(SystemExit):
                peers.read_arguments(["--peers", wrong])

    def test_works_are_named_whole(self):
        self.assertEqual(peers.read_arguments([]).work, ["greedy"])
        self.assertEqual(peers.read_arguments(["--work", "all"]).work, list(WORKS))
        for wrong in ("beam", "", "greedy,"):
            with contextlib.redirect_stderr(io.StringIO()), self.assertRaises(SystemExit):
                peers.read_arguments(["--work", wrong])

    def test_every_title_fits_the_table(self):
        for maker, configuration, _ in [*WARM.values(), *WHOLE.values()]:
            program = Measured("", maker, configuration, [1.0], [""])
            row = report.row(program, 11, None, "12.34")
            self.assertLessEqual(len(row), 100, row)
            self.assertLess(len(program.title), 32)

    def test_each_limit_sets_each_switch(self):
        self.assertEqual(isa.switches(None), {})
        self.assertEqual(list(whisper_cpp_build.SETS), list(isa.VALUES))
        for name, values in isa.VALUES.items():
            self.assertEqual(len(values), len(isa.SWITCHES), name)
            self.assertEqual(isa.switches(name)["WHINCHAT_MAX_ISA"], name)


class Works(unittest.TestCase):
    """How each row is started; nothing runs."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        path = pathlib.Path(folder.name)
        for form in ("f16", "int8"):
            (path / form).mkdir()
        self.path = path

    def commands(self, work):
        work = WORKS[work]
        native = self.path / "whisper_cpp_native"
        how = (work.language, work.beam, work.has_pauses)
        setting = Setting(*[self.path] * 6, native, 3, {}, self.path, *how)
        options = peers.read_arguments([])
        started = [row[2](setting) for _, row in peers.chosen_rows(work, options)]
        self.assertEqual({kind for kind, _, _ in started}, {Whole if work.is_whole else Warm})
        return [[str(word) for word in command] for _, command, _ in started]

    def test_every_program_gets_the_threads_beams_and_language_of_the_work(self):
        for name, work in WORKS.items():
            finds_speech = name in ("pauses", "short")
            ours, *theirs = self.commands(name)
            self.assertEqual(ours[ours.index("--threads") + 1], "3")
            self.assertEqual(ours[ours.index("--beam-size") + 1], str(work.beam))
            self.assertEqual("--language" in ours, work.language is not None)
            self.assertEqual(ours[ours.index("--vad-filter") + 1], str(finds_speech))
            for command in theirs:
                if command[0].endswith("whisper_cpp_native"):
                    language = work.language or "auto"
                    self.assertEqual(command[2:5], ["3", language, str(work.beam)])
                    continue
                if command[0].endswith("whisper-cli"):
                    self.assertEqual(command[command.index("--beam-size") + 1], str(work.beam))
                    self.assertEqual(command[command.index("--threads") + 1], "3")
                    continue
                given = json.loads(command[3])
                self.assertEqual(given["threads"], 3)
                self.assertEqual(given["language"], work.language)
                self.assertEqual(given.get("beam", 1), work.beam, command)
                self.assertEqual(given.get("vad", False), finds_speech and "beam" in given)

    def test_what_a_limit_leaves_out_is_said(self):
        options = peers.read_arguments(["--isa", "sse4", "--peers", "openvino-int8,whisper"])
        work = WORKS["greedy"]
        rows = [row for _, row in peers.chosen_rows(work, options)]
        self.assertEqual([row[1] for row in rows], ["", "native, flash", "native"])
        self.assertEqual(
            peers.left_out(work, options),
            ["Not run, for lack of AVX2: openvino-int8, whisper.cpp-wheel-flash, "
             "whisper.cpp-wheel-plain."],
        )  # fmt: skip
        options.isa = "avx2"
        self.assertEqual(peers.left_out(work, options), [])

    def test_openvino_has_no_beams_and_says_so(self):
        self.assertNotIn(OPENVINO, [row[0] for row in WORKS["beam5"].rows().values()])
        self.assertIn(OPENVINO, [row[0] for row in WORKS["auto"].rows().values()])
        self.assertIn("searches greedily only", " ".join(WORKS["beam5"].notes()))

    def test_batches_are_for_the_long_file_alone(self):
        with_batches = [name for name, work in WORKS.items() if "batched" in " ".join(work.rows())]
        self.assertEqual(with_batches, ["long"])

    def test_a_whole_process_reads_the_wav_itself(self):
        ours, *theirs = self.commands("whole")
        self.assertEqual(ours[:3], [str(self.path / "whinchat"), "transcribe", str(self.path)])
        read = [
            command[command.index("--file") + 1]
            if command[0].endswith("whisper-cli")
            else json.loads(command[3])["wav"]
            for command in theirs
        ]
        self.assertEqual(read, [str(self.path)] * len(WHOLE))


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
        self.assertEqual(list(speech.of_file(path).samples()), [0.0, 0.5, -1.0])

    def test_another_rate_or_no_wav_is_one_sentence(self):
        other = write_wav(self.folder / "b.wav", rate=44100, channels=2, samples=(0, 0))
        with self.assertRaisesRegex(Failure, "expected 16000 Hz.*got 44100 Hz, 2 channels"):
            speech.of_file(other).samples()
        (self.folder / "c.wav").write_bytes(b"RIFF")
        with self.assertRaisesRegex(Failure, "cannot be read as a wav"):
            speech.of_file(self.folder / "c.wav").samples()

    def test_the_words_come_from_the_text_beside_the_file(self):
        path = write_wav(self.folder / "a.wav")
        self.assertIsNone(speech.of_file(path).pieces)
        path.with_suffix(".txt").write_text("known words\n\nof two pieces\n")
        self.assertEqual(speech.of_file(path).pieces, ("known words", "of two pieces"))

    def test_a_copy_of_the_sample_has_its_words(self):
        path = write_wav(self.folder / "sample.wav")
        copy = self.folder / "copy.wav"
        copy.write_bytes(path.read_bytes())
        with mock.patch.object(speech, "JFK", path):
            self.assertEqual(speech.of_file(copy).pieces, (speech.JFK_WORDS,))

    def test_the_long_file_has_its_pieces_in_order_and_ends_once_it_is_long(self):
        path = write_wav(self.folder / "a.wav", samples=[1] * 8000)
        frames = path.read_bytes()[44:]
        with contextlib.ExitStack() as patches:
            for name, value in (
                ("JFK", path),
                ("LONG_S", 5),
                ("read_sentences", lambda: [(path, "read")]),
                ("pieces", lambda _: (f"piece {index}" for index in range(99))),
                ("spoken", lambda *_: frames),
            ):
                patches.enter_context(mock.patch.object(speech, name, value))
            long = speech.ten_minutes(self.folder)
        self.assertEqual(long.pieces[:3], (speech.JFK_WORDS, "read", "piece 0"))
        # Each half a second, and as much pause.
        self.assertEqual(len(long.pieces), 5)
        self.assertEqual(len(long.samples()), 8000 * (5 + 4))

    def built_with(self, limit):
        """The GGML_ options that whisper.cpp is configured with."""
        kept, objects = self.folder / "kept", self.folder / "objects"
        kept.mkdir()
        (objects / "bin").mkdir(parents=True)
        (objects / "bin" / "whisper-cli").write_text("")
        with mock.patch.object(whisper_cpp_build, "run") as run:
            whisper_cpp_build.compile_into(kept, self.folder, objects, limit)
        return {word[7:] for word in run.call_args_list[0].args[1] if "-DGGML_" in str(word)}

    def test_a_limit_is_compiled_in(self):
        options = self.built_with("avx2")
        self.assertLessEqual({"NATIVE=OFF", "AVX2=ON", "FMA=ON", "AVX512=OFF"}, options)

    def test_no_limit_is_the_processor_at_hand(self):
        self.assertEqual(self.built_with(None), {"NATIVE=ON"})

    def test_a_build_that_is_kept_is_not_made_again(self):
        def compile_into(kept, *_):
            kept.mkdir()

        with contextlib.ExitStack() as patches:
            for name, value in (("fetch", lambda _: None), ("compile_into", compile_into)):
                patches.enter_context(mock.patch.object(whisper_cpp_build, name, value))
            say = patches.enter_context(mock.patch.object(whisper_cpp_build, "say"))
            native = whisper_cpp_build.build(self.folder, None, {"avx2"})
            self.assertEqual(whisper_cpp_build.build(self.folder, None, {"avx2"}), native)
            self.assertEqual(say.call_count, 1)
            others = [
                whisper_cpp_build.build(self.folder, *rest)
                for rest in ((None, {"avx2", "fma"}), ("avx2", {"avx2"}))
            ]
        self.assertEqual(len({native, *others}), 3)
        self.assertEqual({path.name for path in native.parent.iterdir()},
                         {path.name for path in (native, *others)})  # fmt: skip

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
        line = "[00:00:00.000 --> 00:00:11.000]   And [so]"
        program = Whole(Measured("p", "the program"), ["echo", line + "\n" + line], {})
        program.run_round(None)
        self.assertEqual(program.measured.texts, ["And [so] And [so]"])
        program = Whole(Measured("p", "the program"), ["sh", "-c", "echo why >&2; exit 3"], {})
        with self.assertRaisesRegex(Failure, "the program: why"):
            program.run_round(None)


if __name__ == "__main__":
    unittest.main()
