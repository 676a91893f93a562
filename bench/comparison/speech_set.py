"""Half an hour of speech whose words are known: public-domain texts spoken by free voices, read
sentences and the sample, clean and in noise. Made from Debian's packages (tools/debian.txt)."""

import dataclasses
import hashlib
import pathlib
import subprocess
import wave
from typing import Optional

import numpy as np
from programs import Failure
from spoken_texts import VOICES, pieces, read_sentences

RATE = 16000
SNRS_DB = (None, 20, 10, 5)
WORDS_PER_CLIP = 105  # some 45 s: more than a window
SEED = 20250625


@dataclasses.dataclass(frozen=True)
class Clip:
    wav: pathlib.Path
    text: str
    snr_db: Optional[int]  # below the speech; None: no noise added
    duration_s: float


def with_noise(samples, snr_db, seed):
    """White noise at that distance below the speech's power."""
    if snr_db is None:
        return samples
    noise = np.random.Generator(np.random.PCG64(seed)).standard_normal(len(samples))
    power = np.mean(samples.astype(np.float64) ** 2) / 10 ** (snr_db / 10)
    return samples + np.sqrt(power) * noise


def write_wav(path, samples):
    peak = max(1.0, float(np.max(np.abs(samples))) / 0.98)
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(RATE)
        file.writeframes(np.round(samples / peak * 32767).astype("<i2").tobytes())


class SpeechSet:
    """Makes the clips in `folder`. `decode_audio` is the build's: any file → f32 samples."""

    def __init__(self, folder, decode_audio):
        self._folder = folder
        self._decode_audio = decode_audio
        self.clips = []

    def make(self, minutes):
        self._folder.mkdir(parents=True, exist_ok=True)
        self._add_read_sentences()
        for index, text in enumerate(pieces(WORDS_PER_CLIP)):
            if sum(clip.duration_s for clip in self.clips) >= 60 * minutes:
                return self
            voice = list(VOICES)[index % len(VOICES)]
            snr_db = SNRS_DB[(index // len(VOICES) + index) % len(SNRS_DB)]
            self._add(f"{index:02}-{voice}", self._spoken(voice, text), text, snr_db)
        raise Failure(f"the texts are too short for {minutes} minutes of speech")

    def digest(self):
        """Of what every system hears."""
        hashed = hashlib.sha256()
        for clip in self.clips:
            hashed.update(clip.wav.read_bytes())
        return hashed.hexdigest()

    def _add_read_sentences(self):
        samples, words = [], []
        for wav, text in read_sentences():
            samples += [self._decoded(wav), np.zeros(RATE // 2)]
            words.append(text)
        for snr_db in SNRS_DB:
            self._add("librivox", np.concatenate(samples), ". ".join(words), snr_db)

    def _spoken(self, voice, text):
        source, wav = self._folder / "text.txt", self._folder / "spoken.wav"
        source.write_text(text, encoding="ascii")
        command = [str(word) for word in VOICES[voice](source, wav)]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            raise Failure(f"{command[0]} spoke no text: {done.stderr.strip()}")
        return self._decoded(wav)

    def _decoded(self, wav):
        raw = self._folder / "decoded.f32"
        done = subprocess.run(
            [str(self._decode_audio), str(wav), str(raw)], capture_output=True, text=True
        )
        if done.returncode != 0:
            raise Failure(f"{wav} cannot be read: {done.stderr.strip()}")
        return np.fromfile(raw, dtype=np.float32)

    def _add(self, name, samples, text, snr_db):
        path = self._folder / f"{name}-{'clean' if snr_db is None else f'{snr_db}dB'}.wav"
        write_wav(path, with_noise(samples, snr_db, SEED + len(self.clips)))
        self.clips.append(Clip(path, text, snr_db, len(samples) / RATE))
