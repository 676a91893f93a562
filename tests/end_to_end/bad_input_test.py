"""What is no recording, or half of one: one clear sentence each, and the others go on."""

import unittest

from program import SAMPLE_WORDS, EndToEnd, transcribe, words

# name → the sentence about it
REFUSED = {
    "empty.wav": r"empty\.wav is empty$",
    "notes.txt": r"notes\.txt is no recording: its content is of no known audio or video format$",
    "folder": r"cannot read folder: it is a directory$",
    "missing.wav": r"cannot open missing\.wav: No such file or directory$",
    "header.wav": r"header\.wav is a WAV file without a single sample of sound$",
    "silent.mkv": r"silent\.mkv \(Matroska.*\) holds no sound, only pictures$",
}


class BadInput(EndToEnd):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.make_media()
        recording = cls.wav.read_bytes()
        header = recording[: recording.index(b"data") + 4] + bytes(4)
        (cls.folder / "empty.wav").touch()
        (cls.folder / "notes.txt").write_text("Words, but none that were spoken.\n" * 20)
        (cls.folder / "folder").mkdir()
        (cls.folder / "header.wav").write_bytes(header)

    def test_each_alone_is_refused_with_one_sentence(self):
        for name, sentence in REFUSED.items():
            with self.subTest(name):
                self.assert_refused(transcribe(name, cwd=self.folder), 1, sentence)

    def test_a_good_file_among_bad_ones_is_transcribed(self):
        names = [*REFUSED, "talk.wav"]
        result = transcribe(*names, cwd=self.folder)
        self.assertEqual(list(result.texts), ["talk.wav"])
        self.assert_words(result.texts["talk.wav"])
        self.assertEqual(len(result.complaints), len(REFUSED), result.err)
        for complaint, sentence in zip(result.complaints, REFUSED.values()):
            self.assertRegex(complaint, "^whinchat: " + sentence)
        self.assertEqual(result.status, 1)

    def test_what_is_left_of_a_cut_file_is_transcribed_and_the_cut_is_said(self):
        cut = ["cut.wav", "cut.mp3", "cut.flac"]
        for name in cut:
            whole = (self.folder / name.replace("cut", "talk")).read_bytes()
            (self.folder / name).write_bytes(whole[: len(whole) * 7 // 10])
        result = transcribe(*cut, cwd=self.folder)
        for name, complaint in zip(cut, result.complaints):
            with self.subTest(name):
                # The last word may be half a word.
                heard = words(result.texts[name]).split()[:-1]
                self.assertGreaterEqual(len(heard), 12)
                self.assertEqual(heard, SAMPLE_WORDS.split()[: len(heard)])
                warning = r"warning: the file ends early: [78]\.\d s of 11\.[01] s decoded$"
                self.assertRegex(complaint, f"^whinchat: {name}: {warning}")
        self.assertEqual(len(result.complaints), len(cut), result.err)
        self.assertEqual(result.status, 0)


if __name__ == "__main__":
    unittest.main()
