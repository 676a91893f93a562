#!/usr/bin/env python3
"""./dev prove hours [MINUTES]: long recordings, by the built program (base, greedy).

Two hours with a piece of known text in every minute, spoken by free voices: every piece is there
once, in its minute, its first and last words where it begins and ends; no more word errors than
without VAD. Ten minutes of it and ten hours with some speech: how much memory each takes. Then an
hour each of zeros, noise and a tone: no words. Writes docs/proofs/hours.md; status 1 where
something does not hold. MINUTES: of the first recording; the record says so.
"""

import array
import datetime
import json
import math
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
import wave

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "bench/comparison"))

from machine import processor  # noqa: E402
from spoken_texts import SENTENCES, TEXTS, VOICES, pieces, read_sentences  # noqa: E402
from words import word_errors, words_of  # noqa: E402

BIN = ROOT / "build/release/bin"
RATE = 16000
WORDS_PER_PIECE = 45
MOST_APART_S = 0.3  # a piece's first and last words from where its sound begins and ends
MOST_MEMORY = 1.1  # of the longer recording's, in the shorter one's
HOUR_S = 3600


def decoded(wav, folder):
    """16 kHz mono samples, 16 bits."""
    raw = folder / "decoded.f32"
    subprocess.run([BIN / "decode_audio", wav, raw], check=True, capture_output=True)
    floats = array.array("f")
    floats.frombytes(raw.read_bytes())
    peak = max(1.0, max(map(abs, floats)))
    return array.array("h", (round(32767 * x / peak) for x in floats))


def spoken(folder):
    """(text, samples) of each piece, without an end: the texts are spoken again by other voices."""
    for wav, text in read_sentences():
        yield text, decoded(wav, folder)
    source, wav = folder / "text.txt", folder / "spoken.wav"
    for turn in range(len(VOICES)):
        for index, text in enumerate(pieces(WORDS_PER_PIECE)):
            voice = list(VOICES)[(index + turn) % len(VOICES)]
            source.write_text(text, encoding="ascii")
            subprocess.run([str(w) for w in VOICES[voice](source, wav)], check=True)
            yield text, decoded(wav, folder)


def sounding(samples):
    """Where its sound begins and ends, in seconds: the first and last 20 ms of at least a twentieth
    of the loudest ones' amplitude."""
    size = RATE // 50
    frames = [samples[i : i + size] for i in range(0, len(samples), size)]
    levels = [math.sqrt(sum(x * x for x in frame) / len(frame)) for frame in frames]
    loud = [i for i, level in enumerate(levels) if level > max(levels) / 20]
    return loud[0] / 50, (loud[-1] + 1) / 50


class Recording:
    """A WAV file that grows, on a noise floor of 60 dB below full scale every other minute."""

    def __init__(self, path):
        self.path = path
        self._wave = wave.open(str(path), "wb")
        self._wave.setparams((1, 2, RATE, 0, "NONE", ""))
        draw = random.Random(7)
        self._noise = array.array("h", (draw.randint(-32, 32) for _ in range(RATE)))
        self._zeros = array.array("h", bytes(2 * RATE))
        self.samples = 0

    def add(self, samples):
        self._wave.writeframesraw(samples.tobytes())
        self.samples += len(samples)

    def rest_until(self, end_s):
        while self.samples < round(end_s * RATE):
            second = self._noise if self.samples // (60 * RATE) % 2 else self._zeros
            self.add(second[: round(end_s * RATE) - self.samples])

    def close(self):
        self._wave.close()


def make_speech(path, minutes, every, folder):
    """A piece somewhere in every so many minutes: (text, begin_s, end_s) of each, and the file."""
    recording, placed, draw = Recording(path), [], random.Random(1)
    texts = spoken(folder)
    for minute in range(0, minutes, every):
        text, samples = next(texts)
        room = max(0.0, 55 - len(samples) / RATE)
        begin = 60 * minute + draw.uniform(1, 1 + room)
        recording.rest_until(begin)
        begin = recording.samples / RATE
        recording.add(samples)
        first, last = sounding(samples)
        placed.append((text, begin + first, begin + last))
    recording.rest_until(60 * minutes)
    recording.close()
    return placed


def transcribed(path, *options, has_words=True):
    """(result, seconds, peak in MiB) of one run of the program."""
    command = [BIN / "whinchat", "transcribe", path, "--model", "base", "--language", "en"]
    command += ["--beam-size", "1", "--output-format", "json", "--quiet"]
    command += ["--word-timestamps"] if has_words else []
    began = time.monotonic()
    with tempfile.TemporaryFile() as out:
        process = subprocess.Popen([*command, *options], stdout=out)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            raise SystemExit(f"prove hours: whinchat ended with status {process.returncode}")
        out.seek(0)
        return json.load(out), time.monotonic() - began, usage.ru_maxrss / 1024


def words_in(result, begin_s, end_s):
    words = (word for segment in result["segments"] for word in segment["words"])
    return [word for word in words if begin_s <= word["start"] < end_s]


