"""Options: what is right is served, what is wrong gets a sentence and status 2."""

import os
import random
import shutil
import unittest

from program import SAMPLE_WORDS, EndToEnd, read_wav, run, transcribe, words, write_wav


class Usage(EndToEnd):
    def test_version_names_what_the_program_runs_on(self):
        result = run("--version")
        self.assertRegex(
            result.out,
            r"^whinchat \d+\.\d+\.\d+\nMLX 0\.32\.4\n"
            r"BLAS OpenBLAS \d[^\n]* \(/[^\n]*openblas[^\n]*\)\n"
            r"instruction set (portable|sse4|avx2|avx512|avx512_vnni|avx512_bf16|amx)\n$",
        )
        self.assertEqual((result.status, result.err), (0, ""))

    def test_help_names_every_option_within_80_columns(self):
        result = run("--help")
        self.assertIn("transcribe", result.out)
        self.assertEqual((result.status, result.err), (0, ""))
        result = run("transcribe", "--help")
        for option in ["--model", "--language", "--task", "--output-format", "--output-dir",
                       "--channel", "--quiet", "--faithful", "--compute", "--profile"]:  # fmt: skip
            self.assertIn(option, result.out)
        self.assertLessEqual(max(map(len, result.out.splitlines())), 80)
        self.assertEqual((result.status, result.err), (0, ""))

    def test_wrong_usage_is_a_sentence_and_status_2(self):
        wrong = {
            ("sing",): "sing",
            ("transcribe",): "FILE",
            ("transcribe", "a.wav", "--sing"): "--sing",
            ("transcribe", "a.wav", "--task", "sing"): "transcribe or translate, got sing",
            ("transcribe", "a.wav", "-f", "doc"): "or all, got doc",
            ("transcribe", "a.wav", "--compute", "f8"): "auto, f32, bf16, f16 or int8, got f8",
            ("transcribe", "a.wav", "--device", "tpu"): "auto, cpu or gpu, got tpu",
            ("transcribe", "a.wav", "--channel", "left"): "--channel",
            ("transcribe", "a.wav", "--threads", "-1"): "--threads",
            ("transcribe", "a.wav", "--model"): "--model",
        }
        for arguments, named in wrong.items():
            with self.subTest(arguments):
                self.assert_refused(run(*arguments), 2, ".*" + named)
        self.assertEqual(run().status, 2)

    def test_what_a_path_cannot_compute_is_refused(self):
        refused = {
            ("--device", "cpu", "--compute", "f16"): "f32, bf16 or int8, got f16",
            ("--faithful", "--compute", "bf16"): "f32 or f16, got bf16",
            ("--faithful", "--compute", "int8"): "f32 or f16, got int8",
            ("--faithful", "--profile", "trace.json"): "faithful path has none",
        }
        for arguments, named in refused.items():
            with self.subTest(arguments):
                self.assert_refused(transcribe("a.wav", *arguments), 2, ".*" + named)

    def test_an_instruction_set_that_is_none_is_refused(self):
        environment = {**os.environ, "WHINCHAT_MAX_ISA": "avx3"}
        result = transcribe("a.wav", env=environment)
        self.assert_refused(result, 2, ".*WHINCHAT_MAX_ISA: expected portable, .*, got avx3")

    def test_a_gpu_is_used_or_refused_and_auto_does_without(self):
        result = transcribe("--device", "gpu", self.wav)
        if result.status == 0:
            self.assert_words(result.out)
        else:
            self.assert_refused(result, 1, "expected a GPU, got none: ")
        for device in ["auto", "cpu"]:
            result = transcribe("--device", device, self.wav)
            self.assert_words(result.out)
            self.assertEqual(result.status, 0)

    def test_a_language_that_is_none_brings_a_suggestion(self):
        result = transcribe("a.wav", "--language", "Germen")
        self.assert_refused(result, 2, r'.*"germen"; did you mean german\?$')

    def test_an_english_model_speaks_no_other_language(self):
        result = transcribe("a.wav", "--language", "German")
        self.assert_refused(result, 2, ".*English-only.*German$")
        result = transcribe("a.wav", "--task", "translate")
        self.assert_refused(result, 2, ".*English-only.*cannot translate$")

    def test_an_unknown_model_names_those_there(self):
        result = transcribe("a.wav", model="no-such-model")
        self.assert_refused(result, 1, r"the model no-such-model .*; .*\btiny\.en\b")


class Channels(EndToEnd):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        noise = random.Random(0)
        frames = ((noise.randint(-30000, 30000), sample) for sample in read_wav(cls.wav))
        write_wav(cls.folder / "stereo.wav", (value for frame in frames for value in frame), 2)

    def test_the_second_channel_alone_has_the_words(self):
        result = transcribe("--channel", 2, "stereo.wav", cwd=self.folder)
        self.assert_words(result.out)
        self.assertEqual(result.status, 0)
        # Noise on the first channel hides them otherwise.
        self.assertNotEqual(words(transcribe("stereo.wav", cwd=self.folder).out), SAMPLE_WORDS)

    def test_a_channel_that_is_not_there_is_refused(self):
        result = transcribe("--channel", 3, "stereo.wav", cwd=self.folder)
        self.assert_refused(result, 1, r"stereo\.wav has 2 channels, so there is no channel 3$")
        result = transcribe("--channel", 0, "stereo.wav", cwd=self.folder)
        self.assert_refused(result, 2, r"--channel: channels are counted from 1, got 0$")


class Names(EndToEnd):
    def test_file_names_of_every_kind_are_heard_and_underscores_are_dashes(self):
        names = ["two  words.wav", "Grüße 日本.wav", "--output_dir=x.wav"]
        for name in names:
            shutil.copy(self.wav, self.folder / name)
        result = transcribe("--output_format=txt", "--", *names, cwd=self.folder)
        self.assertEqual(list(result.texts), names)
        for name in names:
            self.assert_words(result.texts[name])
        self.assertEqual(result.complaints, [])
        self.assertEqual(result.status, 0)

    def test_a_name_that_is_no_utf8_is_shown_readably(self):
        name = b"caf\xe9\x1b[2J\n.wav".decode(errors="surrogateescape")
        result = transcribe(name, cwd=self.folder)
        self.assertEqual(len(result.err.splitlines()), 1)
        self.assertNotIn("\x1b", result.err)
        self.assertIn("No such file", result.err)
        self.assertEqual(result.status, 1)


if __name__ == "__main__":
    unittest.main()
