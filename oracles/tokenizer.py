"""Writes tests/data/tokenizer.json: what mlx-whisper's tokenizer (over tiktoken) makes of texts,
ids and special tokens, for the three sizes of Whisper's vocabulary.

Needs tiktoken, and mlx-whisper unpacked:
    pip install --target DIR tiktoken
    PYTHONPATH=DIR python3 oracles/tokenizer.py [--mlx-whisper FOLDER] [--output FILE]
"""

import argparse
import importlib.metadata
import importlib.util
import json
import os
import platform
import random
from pathlib import Path

CACHE = Path(os.environ.get("WHINCHAT_CACHE", Path.home() / ".cache" / "whinchat"))
VERSION = "0.4.3"

TEXTS = [
    "",
    " ",
    "Hello, world!",
    " And so, my fellow Americans, ask not what your country can do for you.",
    "I'm sure they'll say we've done what he'd do; it's Bob's, isn't it? 'Tis. IT'S I'M",
    "don’t ‘curly’ “quotes” — dashes – and … dots",
    "MiXeD CaSe, hyphen-ated words, under_scores, e-mail: a.b+c@example.com, http://x.y/z?q=1&r=2#s",
    "0 1 12 123 1234 12345 1,234,567.89 3.14159 1e-9 0x1F ½ ² ٣٤٥ Ⅷ 一二三 ๑๒๓",
    "a b  c   d    e     f\tg\t\th\n\ni\r\n\r\nj \n k  \n  l   ",
    "   leading, trailing   ",
    "\n\n\n",
    "two lines at the end\n\n",
    "\u00a0\u00a0 hard spaces\n\n\u00a0\u00a0\u00a0",
    " \t \n \r \u000b \u000c \u00a0 \u2003 \u3000 \u200b \ufeff x",
    " " * 200 + "x" + " " * 7,
    "\u0000\u0001\u0002\u001b[31mred\u001b[0m\u007f\u0080\u009f",
    "<|endoftext|><|startoftranscript|><|en|><|transcribe|><|0.00|> is plain text",
    "def f(x: int) -> int:\n    return x ** 2 if x > 0 else -x  # note\n\nprint(f'{f(3)!r}')\n",
    "for (auto& [k, v] : map) { std::cout << k << \": \" << v << '\\n'; } // ++i; a->b; x <<= 3;",
    '<div class="a">&nbsp;</div>\n{"json": [1, 2.5, null, true], "k": {}}\n\\frac{a}{b} $$x^2$$',
    "我能吞下玻璃而不伤身体。你好，世界！《红楼梦》第一回。",
    "我能吞下玻璃而不傷身體。",
    "吾輩は猫である。名前はまだ無い。カタカナ、ひらがな、漢字ー「括弧」『二重』。",
    "나는 유리를 먹을 수 있어요. 그래도 아프지 않아요.",
    "أنا قادر على أكل الزجاج و هذا لا يؤلمني. مَرْحَبًا بِكُمْ ١٢٣",
    "אני יכול לאכול זכוכית וזה לא מזיק לי. שָׁלוֹם",
    "मैं काँच खा सकता हूँ और मुझे उससे कोई चोट नहीं पहुंचती।",
    "ฉันกินกระจกได้ แต่มันไม่ทำให้ฉันเจ็บ",
    "Я могу есть стекло, оно мне не вредит. Ё ё Ї ї Ґ ґ",
    "Μπορώ να φάω σπασμένα γυαλιά χωρίς να πάθω τίποτα. Ὦ ἄνδρες",
    "Tôi có thể ăn thủy tinh mà không hại gì. Zażółć gęślą jaźń. Příliš žluťoučký kůň.",
    "e\u0301 n\u0303 a\u030a o\u0308\u0304 \u0041\u030a\u0327 Z\u0351\u0343\u0351a\u0321\u0348l\u0334g\u0322o\u0489",  # noqa: E501
    "ﬁ ﬂ ﷺ Å Ω K ℌ 𝕬𝖇𝖈 𝟘𝟙𝟚 🄰 ａｂｃ１２３",
    "😀 😃😄 👍🏽 👩‍👩‍👧‍👦 🏳️‍🌈 🇩🇪🇯🇵🇺🇸 ❤️ ☕︎ 👨🏿‍🚀 #️⃣ 🫠🪿",
    "𐍈𐌰𐌿𐍄 𒀀𒀁 𓀀𓁐 𠜎𠜱𠝹 \U000e0041\U0010ffff\ufffd\ufffe",
    "♩♪♫♬♭♮♯ ♪♪ ♪♪♪ [MUSIC] (applause) «guillemets» 「」『』",
    "a" * 3000,
    "aaaaaaaab" * 100,
    "Z" * 37 + "é" * 41 + "한" * 43,
    "ababababababab" * 30 + "!?!?!?" * 20 + "=" * 130 + "-" * 77,
    "supercalifragilisticexpialidocious pneumonoultramicroscopicsilicovolcanoconiosis",
    "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft",
    "HeLLo WoRLD 'S 'T 'RE 'VE 'M 'LL 'D 's't're've'm'll'd ''s x's' y'",
    "it 's  'll   'd\t'm\n've",
]
ALPHABETS = [
    "etaoin shrdlu.,'",
    "  \t\n\r\u00a0\u3000ab1",
    "的一是不了人我在有他这为之大来以个中上们",
    "アイウエオかきくけこ、。漢字",
    "абвгдежзийклмнопрстуфхцчшщъыьэюя ",
    "0123456789.,:- ٠١٢½Ⅻ",
    "'’`\"strvemld ",
    "😀👍🏽\u200d\ufe0f❤👩🚀🇩🇪",
    "e\u0301\u0300\u0327\u0489 \u0e33\u0947",
    "{}[]()<>=+-*/\\|&^%$#@!~;:?,. _",
]
TOKEN_NAMES = ["eot", "sot", "translate", "transcribe", "sot_lm", "sot_prev", "no_speech"]
TOKEN_NAMES += ["no_timestamps", "timestamp_begin"]