def errors_of(result, placed):
    """Word errors in all: each piece against what was heard from its minute on to the next's."""
    errors = 0
    for text, begin_s, end_s in placed:
        heard = words_in(result, begin_s - 1, end_s + 1)
        errors += word_errors(text, "".join(word["word"] for word in heard))
    everything = words_in(result, 0, float("inf"))
    inside = sum(len(words_in(result, b - 1, e + 1)) for _, b, e in placed)
    return errors + len(everything) - inside


def check_pieces(result, placed):
    """What does not hold, a line each; the greatest distances of first and last words."""
    wrong, first_s, last_s = [], 0.0, 0.0
    for text, begin_s, end_s in placed:
        heard = words_in(result, begin_s - 1, end_s + 1)
        known, at = words_of(text), f"{begin_s / 60:.1f} min"
        if word_errors(text, "".join(word["word"] for word in heard)) > len(known) / 2:
            wrong.append(f"{at}: not heard: {text[:60]}")
            continue
        # Where a word was misheard, so was its time.
        first, last = heard[0], heard[-1]
        if words_of(first["word"])[:1] == known[:1]:
            first_s = max(first_s, abs(first["start"] - begin_s))
        if words_of(last["word"])[-1:] == known[-1:]:
            last_s = max(last_s, abs(last["end"] - end_s))
    for what, apart in (("first", first_s), ("last", last_s)):
        if apart > MOST_APART_S:
            wrong.append(f"a piece's {what} word is {apart:.2f} s from where it is")
    return wrong, first_s, last_s


def wordless(folder):
    """An hour each of what nobody says: its name and its words."""
    draw = random.Random(3)
    noise = array.array("h", (draw.randint(-9000, 9000) for _ in range(10 * RATE)))
    tone = array.array("h", (16000 if i // 18 % 2 else -16000 for i in range(RATE)))
    for name, second in (("zeros", array.array("h", bytes(2 * RATE))), ("noise", noise),
                         ("a tone", tone)):  # fmt: skip
        path = folder / "wordless.wav"
        recording = Recording(path)
        while recording.samples < HOUR_S * RATE:
            recording.add(second)
        recording.close()
        result, seconds, _ = transcribed(path)
        yield name, result["text"], seconds


def set_up():
    subprocess.run([ROOT / "dev", "--yes", "build"], check=True)
    missing = [name for name in ("flite", "espeak-ng") if not shutil.which(name)]
    missing += [str(path) for path in (*TEXTS, SENTENCES) if not path.exists()]
    if missing:
        sys.exit(f"prove hours: expected what ./dev bench wer sets up, but {missing[0]} is missing")


def main():
    set_up()
    minutes = int(sys.argv[1]) if len(sys.argv) > 1 else 120
    rows, wrong = [], []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        path = folder / "speech.wav"
        placed = make_speech(path, minutes, 1, folder)
        result, seconds, _ = transcribed(path)
        lost, first_s, last_s = check_pieces(result, placed)
        wrong += lost
        errors, known = errors_of(result, placed), sum(len(words_of(p[0])) for p in placed)
        plain, plain_seconds, _ = transcribed(path, "--no-vad")
        _, _, peak = transcribed(path, has_words=False)
        plain_errors = errors_of(plain, placed)
        if errors > plain_errors:
            wrong.append(f"{errors} word errors, {plain_errors} without VAD")
        rows.append(f"{minutes} minutes, {len(placed)} pieces of text: {seconds:.0f} s, "
                    f"{60 * minutes / seconds:.0f}x real time; {errors} of {known} words wrong, "
                    f"{plain_errors} without VAD ({plain_seconds:.0f} s); first words at most "
                    f"{first_s:.2f} s, last ones {last_s:.2f} s from where they are")  # fmt: skip
        short = folder / "short.wav"
        make_speech(short, 10, 1, folder)
        _, _, short_peak = transcribed(short, has_words=False)
        make_speech(path, 600, 10, folder)
        _, hours_seconds, hours_peak = transcribed(path, has_words=False)
        rows.append(
            f"peak memory, without word times: {short_peak:.0f} MiB of 10 minutes, {peak:.0f} of "
            f"{minutes}, {hours_peak:.0f} of 10 hours ({hours_seconds:.0f} s)"
        )
        for of, megabytes in ((f"{minutes} minutes", peak), ("10 hours", hours_peak)):
            if megabytes > MOST_MEMORY * short_peak:
                wrong.append(f"{of} take {megabytes:.0f} MiB, 10 minutes {short_peak:.0f}")
        for what, words, its_seconds in wordless(folder):
            rows.append(f"an hour of {what}: {words.strip() or 'no words'} ({its_seconds:.0f} s)")
            if re.search(r"\w", words):
                wrong.append(f"an hour of {what} has words")
    verdict = f"{len(wrong)} things do not hold" if wrong else "holds"
    lines = [
        "# Hours", "",
        f"{datetime.date.today()}, {processor()}, `./dev prove hours`: {verdict}. base, greedy, "
        "English, word times.", "",
        *(f"- {row}" for row in rows), *(f"- **{each}**" for each in wrong), "",
    ]  # fmt: skip
    (ROOT / "docs/proofs/hours.md").write_text("\n".join(lines), encoding="utf-8")
    print("\n".join(lines))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
