"""What the programs hear: the sample, a file of the user's, or ten minutes of known speech."""

import array
import dataclasses
import hashlib
import pathlib
import subprocess
import wave
from typing import Optional

from programs import Failure
from spoken_texts import VOICES, pieces, read_sentences

RATE = 16000
JFK = pathlib.Path(__file__).resolve().parent.parent.parent / "samples" / "jfk.wav"
JFK_WORDS = (
    "And so my fellow Americans, ask not what your country can do for you, "
    "ask what you can do for your country."
)
LONG_S = 600
LONG_VOICES = ("slt", "rms", "awb")  # flite's, which speak at 16 kHz
WORDS_PER_PIECE = 35
PAUSE = bytes(RATE)  # half a second of 16 bits
LONG_PAUSE = bytes(2 * RATE * 12)


@dataclasses.dataclass(frozen=True)
class Speech:
    name: str
    wav: pathlib.Path  # 16 kHz, mono, 16 bits
    pieces: Optional[tuple]  # the known text, in parts for judging by; None: unknown

    def samples(self):
        """f32 in −1 … 1."""
        frames = array.array("h", read_frames(self.wav))
        return array.array("f", (sample / 32768 for sample in frames))


def read_frames(path):
    try:
        with wave.open(str(path)) as file:
            form = (file.getframerate(), file.getnchannels(), 8 * file.getsampwidth())
            frames = file.readframes(file.getnframes())
    except (OSError, EOFError, wave.Error) as error:
        raise Failure(f"{path} cannot be read as a wav: {error}") from error
    if form != (RATE, 1, 16):
        raise Failure(
            f"{path}: expected {RATE} Hz, one channel, 16 bits, got {form[0]} Hz, {form[1]} "
            f"channels, {form[2]} bits: ffmpeg -i FILE -ar {RATE} -ac 1 NEW.wav makes one"
        )
    return frames


def of_file(path):
    """Its words: those of a .txt beside it, a piece a line; the sample's own; or unknown."""
    beside = path.with_suffix(".txt")
    known = None
    if beside.is_file():
        lines = beside.read_text(encoding="utf-8").splitlines()
        known = tuple(line for line in lines if line.strip())
    elif path.is_file() and sha256(path) == sha256(JFK):
        known = (JFK_WORDS,)
    return Speech(path.name, path, known)


def sha256(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def ten_minutes(folder, pause=PAUSE, most_words=None):
    """The sample, sentences that people read, then public-domain texts spoken by three voices in
    turn, with pauses, at most so many words at once: nothing comes twice, or a model would go round
    in circles. The same packages make the same file."""
    wav = folder / "ten-minutes.wav"
    clips = [(JFK, JFK_WORDS), *read_sentences()]
    sound = [read_frames(path) for path, _ in clips]
    known = [text for _, text in clips]
    for index, text in enumerate(pieces(WORDS_PER_PIECE)):
        if sum(map(len, sound)) + len(sound) * len(pause) >= 2 * RATE * LONG_S:
            break
        text = " ".join(text.split()[:most_words])
        sound.append(spoken(LONG_VOICES[index % len(LONG_VOICES)], text, folder))
        known.append(text)
    with wave.open(str(wav), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(RATE)
        file.writeframes(pause.join(sound))
    return Speech(f"ten minutes of speech, {sha256(wav)[:8]}", wav, tuple(known))


def spoken(voice, text, folder):
    source, wav = folder / "text.txt", folder / "spoken.wav"
    source.write_text(text, encoding="ascii")
    command = [str(word) for word in VOICES[voice](source, wav)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise Failure(f"{command[0]} spoke no text: {done.stderr.strip()}")
    return read_frames(wav)
