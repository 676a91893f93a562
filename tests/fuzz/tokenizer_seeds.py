"""Writes the seeds of the targets tokenizer and utf8: texts, bytes that are none, tokenizer.json.

python3 tests/fuzz/tokenizer_seeds.py
"""

import json
from pathlib import Path

CORPUS = Path(__file__).parent / "corpus"
TEXTS = {
    "ascii": "Hello, world! It's 12 o'clock, isn't it?",
    "spaces": "a  b \t\n\n   c\r\n \u00a0\u3000 x   ",
    "cjk": "我能吞下玻璃而不伤身体。吾輩は猫である。나는",
    "emoji": "👩‍👩‍👧‍👦 🏳️‍🌈 👍🏽 🇩🇪",
    "marks": "e\u0301 मैं काँच שָׁלוֹם مَرْحَبًا",
    "repeats": "a" * 200 + "ab" * 50,
    "special": "<|endoftext|><|en|><|0.00|>",
}
BROKEN = bytes([0xE6, 0xBC, 0x41, 0xF0, 0x9F, 0xFF, 0xC0, 0x80, 0xED, 0xA0, 0x80])
SCREEN = "\x1b[2J\x07\x85 \x7f\u200b漢字 {}\r\n".encode() + b"\xed\xa0\x80\xf4\x90\x80\x80"
PRINTABLE = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
OTHERS = [byte for byte in range(256) if byte not in PRINTABLE]
BYTE_LEVEL = {
    "type": "ByteLevel",
    "add_prefix_space": False,
    "trim_offsets": True,
    "use_regex": True,
}


def character(byte):
    return chr(byte) if byte in PRINTABLE else chr(256 + OTHERS.index(byte))


def plain():
    tokens = [character(byte) for byte in range(256)] + ["th", "the", "Ġt", "Ġthe", "in"]
    flags = ["single_word", "lstrip", "rstrip", "normalized"]
    added = {"id": 261, "content": "<|x|>", "special": True, **dict.fromkeys(flags, False)}
    return {
        "version": "1.0",
        "added_tokens": [added],
        "normalizer": None,
        "pre_tokenizer": BYTE_LEVEL,
        "decoder": BYTE_LEVEL,
        "model": {
            "type": "BPE",
            "dropout": None,
            "unk_token": None,
            "continuing_subword_prefix": "",
            "end_of_word_suffix": "",
            "fuse_unk": False,
            "byte_fallback": False,
            "ignore_merges": False,
            "vocab": {token: rank for rank, token in enumerate(tokens)},
            "merges": [["t", "h"], ["th", "e"], ["Ġ", "t"], ["Ġ", "the"], ["i", "n"]],
        },
    }


def split():
    tokenizer = plain()
    replace = {"type": "Replace", "pattern": {"Regex": "a+"}, "content": "b"}
    tokenizer["normalizer"] = {"type": "Sequence", "normalizers": [{"type": "NFC"}, replace]}
    pattern = {"Regex": "(?i:'s|'t)|\\p{L}+|\\s+(?!\\S)|\\s+"}
    words = {"type": "Split", "pattern": pattern, "behavior": "Isolated", "invert": False}
    steps = [words, {**BYTE_LEVEL, "use_regex": False}]
    tokenizer["pre_tokenizer"] = {"type": "Sequence", "pretokenizers": steps}
    return tokenizer


def prefix():
    tokenizer = plain()
    tokenizer["model"]["merges"] = ["t h", "th e"]
    tokenizer["model"]["continuing_subword_prefix"] = "##"
    del tokenizer["pre_tokenizer"]
    return tokenizer


def unigram():
    tokenizer = plain()
    tokenizer["model"] = {"type": "Unigram", "unk_id": 0, "vocab": [["<unk>", 0.0], ["a", -1.0]]}
    return tokenizer


def main():
    for target in ("tokenizer", "utf8"):
        folder = CORPUS / target
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in TEXTS.items():
            (folder / name).write_text(text, newline="")
        (folder / "broken").write_bytes(BROKEN)
    (CORPUS / "utf8" / "screen").write_bytes(SCREEN)
    (CORPUS / "utf8" / "language").write_text("Haitian Creole")
    for make in [plain, split, prefix, unigram]:
        content = json.dumps(make(), ensure_ascii=False, separators=(",", ":"))
        (CORPUS / "tokenizer" / f"{make.__name__}.json").write_text(content)


if __name__ == "__main__":
    main()