def load_oracle(folder):
    path = folder / "mlx_whisper" / "tokenizer.py"
    spec = importlib.util.spec_from_file_location("whisper_tokenizer", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def random_character(rng):
    while True:
        limit = rng.choice([0x80, 0x100, 0x3000, 0x10000, 0x110000])
        code = rng.randrange(limit)
        if not 0xD800 <= code <= 0xDFFF:
            return chr(code)


def random_text(rng):
    length = rng.randrange(1, 40)
    if rng.random() < 0.2:
        return "".join(random_character(rng) for _ in range(length))
    alphabet = "".join(rng.sample(ALPHABETS, rng.randrange(1, 4)))
    return "".join(rng.choice(alphabet) for _ in range(length))


def make_tokenizer(oracle, n_vocab, **options):
    multilingual = n_vocab >= 51865
    num_languages = n_vocab - 51765 - int(multilingual)
    return oracle.get_tokenizer(multilingual, num_languages=num_languages, **options)


def encode_case(tokenizers, text):
    ids = [t.encoding.encode(text, disallowed_special=()) for t in tokenizers]
    return {"text": text, "multilingual": ids[0], "english": ids[1]}


def decode_case(oracle, rng, n_vocab):
    tokenizer = make_tokenizer(oracle, n_vocab)
    kinds = [range(256), range(tokenizer.eot), range(tokenizer.eot, n_vocab)]
    ids = [rng.choice(rng.choices(kinds, [4, 4, 1])[0]) for _ in range(rng.randrange(30))]
    return {
        "n_vocab": n_vocab,
        "ids": ids,
        "text": tokenizer.decode(ids),
        "text_with_timestamps": tokenizer.decode_with_timestamps(ids),
    }


def word_case(oracle, n_vocab, language, ids):
    tokenizer = make_tokenizer(oracle, n_vocab, language=language)
    ids = [*ids, tokenizer.eot]
    try:
        words, word_tokens = tokenizer.split_to_word_tokens(ids)
    except IndexError:  # it looks past the end of some texts that are not UTF-8 …
        return None
    if sum(map(len, word_tokens)) < len(ids):  # … and loses tokens of others
        return None
    return {
        "n_vocab": n_vocab,
        "language": language or "en",
        "ids": ids,
        "words": words,
        "word_tokens": word_tokens,
    }


def word_cases(oracle, rng, texts):
    """Texts in languages with and without spaces, and ids of which few make whole characters."""
    cases = []
    for n_vocab, language in [(51864, None), (51865, "en"), (51865, "zh"), (51866, "yue")]:
        tokenizer = make_tokenizer(oracle, n_vocab, language=language)
        for text in texts:
            ids = tokenizer.encoding.encode(text, disallowed_special=())
            cases.append(word_case(oracle, n_vocab, language, ids))
        for _ in range(8):
            ids = [rng.choice(rng.choice([range(256), range(50000)])) for _ in range(12)]
            cases.append(word_case(oracle, n_vocab, language, ids))
    return [case for case in cases if case]


def layout(oracle, n_vocab):
    tokenizer = make_tokenizer(oracle, n_vocab)
    codes = list(oracle.LANGUAGES)[: tokenizer.num_languages]
    result = {"n_vocab": n_vocab, "multilingual": n_vocab >= 51865}
    result.update({name: getattr(tokenizer, name) for name in TOKEN_NAMES})
    result["language_tokens"] = {code: tokenizer.to_language_token(code) for code in codes}
    result["names"] = [tokenizer.encoding.decode([i]) for i in range(tokenizer.eot, n_vocab)]
    result["non_speech_tokens"] = list(tokenizer.non_speech_tokens)
    result["blank_tokens"] = tokenizer.encode(" ")
    result["sot_sequences"] = [
        {
            "language": language,
            "task": task,
            "ids": list(make_tokenizer(oracle, n_vocab, language=language, task=task).sot_sequence),
        }
        for language in ["en", "de", codes[-1]]
        for task in ["transcribe", "translate"]
    ]
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mlx-whisper", type=Path, default=CACHE / f"mlx-whisper-{VERSION}")
    parser.add_argument("--output", type=Path, default=Path("tests/data/tokenizer.json"))
    parser.add_argument("--random-texts", type=int, default=60)
    arguments = parser.parse_args()

    oracle = load_oracle(arguments.mlx_whisper)
    rng = random.Random(20220921)
    tokenizers = [make_tokenizer(oracle, 51865), make_tokenizer(oracle, 51864)]
    texts = TEXTS + [random_text(rng) for _ in range(arguments.random_texts)]
    sizes = [51864, 51865, 51866]
    aliases = {
        name: code
        for name, code in oracle.TO_LANGUAGE_CODE.items()
        if name not in oracle.LANGUAGES.values()
    }
    result = {
        "versions": {
            "mlx_whisper": VERSION,
            "tiktoken": importlib.metadata.version("tiktoken"),
            "python": platform.python_version(),
        },
        "languages": oracle.LANGUAGES,
        "aliases": aliases,
        "layouts": [layout(oracle, n_vocab) for n_vocab in sizes],
        "encode": [encode_case(tokenizers, text) for text in texts],
        "decode": [decode_case(oracle, rng, n_vocab) for n_vocab in sizes for _ in range(40)],
        "word_tokens": word_cases(oracle, rng, rng.sample(texts, 10)),
    }
    rows = [f"{json.dumps(key)}: {json.dumps(value)}" for key, value in result.items()]
    arguments.output.write_text("{\n" + ",\n".join(rows) + "\n}\n")


if __name__ == "__main__":
    main()
