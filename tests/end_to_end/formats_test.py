"""Words from every kind of file, and from standard input."""

import unittest

from program import ROOT, EndToEnd, transcribe

SHARED = ROOT.parent / "shared" / "audio"


class Formats(EndToEnd):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.make_media()

    def test_every_container_gives_the_words(self):
        names = ["talk.wav", "talk.mp3", "talk.flac", "talk.ogg", "talk.m4a", "film.mp4"]
        result = transcribe(*names, cwd=self.folder)
        self.assertEqual(list(result.texts), names)
        for name in names:
            with self.subTest(name):
                self.assert_words(result.texts[name])
        self.assertEqual(result.complaints, [])
        self.assertEqual(result.status, 0)

    def test_base_is_the_default_and_hears_the_language(self):
        result = transcribe("-f", "json", self.wav, model="base")
        self.assert_words(result.out.split('"text":"')[1].split('"')[0])
        self.assertIn('"language":"en"', result.out)
        self.assertEqual(result.status, 0)


class StandardInput(EndToEnd):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.make_media()

    def test_pipes_of_wav_mp3_and_flac_give_the_words(self):
        for name in ["talk.wav", "talk.mp3", "talk.flac"]:
            with self.subTest(name):
                result = transcribe("-", input=(self.folder / name).read_bytes())
                self.assert_words(result.out)
                self.assertRegex(result.err, r"^standard input: 11\.0 s in ")
                self.assertEqual(result.complaints, [])
                self.assertEqual(result.status, 0)

    def test_an_empty_pipe_is_refused(self):
        self.assert_refused(transcribe("-", input=b""), 1, "standard input is empty$")


class SharedRecordings(EndToEnd):
    """Real encoders' files, which stand beside the project on some machines."""

    def test_mp3_and_flac_from_elsewhere_give_the_words(self):
        names = ["jfk.mp3", "jfk.flac"]
        missing = [name for name in names if not (SHARED / name).exists()]
        if missing:
            self.skipTest(f"no {' and no '.join(missing)} in ../shared/audio")
        result = transcribe(*names, cwd=SHARED)
        for name in names:
            with self.subTest(name):
                self.assert_words(result.texts[name])
        self.assertEqual(result.complaints, [])
        self.assertEqual(result.status, 0)


if __name__ == "__main__":
    unittest.main()
