"""The bad input table, recordings: each with its words, or one clear sentence; the others go on."""

import os
import re
import subprocess
import unittest
import zipfile

import bad_audio_rows as rows
import bad_container_rows as containers
from program import SAMPLE, SAMPLE_WORDS
from table import PROGRAM, SLACK_BYTES, Table, heard, measured
from wav_files import from_bytes

# A byte of sound is at most 16 samples at 16 kHz (8 bits, 1 kHz) of 4 bytes; twice while a vector
# grows, and as much again for the log-mel spectrogram and a decoder's own copy.
BYTES_PER_BYTE = 256


class Recordings(Table):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        tool = os.environ["WHINCHAT_MAKE_MEDIA"]
        subprocess.run([tool, SAMPLE, cls.folder, "zoo"], check=True)
        cls.media = {file.name: file.read_bytes() for file in cls.folder.iterdir()}
        cls.media["talk.wav"] = SAMPLE.read_bytes()
        with open(PROGRAM, "rb") as file:
            cls.media["program"] = file.read(20000)
        with zipfile.ZipFile(cls.folder / "zip.zip", "w") as archive:
            archive.writestr("talk.wav", cls.media["talk.wav"][:1000])
        cls.media["zip"] = (cls.folder / "zip.zip").read_bytes()
        cls.samples = from_bytes(cls.media["talk.wav"][44:])
        result, usage = cls.transcribe(["talk.wav"])
        cls.base_bytes = usage.peak_bytes
        assert heard(result.out) == SAMPLE_WORDS, "the base of every row: the sample itself"

    @classmethod
    def transcribe(cls, names, *options):
        # Greedy, which cuts in the middle of a word leave as it is.
        arguments = ["--model", "tiny.en", "--beam-size=1", *options, *names]
        return measured(*arguments, cwd=cls.folder, rows=len(names))

    def check(self, all_rows, *options):
        """Runs the rows in one call; each is looked at alone."""
        table, largest = [], 0
        for row in all_rows:
            (self.folder / row.name).write_bytes(row.content)
            largest = max(largest, len(row.content))
            row.content = b""
            table.append(row)
        result, usage = self.transcribe([row.name for row in table], *options)
        self.assert_ended(
            result,
            usage,
            any(row.words is None for row in table),
            self.base_bytes + SLACK_BYTES + BYTES_PER_BYTE * largest,
        )
        said = result.complaints
        for row in table:
            expected = row.sentence.split("\n") if row.sentence else []
            mine, said = said[: len(expected)], said[len(expected) :]
            with self.subTest(row.name):
                self.check_row(row, mine, expected, result.texts.get(row.name))
        self.assertEqual(said, [])
        self.count(len(table))

    def check_row(self, row, said, expected, text):
        for complaint, sentence in zip(said, expected):
            self.assert_one_sentence(complaint, sentence.replace("{name}", re.escape(row.name)))
        self.assertEqual(len(said), len(expected), said)
        if row.words is None:
            self.assertIsNone(text)
        elif row.least is None:
            self.assertRegex(heard(text), f"^{row.words}$")
        else:
            self.assertEqual(heard(text).split()[: row.least], row.words.split()[: row.least])

    def test_sample_formats(self):
        self.check(rows.wav_forms(self.samples))

    def test_layouts_of_headers(self):
        self.check(rows.wav_layouts(self.samples))

    def test_channels(self):
        self.check(rows.channels(self.samples))

    def test_one_of_two_opposed_channels(self):
        opposed = [row for row in rows.channels(self.samples) if row.name == "opposed.wav"]
        for row in opposed:
            row.words, row.sentence = SAMPLE_WORDS, ""
        self.check([*opposed, rows.Row("left.wav", self.media["talk.wav"])], "--channel", "1")

    def test_samples_that_are_none(self):
        self.check(rows.samples_that_are_none(self.samples))

    def test_lengths(self):
        self.check(rows.lengths(self.samples))

    def test_bad_headers(self):
        self.check(rows.bad_headers(self.samples))

    def test_other_kinds_of_files(self):
        self.check(rows.no_recordings(self.media))

    def test_names(self):
        self.check(rows.names(self.media))

    def test_containers_and_rates(self):
        self.check(containers.whole(self.media))

    def test_cuts(self):
        self.check(containers.cuts(self.media))

    def test_damages(self):
        self.check(containers.damages(self.media))

    def test_a_folder_and_a_missing_file(self):
        (self.folder / "folder").mkdir()
        result, _ = self.transcribe(["folder", "missing.wav", "talk.wav"])
        self.assertEqual(len(result.complaints), 2, result.err)
        empty = r"the folder folder has no audio or video file \(.* with --recursive\)"
        self.assert_one_sentence(result.complaints[0], empty)
        missing = r"cannot open missing\.wav: No such file or directory"
        self.assert_one_sentence(result.complaints[1], missing)
        self.assertEqual(heard(result.texts["talk.wav"]), SAMPLE_WORDS)
        self.assertEqual(result.status, 1)
        self.count(2)


if __name__ == "__main__":
    unittest.main()
