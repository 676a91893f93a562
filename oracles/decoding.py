"""What openai-whisper's decoders choose on scripted logits.

    python3 oracles/decoding.py OUT.json

Needs openai-whisper 20250625, torch, tiktoken and numpy. A script gives every prefix of tokens
its logits, by integer arithmetic that tests/parity/scripted_logits.h repeats to the bit; the
oracle's own DecodingTask decodes them: rules, greedy and beam search, ranking. Written beside the
tokens: what the task was given, as ids. The result is stored in tests/data/decoding.json.
"""

import itertools
import json
import sys
import types

import numpy as np
import torch

for missing in ["numba", "more_itertools"]:  # word times alone need them
    try:
        __import__(missing)
    except ImportError:
        module = types.ModuleType(missing)
        module.jit = lambda *_, **__: lambda function: function
        module.__getattr__ = lambda name: None
        sys.modules[missing] = module

sys.path.pop(0)  # this folder, whose whisper.py is another oracle
from whisper.decoding import DecodingOptions, DecodingResult, DecodingTask  # noqa: E402
from whisper.transcribe import transcribe  # noqa: E402

MASK = (1 << 64) - 1
FAVOURITES = 12


def mixed(value):
    """splitmix64's finaliser, on integers or arrays of them."""
    if isinstance(value, int):
        value = (value + 0x9E3779B97F4A7C15) & MASK
        value = ((value ^ (value >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        value = ((value ^ (value >> 27)) * 0x94D049BB133111EB) & MASK
        return value ^ (value >> 31)
    value = value + np.uint64(0x9E3779B97F4A7C15)
    value = (value ^ (value >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    value = (value ^ (value >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return value ^ (value >> np.uint64(31))


def fraction(value):
    """24 bits of an integer as f32 in [0, 1)."""
    return np.float32(value >> 40) * np.float32(1 / (1 << 24))


class Script:
    def __init__(self, seed, n_vocab, eot, timestamp_begin, n_initial):
        self.seed, self.n_vocab, self.eot = seed, n_vocab, eot
        self.timestamp_begin, self.n_initial = timestamp_begin, n_initial
        self.ids = np.arange(n_vocab, dtype=np.uint64)

    def logits(self, tokens):
        """Low noise everywhere; a few favourites, text and times; an end that grows likelier."""
        state = mixed(self.seed)
        for token in tokens:
            state = mixed(state ^ token)
        noise = mixed(self.ids ^ np.uint64(state))
        logits = (noise >> np.uint64(40)).astype(np.float32) * np.float32(1 / (1 << 24))
        logits = logits - np.float32(5)
        times = [token for token in tokens[self.n_initial :] if token >= self.timestamp_begin]
        last = times[-1] if times else self.timestamp_begin
        for i in range(FAVOURITES):
            draw = mixed(state ^ ((i + 1) << 32))
            height = np.float32(3) + np.float32(7) * fraction(mixed(draw))
            if i % 3 == 0:
                favourite = min(last + draw % 60, self.n_vocab - 1)
            else:
                favourite = draw % self.eot
            logits[favourite] = height
        length = np.float32(len(tokens) - self.n_initial)
        logits[self.eot] = np.float32(0.5) * length + np.float32(2) * fraction(mixed(state ^ 7))
        return logits


class ScriptedInference:
    def __init__(self, script):
        self.script = script

    def logits(self, tokens, audio_features):
        rows = []
        for row in tokens.tolist():
            # The start of transcript is asked for too: the no-speech probability is there.
            positions = [self.script.logits(row[: i + 1]) for i in range(len(row))]
            rows.append(
                np.stack(positions if len(row) <= self.script.n_initial else positions[-1:])
            )
        return torch.from_numpy(np.stack(rows))

    def rearrange_kv_cache(self, source_indices):
        pass

    def cleanup_caching(self):
        pass


def task_of(options, multilingual, seed):
    dims = types.SimpleNamespace(
        n_vocab=51865 if multilingual else 51864, n_text_ctx=448, n_audio_ctx=1500, n_audio_state=2
    )
    model = types.SimpleNamespace(
        dims=dims,
        is_multilingual=multilingual,
        num_languages=99,
        decoder=types.SimpleNamespace(blocks=[]),
    )
    task = DecodingTask(model, options)
    tokenizer = task.tokenizer
    script = Script(
        seed, dims.n_vocab, tokenizer.eot, tokenizer.timestamp_begin, len(task.initial_tokens)
    )
    task.inference = ScriptedInference(script)
    task.decoder.inference = task.inference
    return task


def case_of(seed, multilingual, **kwargs):
    options = DecodingOptions(language="en", fp16=False, **kwargs)
    task = task_of(options, multilingual, seed)
    result = task.run(torch.zeros((1, 1500, 2)))[0]
    return {**given(task, seed, options), "tokens": result.tokens,
            "avg_logprob": result.avg_logprob, "no_speech_prob": result.no_speech_prob}  # fmt: skip


def given(task, seed, options):
    """What the decoders were given, as ids."""
    tokenizer = task.tokenizer
    filters = {type(each).__name__: each for each in task.logit_filters}
    rules = filters.get("ApplyTimestampRules")
    suppressed = filters.get("SuppressTokens")
    return {
        "seed": seed,
        "n_vocab": task.model.dims.n_vocab,
        "initial": list(task.initial_tokens),
        "sot_index": task.sot_index,
        "eot": tokenizer.eot,
        "no_speech": tokenizer.no_speech,
        "no_timestamps": tokenizer.no_timestamps,
        "timestamp_begin": tokenizer.timestamp_begin,
        "suppress": suppressed.suppress_tokens if suppressed else [],
        "blank": tokenizer.encode(" ") + [tokenizer.eot] if "SuppressBlank" in filters else [],
        "timestamps": rules is not None,
        "max_initial_timestamp": rules.max_initial_timestamp_index if rules else None,
        "sample_len": task.sample_len,
        "beam_size": options.beam_size,
        "patience": options.patience,
        "length_penalty": options.length_penalty,
        "temperature": options.temperature,
    }


def distribution_of(seed, multilingual, temperature, sampled, **kwargs):
    """The likeliest tokens before a draw, after filters and temperature."""
    options = DecodingOptions(language="en", fp16=False, temperature=temperature, **kwargs)
    task = task_of(options, multilingual, seed)
    tokens = torch.tensor([list(task.initial_tokens) + sampled])
    logits = task.inference.logits(tokens, None)[:, -1]
    for logit_filter in task.logit_filters:
        logit_filter.apply(logits, tokens)
    logprobs = torch.log_softmax(logits / temperature, dim=-1)[0]
    best = logprobs.topk(20)
    return {**given(task, seed, options), "sampled": sampled,
            "allowed": int(torch.isfinite(logprobs).sum()),
            "best": best.indices.tolist(), "logprobs": best.values.tolist()}  # fmt: skip


class Judged:
    """A model whose windows all have a text of one quality; keeps the temperatures asked for."""

    def __init__(self, quality):
        self.quality, self.asked = quality, []
        self.device, self.is_multilingual, self.num_languages = torch.device("cpu"), False, 99
        self.dims = types.SimpleNamespace(n_mels=80, n_text_ctx=448, n_audio_ctx=1500)

    def decode(self, mel, options):
        self.asked.append(options.temperature)
        return DecodingResult(
            audio_features=mel, language="en", tokens=[50363, 400, 50463], text="text",
            temperature=options.temperature, **self.quality,
        )  # fmt: skip


def judgement_of(quality, thresholds):
    """How often transcribe() decodes a window at two temperatures, and whether it is dropped."""
    model = Judged(quality)
    samples = np.zeros(16000, np.float32)
    result = transcribe(
        model, samples, temperature=(0.0, 0.2), fp16=False, language="en", verbose=None,
        **thresholds,
    )  # fmt: skip
    return {**quality, **thresholds, "attempts": len(model.asked),
            "is_silent": not result["segments"]}  # fmt: skip


def judgements():
    thresholds = [
        {"compression_ratio_threshold": ratio, "logprob_threshold": logprob,
         "no_speech_threshold": no_speech}
        for ratio, logprob, no_speech in itertools.product((2.4, None), (-1.0, None), (0.6, None))
    ]  # fmt: skip
    qualities = [
        {"compression_ratio": ratio, "avg_logprob": logprob, "no_speech_prob": no_speech}
        for ratio, logprob, no_speech in itertools.product(
            (1.5, 2.4, 2.5), (-0.5, -1.0, -1.5), (0.5, 0.6, 0.7)
        )
    ]
    return [judgement_of(quality, each) for each in thresholds for quality in qualities]


def main():
    variants = [
        {},
        {"beam_size": 1},
        {"beam_size": 2},
        {"beam_size": 5},
        {"beam_size": 8},
        {"beam_size": 2, "patience": 2.0},
        {"beam_size": 5, "patience": 2.0},
        {"beam_size": 5, "patience": 0.5},
        {"beam_size": 5, "length_penalty": 0.6},
        {"beam_size": 5, "length_penalty": 0.0},
        {"without_timestamps": True},
        {"beam_size": 5, "without_timestamps": True},
        {"beam_size": 5, "prompt": "A glossary: Shapeshift, Walton."},
        {"prefix": "And so my fellow", "sample_len": 200},
        {"beam_size": 5, "prefix": "And so my fellow", "sample_len": 200},
        {"suppress_tokens": "", "suppress_blank": False},
        {"beam_size": 5, "suppress_tokens": "262,264,13,11"},
        {"beam_size": 5, "max_initial_timestamp": None},
        {"beam_size": 5, "sample_len": 6},
        {"sample_len": 6},
    ]
    too_long = "country " * 300
    beams = [
        {"beam_size": beam_size, "patience": patience, "without_timestamps": without, **more}
        for (beam_size, patience), without, more in zip(
            itertools.product((1, 2, 5, 8), (1.0, 2.0)),
            itertools.cycle((False, True, True)),
            itertools.cycle(
                (
                    {"prompt": "A glossary: Shapeshift, Walton."},
                    {"prefix": "And so my fellow", "suppress_tokens": "-1,262,264"},
                    {"prompt": too_long, "prefix": "And so", "max_initial_timestamp": 0.4},
                    {"suppress_tokens": "", "suppress_blank": False},
                )
            ),
        )
    ]
    greedy = [
        {"prompt": too_long},
        {"prompt": "A glossary", "prefix": "And so my fellow"},
        {"prefix": "And so my fellow Americans", "sample_len": 222},
        {"without_timestamps": True, "suppress_tokens": "-1,262", "suppress_blank": False},
    ]
    with torch.no_grad():
        cases = [
            case_of(seed, bool(seed % 2), **variant)
            for variant, seed in itertools.product(variants, range(6))
        ] + [
            case_of(seed, bool(seed % 2), **variant)
            for variant, seed in itertools.product(beams + greedy, range(6, 8))
        ]
        begin = 50364
        distributions = [
            distribution_of(seed, True, temperature, sampled)
            for seed, temperature in itertools.product(range(4), [0.2, 0.6, 1.0])
            for sampled in [[], [begin + 3], [begin + 3, 400, 401], [begin + 3, 400, begin + 9]]
        ] + [
            distribution_of(seed, True, temperature, sampled, **variant)
            for seed, temperature, (sampled, variant) in itertools.product(
                range(4, 6),
                [0.2, 1.0],
                [
                    ([], {"without_timestamps": True}),
                    ([400, 401], {"without_timestamps": True, "suppress_tokens": ""}),
                    ([], {"suppress_tokens": "262,264", "suppress_blank": False}),
                    ([begin + 3, 400], {"prompt": "A glossary", "prefix": "And so"}),
                    ([], {"max_initial_timestamp": None}),
                ],
            )
        ]
    from whisper.version import __version__

    suppress_lists = []
    for case in cases + distributions:  # the same few again and again
        if case["suppress"] not in suppress_lists:
            suppress_lists.append(case["suppress"])
        case["suppress"] = suppress_lists.index(case["suppress"])
    document = {
        "openai-whisper": __version__,
        "torch": torch.__version__,
        "suppress_lists": suppress_lists,
        "cases": cases,
        "distributions": distributions,
        "judgements": judgements(),
    }
    with open(sys.argv[1], "w", encoding="utf-8") as file:
        json.dump(document, file, separators=(",", ":"))
    lengths = sorted(len(case["tokens"]) for case in cases)
    print(len(cases), "cases;", len(distributions), "distributions; lengths", lengths)


if __name__ == "__main__":
    main()
