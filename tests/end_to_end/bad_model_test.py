"""The bad input table, models: folders with one thing wrong, each refused with one sentence."""

import os
import pathlib
import re
import shutil
import unittest

import bad_model_rows as rows
import bad_single_file_rows
import bad_weight_rows
from program import SAMPLE_WORDS
from table import MIB, SLACK_BYTES, Table, heard, measured

MODELS = pathlib.Path(os.environ["WHINCHAT_CACHE"]) / "models"
# A weight of 2 bytes lies mapped, as f32 in panels, and once more while it is packed; JSON takes
# more for each byte, and no JSON of a good model is large.
BYTES_PER_WEIGHT_BYTE = 5
BYTES_PER_JSON_BYTE = 40


class Models(Table):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.small = rows.Families()
        result, usage = cls.transcribe(cls.folder)
        assert result.status == 1, "an empty folder is no model"
        cls.base_bytes = usage.peak_bytes

    @classmethod
    def transcribe(cls, folder, *options):
        return measured("--model", folder, *options, "talk.wav", cwd=cls.folder)

    def run_row(self, row, *options):
        """Its result, its folder's name, and the most memory that its files justify."""
        folder = self.folder / row.name
        folder.mkdir()
        for name, content in row.files.items():
            if isinstance(content, bytes):
                (folder / name).write_bytes(content)
            else:
                (folder / name).symlink_to(content)
        justified = self.base_bytes + SLACK_BYTES
        for file in folder.iterdir():
            factor = BYTES_PER_JSON_BYTE if file.suffix == ".json" else BYTES_PER_WEIGHT_BYTE
            justified += factor * file.stat().st_size
        result, usage = self.transcribe(row.name, *options)
        shutil.rmtree(folder)
        self.count(1)
        return result, usage, justified

    def check_refused(self, row, *options):
        with self.subTest(row.name):
            result, usage, justified = self.run_row(row, *options)
            self.assert_ended(result, usage, 1, justified)
            self.assertEqual(result.out, "")
            self.assertEqual(len(result.complaints), 1, result.err)
            sentence = row.sentence.replace("{folder}", re.escape(row.name))
            self.assert_one_sentence(result.complaints[0], sentence)

    def check_good(self, row, is_random=False):
        result, usage, justified = self.run_row(row)
        # What transcribing takes by itself, whatever the model: the window's features and caches.
        self.assert_ended(result, usage, 0, justified + 64 * MIB)
        # Random weights seldom end a text.
        cut = "warning: the text of 1 window was cut" if is_random else None
        self.assertEqual([said for said in result.complaints if not cut or cut not in said], [])
        return heard(result.out)

    def test_the_base_of_the_rows_is_good(self):
        """All families hold the same model, so they must say the same."""
        texts = {
            row.name: self.check_good(row, True)
            for row in [*rows.good(self.small), *bad_single_file_rows.good(self.small)]
        }
        del texts["nan_weights"]  # no words, but an end
        self.assertEqual(len(set(texts.values())), 1, texts)
        self.assertGreater(len(texts["ct2"]), 0)

    def test_tiny_en_with_a_part_changed(self):
        for row in rows.real_folders(MODELS / "tiny.en"):
            if row.sentence:
                self.check_refused(row)
            else:
                with self.subTest(row.name):
                    self.assertEqual(self.check_good(row), SAMPLE_WORDS)

    def test_tokenizers(self):
        for row in rows.tokenizers(self.small, MODELS / "tiny.en", MODELS / "base"):
            self.check_refused(row)

    def test_the_faithful_path_allocates_no_terabyte_either(self):
        [row] = [r for r in rows.config_claims(self.small) if r.name == "claims_a_terabyte"]
        self.check_refused(row, "--faithful")


def add_test(make):
    def test(self):
        for row in make(self.small):
            self.check_refused(row)

    setattr(Models, f"test_{make.__name__}", test)


for made in [*rows.REFUSED, *bad_weight_rows.REFUSED, *bad_single_file_rows.REFUSED]:
    add_test(made)

if __name__ == "__main__":
    unittest.main()
