"""libwhinchat in other programs: one in C, and Python with and without an MLX of its own."""

import os
import pathlib
import re
import subprocess
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
SAMPLE = ROOT / "samples" / "jfk.wav"
SAMPLE_WORDS = (
    "and so my fellow americans ask not what your country can do for you "
    "ask what you can do for your country"
)
LIBRARY = os.environ["WHINCHAT_LIBRARY"]
PATIENCE_S = 200


def words(text):
    return " ".join(re.findall(r"[a-z']+", text.lower()))


def run(*command, **environment):
    return subprocess.run(
        [str(word) for word in command],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        env={**os.environ, **environment},
        check=False,
    )


def python(script, *arguments):
    """Runs a script in a Python of its own, which has the face and the oracle's packages."""
    path = os.pathsep.join([str(HERE), os.environ["WHINCHAT_ORACLE"]])
    begin = f"import sys\nfrom face import *\nsample = {str(SAMPLE)!r}\n"
    return run(sys.executable, "-B", "-c", begin + script, *arguments, PYTHONPATH=path)


class Face(unittest.TestCase):
    def assert_words(self, result):
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(words(result.stdout), SAMPLE_WORDS)
        self.assertEqual(result.stderr, "")

    def assert_prints(self, result, pattern):
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertRegex(result.stdout, pattern)


class CProgram(Face):
    def c_program(self, *arguments, **environment):
        return run(os.environ["WHINCHAT_C_PROGRAM"], *arguments, **environment)

    def test_hears_the_words_on_both_paths(self):
        for path in ["false", "true"]:
            with self.subTest(faithful=path):
                self.assert_words(self.c_program(SAMPLE, "model", "tiny.en", "faithful", path))

    def test_gets_a_sentence_for_what_is_wrong(self):
        wrong = {
            ("sing", "1"): r"^option: there is no option sing; expected one of model, offline, ",
            ("task", "sing"): r"^option: task: expected transcribe or translate, got sing$",
            ("threads", "many"): r"^option: threads: expected a whole number, got many$",
            ("threads", "-1"): r"^model: threads must be 0 or more, got -1$",
            ("no_speech_threshold", "inf"): r"no-speech-threshold: expected a number, got inf$",
            ("model", "no-such-model"): r"^model: the model no-such-model ",
            ("model", "tiny.en", "language", "Germen"): r"^transcription: .*did you mean german",
            ("model", "tiny.en", "channel", "3"): r"^transcription: .*so there is no channel 3$",
        }
        for arguments, sentence in wrong.items():
            with self.subTest(arguments):
                result = self.c_program(SAMPLE, *arguments, HF_HUB_OFFLINE="1")
                self.assertEqual((result.returncode, result.stdout), (1, ""))
                self.assertRegex(result.stderr, sentence)
        result = self.c_program("missing.wav", "model", "tiny.en")
        self.assertEqual(result.stderr, "transcription: cannot open missing.wav: "
                         "No such file or directory\n")  # fmt: skip

    def test_refuses_an_mlx_of_another_version(self):
        result = self.c_program(
            SAMPLE, "model", "tiny.en", LD_PRELOAD=os.environ["WHINCHAT_OTHER_VERSION"]
        )
        self.assertEqual((result.returncode, result.stdout), (1, ""))
        self.assertRegex(
            result.stderr,
            r"^model: whinchat needs MLX 0\.32\.4, but this process had already loaded 0\.31\.1 "
            r"\(/.*\): load whinchat first, or in a process of its own$",
        )


