"""The program as its user runs it: arguments and bytes in; words, sentences and a status out."""

import array
import dataclasses
import os
import pathlib
import re
import subprocess
import tempfile
import unittest
import wave

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PROGRAM = os.environ["WHINCHAT_PROGRAM"]
SAMPLE = ROOT / "samples" / "jfk.wav"
SAMPLE_WORDS = (
    "and so my fellow americans ask not what your country can do for you "
    "ask what you can do for your country"
)
# Longer than this is a hang, even on a loaded machine.
PATIENCE_S = 200


@dataclasses.dataclass
class Result:
    status: int
    out: str
    err: str

    @property
    def complaints(self):
        """The sentences on standard error, without progress."""
        return [line for line in self.err.splitlines() if line.startswith("whinchat: ")]

    @property
    def texts(self):
        """What stands under each "==> FILE <==", by FILE."""
        parts = re.split(r"^==> (.*) <==\n", self.out, flags=re.MULTILINE)
        return dict(zip(parts[1::2], parts[2::2]))


def run(*arguments, **options):
    """Runs the program. Options are subprocess.run's: cwd, stdout, input (bytes) …"""
    if "input" not in options and "stdin" not in options:
        options["stdin"] = subprocess.DEVNULL
    options.setdefault("stdout", subprocess.PIPE)
    done = subprocess.run(
        [PROGRAM, *map(str, arguments)],
        stderr=subprocess.PIPE,
        timeout=PATIENCE_S,
        check=False,
        **options,
    )
    # Strict: a torn character in the output is a failure.
    return Result(done.returncode, (done.stdout or b"").decode(), done.stderr.decode())


def transcribe(*arguments, model="tiny.en", **options):
    return run("transcribe", "--model", model, *arguments, **options)


def words(text):
    """Words alone: case and punctuation folded away."""
    return " ".join(re.findall(r"[\w']+", text.lower()))


def read_wav(path):
    """16-bit samples of all channels, interleaved."""
    with wave.open(str(path), "rb") as file:
        return array.array("h", file.readframes(file.getnframes()))


def write_wav(path, samples, channels=1):
    with wave.open(str(path), "wb") as file:
        file.setnchannels(channels)
        file.setsampwidth(2)
        file.setframerate(16000)
        file.writeframes(array.array("h", samples).tobytes())


class EndToEnd(unittest.TestCase):
    """Each class has a folder of its own, with the sample as talk.wav."""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        cls.wav = cls.folder / "talk.wav"
        cls.wav.write_bytes(SAMPLE.read_bytes())

    @classmethod
    def make_media(cls):
        """talk.mp3, .flac, .ogg and .m4a, film.mp4, silent.mkv."""
        subprocess.run([os.environ["WHINCHAT_MAKE_MEDIA"], SAMPLE, cls.folder], check=True)

    def assert_words(self, text):
        self.assertEqual(words(text), SAMPLE_WORDS)

    def assert_refused(self, result, status, pattern):
        """One sentence that matches, nothing on standard output."""
        self.assertEqual(result.out, "")
        self.assertEqual(len(result.complaints), 1, result.err)
        self.assertRegex(result.complaints[0], "^whinchat: " + pattern)
        self.assertEqual(result.status, status)
