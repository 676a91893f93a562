"""Other programs' options: their command lines run, or get a sentence that names the right one."""

import json
import unittest

from program import ROOT, EndToEnd, run, transcribe


class OtherPrograms(EndToEnd):
    def run_here(self, *arguments, **options):
        return run("transcribe", *arguments, cwd=self.folder, **options)

    def assert_written(self, result, name):
        self.assertEqual((result.status, result.out), (0, ""), result.err)
        self.assert_words((self.folder / name).read_text(encoding="utf-8"))

    def test_openai_whisper(self):
        result = self.run_here("talk.wav", "--model", "tiny.en", "--fp16", "False", "--language",
                               "English", "--output_dir", "out", "--output_format", "txt",
                               "--verbose", "False", "--beam_size", "None")  # fmt: skip
        self.assert_written(result, "out/talk.txt")
        self.assertEqual(result.complaints, [])

    def test_mlx_whisper_with_words_on_the_screen_too(self):
        result = self.run_here("-", "--model", "tiny.en", "--output-name", "content", "--verbose",
                               "True", input=self.wav.read_bytes())  # fmt: skip
        self.assert_words(result.out)
        self.assert_words((self.folder / "content.txt").read_text(encoding="utf-8"))
        self.assertEqual(result.status, 0)

    def test_whisper_ctranslate2(self):
        result = self.run_here("talk.wav", "--model", "tiny.en", "--compute_type", "int8",
                               "--batched", "True", "--vad_filter", "False")  # fmt: skip
        self.assert_words(result.out)
        self.assertEqual(len(result.complaints), 1, result.err)
        self.assertRegex(result.complaints[0], "^whinchat: --batched is left out: windows are")
        self.assertEqual(result.status, 0)

    def test_whisper_cpp(self):
        result = self.run_here("-m", "tiny.en", "-l", "auto", "-t", "2", "-nt", "-np", "-bs", "1",
                               "-otxt", "-f", "talk.wav")  # fmt: skip
        self.assert_written(result, "talk.wav.txt")
        self.assertEqual(result.err, "")

    def test_what_is_not_here_gets_a_sentence(self):
        for arguments, sentence in {
            ("talk.wav", "--vad_method", "pyannote"): "--vad-method: speech is found by Silero",
            ("--diarize", "talk.wav"): "--diarize: speakers .* --channel split$",
            ("talk.wav", "--outputdir", "x"): ".*did you mean --output-dir\\?$",
            ("talk.wav", "-f", "no.such"): "-f: expected a format or, .*; got no.such$",
            ("talk.wav", "--task", "trnslate"): ".*did you mean translate\\?$",
            ("talk.wav", "--temperature", "0,1", "--temperature-inc", "0.1"): ".*lists all",
        }.items():
            with self.subTest(arguments):
                self.assert_refused(self.run_here(*arguments), 2, sentence)
        self.assert_refused(run("trancribe", "talk.wav"), 2, ".*did you mean transcribe\\?$")
        result = run("talk.wav", cwd=self.folder)
        self.assert_refused(
            result, 2, "expected a command before .*: whinchat transcribe talk.wav$"
        )

    def test_the_page_about_them_is_the_table_itself(self):
        page = (ROOT / "docs" / "coming-from.md").read_text(encoding="utf-8")
        table = run("names").out
        self.assertGreater(len(table.splitlines()), 70)
        self.assertEqual(page[page.index("| there | here |") :], table)


class Fallback(EndToEnd):
    """One temperature is the first of openai-whisper's, unless they are listed or end there."""

    def temperature(self, *options):
        # Every text compresses better than 0.1: the last temperature's is kept.
        result = transcribe("-q", "-f", "json", "--compression_ratio_threshold", "0.1",
                            "--best-of=1", "--beam-size=1", *options, self.wav)  # fmt: skip
        self.assertEqual(result.status, 0, result.err)
        return json.loads(result.out)["segments"][0]["temperature"]

    def test_goes_on_to_one_in_steps_that_can_be_given(self):
        self.assertAlmostEqual(self.temperature("--temperature", "0.6"), 1.0)
        self.assertAlmostEqual(self.temperature("--temperature=0.6", "-tpi", "0.3"), 0.9)
        self.assertEqual(self.temperature("--temperature", "0.6", "-nf"), 0.6)


if __name__ == "__main__":
    unittest.main()