class Python(Face):
    def test_alone_hears_the_words_on_both_paths(self):
        for path in ["false", "true"]:
            with self.subTest(faithful=path):
                script = f"print(words_of(Library(), sample, model='tiny.en', faithful='{path}'))"
                self.assert_words(python(script))

    def test_with_mlx_imported_before_hears_the_words_and_refuses_to_call_them_faithful(self):
        script = """
import mlx.core as mx
assert mx.sum(mx.matmul(mx.ones((4, 4)), mx.ones((4, 4)))).item() == 64
library = Library()
try:
    library.transcriber(model="tiny.en", faithful="true")
except Failure as failure:
    print(failure.status, failure, file=sys.stderr)
print(words_of(library, sample, model="tiny.en"))
assert mx.sum(mx.matmul(mx.ones((4, 4)), mx.ones((4, 4)))).item() == 64
"""
        result = python(script)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(words(result.stdout), SAMPLE_WORDS)
        self.assertRegex(
            result.stderr,
            r"^UNSUPPORTED faithful results need MLX's products on OpenBLAS, but this process runs "
            r"them in /.*: another MLX was loaded before whinchat\n$",
        )

    def test_with_mlx_imported_after_both_work(self):
        script = """
library = Library()
transcriber = library.transcriber(model="tiny.en", faithful="true")
import mlx.core as mx
assert mx.sum(mx.matmul(mx.ones((4, 4)), mx.ones((4, 4)))).item() == 64
print(library.text(library.transcribe(transcriber, sample)))
assert mx.sum(mx.matmul(mx.ones((4, 4)), mx.ones((4, 4)))).item() == 64
"""
        self.assert_words(python(script))

    def test_the_example_in_the_readme_hears_the_sample(self):
        readme = (ROOT / "README.md").read_text(encoding="utf-8")
        example = re.search(r"```python\n(.*?)```", readme, re.DOTALL).group(1)
        example = example.replace("build/release/lib/libwhinchat.so", LIBRARY)
        example = example.replace("samples/jfk.wav", str(SAMPLE))
        self.assert_words(python(example))

    def test_threads_take_turns(self):
        script = """
import threading
library = Library()
transcriber = library.transcriber(model="tiny.en")
texts = []
def hear():
    texts.append(library.text(library.transcribe(transcriber, sample)))
threads = [threading.Thread(target=hear) for _ in range(4)]
for thread in threads: thread.start()
for thread in threads: thread.join()
assert len(set(texts)) == 1 and len(texts) == 4
print(texts[0])
"""
        self.assert_words(python(script))

    def test_a_callback_ends_a_transcription_after_its_window(self):
        script = """
import array, wave
library = Library()
with wave.open(sample) as file:
    data = array.array("h", file.readframes(file.getnframes()))
floats = (ctypes.c_float * (8 * len(data)))(*[x / 32768 for x in data] * 8)
transcriber = library.transcriber(model="tiny.en")
callbacks = Callbacks(on_segment=OnSegment(lambda segment, context: 1))
transcription = ctypes.c_void_p()
options = library.options(temperature=0)
library.call("transcribe_samples", transcriber, floats, ctypes.c_size_t(len(floats)), options,
             ctypes.byref(callbacks), ctypes.byref(transcription))
segment = library.segment(
    transcription, library["transcription_segment_count"](transcription) - 1
)
print(library["transcription_is_cancelled"](transcription), segment.end_s <= 30,
      library["transcription_duration_s"](transcription), segment.token_count > 0)
document = ctypes.c_char_p()
library.call("transcription_format", transcription, b"json", None, ctypes.byref(document))
print(document.value.decode())
library.call("transcription_format", transcription, b"SRT", None, ctypes.byref(document))
print(document.value.decode().splitlines()[0])
try:
    library.call("transcription_format", transcription, b"srt",
                 library.options(max_line_width=9), ctypes.byref(document))
except Failure as failure:
    print(failure)
try:
    library.segment(transcription, 99)
except Failure as failure:
    print(failure.status)
"""
        expected = r'^1 True 88\.0 True\n\{"text":" And so [^\n]*\n\n1\n'
        expected += r"expected word times for these subtitles, got [^\n]*\nBAD_INPUT\n$"
        self.assert_prints(python(script), expected)

    def test_a_stream_is_heard_in_pieces_and_outlives_its_transcriber(self):
        result = python("""
import array, wave
library = Library()
with wave.open(sample) as file:
    heard = array.array("h", file.readframes(file.getnframes()))
samples = (ctypes.c_float * len(heard))(*(x / 32768 for x in heard))
transcriber = library.transcriber(model="tiny.en")
options = library.options(**{"beam-size": "1"})
stream, result = ctypes.c_void_p(), ctypes.c_void_p()
library.call("stream_new", transcriber, options, None, ctypes.byref(stream))
library["transcriber_free"](transcriber)
for begin in range(0, len(samples), 5000):
    count = min(5000, len(samples) - begin)
    piece = ctypes.byref(samples, 4 * begin)
    library.call("stream_feed", stream, piece, ctypes.c_size_t(count))
library.call("stream_finish", stream, ctypes.byref(result))
print(library.text(result))
try:
    library.call("stream_feed", stream, samples, ctypes.c_size_t(1))
except Failure as failure:
    assert failure.status == "BAD_INPUT", failure.status
    assert "finished" in str(failure), failure
else:
    raise SystemExit("a finished stream was fed")
library["stream_cancel"](stream)
library["stream_free"](stream)
""")
        self.assert_words(result)

    def test_a_known_text_has_words_with_times(self):
        script = """
library = Library()
transcriber = library.transcriber(model="tiny.en")
handle = ctypes.c_void_p()
text = b"And so my fellow Americans\\nask not what your country can do for you"
library.call("align_file", transcriber, sample.encode(), text, None, None, ctypes.byref(handle))
print(library["transcription_segment_count"](handle))
words = library.words(handle)
print("".join(text for _, _, text, _ in words))
starts = [start for start, _, _, _ in words]
assert starts == sorted(starts) and all(start < end for start, end, _, _ in words), words
assert all(0 < probability <= 1 for _, _, _, probability in words), words
for segment, word in [(0, 99), (99, 0)]:
    try:
        place = (ctypes.c_size_t(segment), ctypes.c_size_t(word), ctypes.byref(Word()))
        library.call("transcription_word", handle, *place)
    except Failure as failure:
        print(failure)
try:
    library.call("align_file", transcriber, sample.encode(), b" ", None, None, ctypes.byref(handle))
except Failure as failure:
    print(failure.status)
"""
        expected = (
            r"^2\n And so my fellow Americans ask not what your country can do for you\n"
            r"expected a word below 5, got 99\nexpected a segment below 2, got 99\nBAD_INPUT\n$"
        )
        self.assert_prints(python(script), expected)

    def test_null_is_a_sentence_and_not_the_end(self):
        script = """
library = Library()
place = ctypes.c_void_p()
for name, arguments in [
    ("options_new", [None]), ("options_set", [None, b"task", b"translate"]),
    ("transcriber_new", [None, None]), ("transcribe_file", [None, b"x", None, None, None]),
    ("transcribe_file", [None, b"x", None, None, ctypes.byref(place)]),
    ("transcription_format", [None, b"json", None, None]),
    ("align_file", [None, b"x", None, None, None, ctypes.byref(place)]),
]:
    try:
        library.call(name, *arguments)
        print("no failure of", name)
    except Failure as failure:
        assert "got NULL" in str(failure), failure
for name in ["options_free", "transcriber_free", "transcription_free"]:
    library[name](None)
print(library["version"]().decode())
"""
        self.assert_prints(python(script), r"^\d+\.\d+\.\d+\n$")

    def test_beside_a_libmlx_that_lacks_functions_it_is_not_loaded(self):
        script = """
ctypes.CDLL(sys.argv[1], mode=ctypes.RTLD_GLOBAL)
try:
    Library()
except OSError as error:
    print(error)
"""
        result = python(script, os.environ["WHINCHAT_OTHER_MLX"])
        self.assert_prints(result, r"^/.*/libwhinchat\.so\S*: undefined symbol: \w*mlx\w*\n$")


class Symbols(unittest.TestCase):
    def test_only_its_own_face_is_exported(self):
        listing = run("nm", "-DC", "--defined-only", LIBRARY)
        self.assertEqual(listing.returncode, 0, listing.stderr)
        names = [line.split(" ", 2)[2] for line in listing.stdout.splitlines()]
        self.assertGreater(len([name for name in names if name.startswith("whinchat_")]), 15)
        inside = ["whinchat::service", "whinchat::base", "whinchat::audio", "whinchat::ops"]
        for name in names:
            self.assertRegex(name, r"^(typeinfo (name )?for |vtable for )?whinchat(_|::)")
            self.assertFalse(any(room in name for room in inside), name)


if __name__ == "__main__":
    unittest.main()
