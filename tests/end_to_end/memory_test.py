"""A long recording takes the memory of a short one."""

import os
import subprocess
import unittest
import wave

from program import PROGRAM, SAMPLE, SAMPLE_WORDS, EndToEnd, read_wav, words

RATE = 16000
MOST_RATIO = 1.1


class Memory(EndToEnd):
    def recording(self, minutes):
        """The sample every ten minutes, and silence."""
        path = self.folder / f"{minutes}.wav"
        speech = read_wav(SAMPLE).tobytes()
        with wave.open(str(path), "wb") as file:
            file.setparams((1, 2, RATE, 0, "NONE", ""))
            for _ in range(minutes // 10):
                file.writeframesraw(speech + bytes(2 * 600 * RATE - len(speech)))
        return path

    def peak_mib(self, path, *options):
        command = [PROGRAM, "transcribe", path, "--model", "tiny.en", "--beam-size=1", "-q"]
        process = subprocess.Popen([*command, *options], stdout=subprocess.PIPE)
        text = process.stdout.read().decode()
        process.stdout.close()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        self.assertEqual(process.returncode, 0)
        return text, usage.ru_maxrss / 1024

    def test_of_an_hour_is_that_of_ten_minutes(self):
        text, short = self.peak_mib(self.recording(10))
        self.assertEqual(words(text), SAMPLE_WORDS)
        text, long = self.peak_mib(self.recording(60))
        self.assertEqual(words(text), " ".join([SAMPLE_WORDS] * 6))
        self.assertLess(long, MOST_RATIO * short)


if __name__ == "__main__":
    unittest.main()
