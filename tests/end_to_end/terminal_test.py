"""A narrow terminal: progress keeps to its line, words appear early, no scrap is left."""

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import termios
import time
import unittest

from program import PATIENCE_S, PROGRAM, SAMPLE_WORDS, EndToEnd, read_wav, words, write_wav

COLUMNS = 40


class Screen:
    """What a terminal of COLUMNS shows after line feeds, returns and "erase to the right"."""

    def __init__(self, text):
        self.lines = [""]
        self.wraps = 0  # lines that the terminal broke by itself
        self.column = 0
        for control, character in re.findall(r"(\x1b\[K|[\r\n])|(.)", text):
            if control == "\r":
                self.column = 0
            elif control == "\n":
                self.lines.append("")
                self.column = 0
            elif control:
                self.lines[-1] = self.lines[-1][: self.column]
            else:
                self.put(character)

    def put(self, character):
        if self.column == COLUMNS:
            self.lines.append("")
            self.column = 0
            self.wraps += 1
        line = self.lines[-1].ljust(self.column)
        self.lines[-1] = line[: self.column] + character + line[self.column + 1 :]
        self.column += 1


class Terminal(EndToEnd):
    def on_terminal(self, *arguments):
        """Runs on a terminal; its bytes with the second each came, and the status."""
        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, COLUMNS, 0, 0))
        process = subprocess.Popen(
            [PROGRAM, "transcribe", "--model", *arguments],
            stdin=subprocess.DEVNULL,
            stdout=theirs,
            stderr=theirs,
            cwd=self.folder,
        )
        os.close(theirs)
        pieces = []
        begin_s = time.monotonic()
        try:
            while select.select([ours], [], [], PATIENCE_S)[0]:
                pieces.append((time.monotonic() - begin_s, os.read(ours, 65536)))
        except OSError:
            pass  # the other end was closed
        os.close(ours)
        status = process.wait(PATIENCE_S)
        return pieces, status

    def test_words_appear_early_and_progress_keeps_to_its_line(self):
        name = "Überaus längliche Aufnahme, 日本語, zweiter Teil.wav"
        write_wav(self.folder / name, read_wav(self.wav) * 3)
        pieces, status = self.on_terminal("tiny.en", "--no-fallback", name)
        # Strict: no character is torn.
        output = b"".join(piece for _, piece in pieces).decode()
        self.assertEqual(status, 0)

        shown = re.split(r"\r\n|\r|\x1b\[K", output)
        self.assertIn("loading the model tiny.en …", shown)
        moving = [line for line in shown if " of 0:33, " in line]
        self.assertGreaterEqual(len(moving), 1)
        self.assertRegex(moving[0], r"^0:\d\d of 0:33, 0:\d\d left, \d+\.\dx: ")
        for line in moving:
            # Wide characters take two columns.
            self.assertLess(sum(2 if ord(c) >= 0x1100 else 1 for c in line), COLUMNS)
        first_words_s = next(when for when, piece in pieces if b"fellow" in piece)
        self.assertLess(first_words_s, pieces[-1][0])

        screen = Screen(output.replace("\r\n", "\n"))
        *transcript, speed, rest = self.joined(screen)
        self.assertEqual(rest, "")
        self.assertTrue(words(" ".join(transcript)).startswith(SAMPLE_WORDS))
        self.assertNotIn("…", "".join(transcript))
        self.assertRegex(speed, r"zweiter Teil\.wav: 33\.0 s in \d+\.\d s, \d+\.\dx real time$")

    def joined(self, screen):
        """The screen's lines, those that the terminal broke put together again."""
        lines = [""]
        for line in screen.lines:
            lines[-1] += line
            if len(line) < COLUMNS:
                lines.append("")
        return lines[:-1]

    def test_an_error_stands_on_a_line_of_its_own(self):
        pieces, status = self.on_terminal("tiny.en", "--language", "German", "talk.wav")
        output = b"".join(piece for _, piece in pieces).decode()
        *sentence, rest = self.joined(Screen(output.replace("\r\n", "\n")))
        self.assertEqual(rest, "")
        self.assertEqual(len(sentence), 1)
        self.assertRegex(sentence[0], "^whinchat: .*German$")
        self.assertEqual(status, 2)


if __name__ == "__main__":
    unittest.main()
