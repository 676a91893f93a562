"""Formats of transcripts: subtitles, tables, several at once."""

import json
import os
import re
import unittest

from program import EndToEnd, transcribe, words, write_wav

QUICK = ["-q", "--beam-size", "1", "--temperature", "0"]
NAMES = ["csv", "json", "lrc", "srt", "tsv", "txt", "vtt"]


class Documents(EndToEnd):
    def test_every_format_at_once_goes_into_a_folder(self):
        result = transcribe(*QUICK, "-f", "all,LRC", "-f", "csv", "-o", "all", "talk.wav",
                            cwd=self.folder)  # fmt: skip
        self.assertEqual((result.status, result.out, result.err), (0, "", ""))
        folder = self.folder / "all"
        self.assertEqual(sorted(path.name for path in folder.iterdir()),
                         ["talk." + name for name in NAMES])  # fmt: skip
        for name in NAMES:
            with self.subTest(name):
                text = (folder / ("talk." + name)).read_text(encoding="utf-8")
                self.assertIn("what your country can do for you", text)
        self.assertTrue((folder / "talk.srt").read_text().startswith("1\n00:00:0"))
        self.assertRegex((folder / "talk.vtt").read_text(), r"^WEBVTT\n\n00:\d\d\.\d\d\d --> 00:")

    def test_subtitles_are_shaped_by_words_that_nobody_asked_for(self):
        result = transcribe(*QUICK, "-f", "srt", "--max_line_width", "20", "--max_line_count", "2",
                            self.wav)  # fmt: skip
        self.assertEqual(result.status, 0)
        cues = result.out.rstrip("\n").split("\n\n")
        self.assertGreater(len(cues), 2)
        said = []
        for number, cue in enumerate(cues, 1):
            index, times, *lines = cue.split("\n")
            self.assertEqual(index, str(number))
            self.assertRegex(times, r"^00:00:\d\d,\d{3} --> 00:00:\d\d,\d{3}$")
            self.assertIn(len(lines), (1, 2))
            self.assertLessEqual(max(map(len, lines)), 20)
            said += lines
        self.assert_words(" ".join(said))

    def test_a_word_is_underlined_while_it_is_said(self):
        result = transcribe(*QUICK, "-f", "vtt", "--highlight_words", "True", self.wav)
        self.assert_words(" ".join(re.findall("<u>(.*?)</u>", result.out)))

    def test_without_speech_a_document_is_whole(self):
        write_wav(self.folder / "silence.wav", [0] * 16000)
        result = transcribe(*QUICK, "-f", "all", "-o", "none", "silence.wav", cwd=self.folder)
        self.assertEqual(result.status, 0)
        texts = {
            path.suffix: path.read_text(encoding="utf-8")
            for path in (self.folder / "none").iterdir()
        }
        document = json.loads(texts.pop(".json"))
        self.assertEqual((document["text"], document["segments"]), ("", []))
        expected = {".txt": "", ".srt": "", ".vtt": "WEBVTT\n\n", ".tsv": "start\tend\ttext\n"}
        self.assertEqual(texts, expected)

    def test_json_of_several_files_is_a_line_each_with_its_name(self):
        write_wav(self.folder / "silence.wav", [0] * 16000)
        result = transcribe(*QUICK, "-f", "json", "talk.wav", "silence.wav", cwd=self.folder)
        documents = [json.loads(line) for line in result.out.splitlines()]
        self.assertEqual([each["file"] for each in documents], ["talk.wav", "silence.wav"])
        self.assertEqual(words(documents[1]["text"]), "")

    def test_full_json_tells_the_tokens_and_what_it_was_made_with(self):
        result = transcribe(*QUICK, "-f", "json-full", "talk.wav", cwd=self.folder)
        document = json.loads(result.out)
        self.assertEqual(document["file"], "talk.wav")
        self.assertEqual(document["options"]["model"], "tiny.en")
        self.assertEqual(document["options"]["beam-size"], "1")
        for segment in document["segments"]:
            details = segment["token_details"]
            self.assertEqual([token["id"] for token in details], segment["tokens"])
            self.assertEqual("".join(token["text"] for token in details), segment["text"])
            self.assertTrue(all(0 < token["probability"] <= 1 for token in details))

    def test_colors_are_for_terminals(self):
        plain = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
        forced = {**plain, "CLICOLOR_FORCE": "1"}
        runs = [(plain, 0), (forced, 1), ({**forced, "NO_COLOR": "1"}, 0)]
        for environment, expected in runs:
            result = transcribe(*QUICK, "--print-colors", self.wav, env=environment)
            self.assertEqual("\x1b[38;5;" in result.out, bool(expected))
            self.assert_words(re.sub(r"\x1b\[[0-9;]*m", "", result.out))

    def test_what_means_nothing_is_refused(self):
        table = {
            ("--print-colors", "-f", "json"): "print-colors: expected text on standard output",
            ("-f", "json,json-full", "-o", "x"): "json-full has all that json has",
            ("-f", "srt,vtt"): "several formats are written into files: expected --output-dir",
            ("-f", "tsv", self.wav): "tsv of 2 inputs is written into files: expected --output-dir",
            ("-f", "srtt"): "--output-format: expected txt, .* or all, got srtt",
            ("--max-line-width", "20"): "max-line-width: expected -f srt or -f vtt with it",
            ("-f", "json", "--split-at", "sentence"): "split-at: expected -f srt or -f vtt with it",
            ("-f", "srt", "--max-line-width", "0"): "max-line-width: expected 1 or more, got 0",
            ("-f", "srt", "--max-line-count", "2"): "max-line-count: expected max-line-width",
            ("-f", "srt", "--highlight-words", "--word-timestamps", "False"): ".* made of words",
        }
        for arguments, sentence in table.items():
            with self.subTest(arguments):
                self.assert_refused(transcribe(self.wav, *arguments), 2, sentence)


if __name__ == "__main__":
    unittest.main()
