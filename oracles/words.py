#!/usr/bin/env python3
"""What openai-whisper's rules make of made-up words: merging, durations, seeking.

    python3 oracles/words.py OUT.json

Needs mlx-whisper 0.4.3 with mlx, numpy, tiktoken and tqdm. Its add_word_timestamps and transcribe
say about words what openai-whisper 20250625's say, line by line; here its models are replaced: of
each window a script says which tokens it has and when each is said. Written: that script, and what
the oracle makes of it. The result is stored in tests/data/words.json.
"""

import importlib
import json
import os
import random
import sys
from unittest import mock

import mlx.core as mx
import numpy as np
import whisper  # noqa: F401  stands in for what word times need
from mlx_whisper import timing
from mlx_whisper.decoding import DecodingResult
from mlx_whisper.tokenizer import get_tokenizer

transcribe = importlib.import_module("mlx_whisper.transcribe")

ENGLISH = [" And", " so", ",", " my", " fellow", ".", " (", "Ame", "ricans", ")", " ", "?", " ask"]
JAPANESE = ["今日", "は", "、", "「", "元", "気", "」", "です", "。", "か", "？", "　", "ね"]


def tokens_of(tokenizer, rng, words):
    text = "".join(rng.choice(words) for _ in range(rng.randrange(1, 12)))
    return tokenizer.encode(text)


class Script:
    """A recording of some windows: what is heard in each, and when."""

    def __init__(self, rng, language):
        self.rng = rng
        self.tokenizer = get_tokenizer(True, language=language, task="transcribe")
        self.words = JAPANESE if language == "ja" else ENGLISH
        self.windows = []

    def decode(self, segment, options):
        seek = int(np.array(segment)[0, 0])
        time, tokens = 0, []
        begin = self.tokenizer.timestamp_begin
        for _ in range(self.rng.randrange(1, 4)):
            time += self.rng.choice([0, 20, 100, 300])
            tokens += [begin + min(time, 1400)]
            tokens += tokens_of(self.tokenizer, self.rng, self.words)
            time += self.rng.choice([20, 60, 200])
            tokens += [begin + min(time, 1450)]
        if self.rng.random() < 0.5:  # speech goes on
            tokens += [begin + min(time, 1450)]
            tokens += tokens_of(self.tokenizer, self.rng, self.words)
        self.windows.append({"seek": seek, "tokens": tokens})
        return DecodingResult(
            audio_features=None,
            language=self.tokenizer.language,
            tokens=tokens,
            avg_logprob=-0.2,
            no_speech_prob=0.1,
            temperature=0.0,
            compression_ratio=1.0,
        )

    def align(self, model, tokenizer, text_tokens, mel, num_frames, **_):
        """As find_alignment, with the tokens' times and probabilities made up."""
        steps = [self.rng.choice([0, 0, 2, 5, 9, 30, 130]) for _ in text_tokens]
        starts = [min(start, num_frames // 2) for start in np.cumsum([0, *steps]).tolist()]
        low = self.rng.random() < 0.3
        probabilities = [self.rng.choice([1, 12] if low else [40, 99]) for _ in text_tokens]
        self.windows[-1].update(frames=num_frames, starts=starts, probabilities=probabilities)
        words, word_tokens = tokenizer.split_to_word_tokens(text_tokens)
        timings, first = [], 0
        for word, ids in zip(words, word_tokens):
            last = first + len(ids)
            chances = np.array(probabilities[first:last], np.float32) / np.float32(128)
            start, end = np.array([starts[first], starts[last]]) / 50
            timings.append(timing.WordTiming(word, ids, start, end, np.mean(chances)))
            first = last
        return timings


def run(seed, language, frames, threshold):
    script = Script(random.Random(seed), language)
    model = mock.MagicMock()
    model.dims.n_audio_ctx, model.is_multilingual, model.num_languages = 1500, True, 99
    model.decode = script.decode
    # Frame i of the features says i, so that a window knows where it begins.
    mel = mx.repeat(mx.arange(frames + 3000, dtype=mx.float32)[:, None], 80, axis=1)
    with (
        mock.patch.object(transcribe.ModelHolder, "get_model", lambda *_: model),
        mock.patch.object(transcribe, "log_mel_spectrogram", lambda *_, **__: mel),
        mock.patch.object(timing, "find_alignment", script.align),
    ):
        result = transcribe.transcribe(
            np.zeros(1),
            language=language,
            temperature=0.0,
            fp16=False,
            word_timestamps=True,
            hallucination_silence_threshold=threshold,
        )
    segments = [
        {key: segment[key] for key in ("seek", "start", "end", "tokens", "words")}
        for segment in result["segments"]
    ]
    return {
        "language": language,
        "content_frames": frames,
        "threshold": threshold,
        "windows": script.windows,
        "segments": segments,
    }


def main(out):
    rows = []
    for seed in range(30):
        language = "ja" if seed % 4 == 3 else "en"
        threshold = [None, 0.5, 2.0][seed % 3]
        rows.append(run(seed, language, 3000 + 700 * (seed % 5), threshold))
    lines = ",\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
    with open(out + ".part", "w", encoding="utf-8") as file:
        file.write(f'{{"versions": {{"mlx_whisper": "0.4.3"}},\n"rows": [\n{lines}\n]}}\n')
    os.replace(out + ".part", out)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
