#!/usr/bin/env python3
"""mlx-whisper 0.4.3 as the oracle: what it computes on the way, and what it transcribes.

usage: whisper.py trace MODEL SAMPLES.f32 OUT.safetensors [--fp16]
       whisper.py words MODEL SAMPLES.f32 OUT.json [--language CODE] [--silence SECONDS]
       whisper.py transcripts MODEL AUDIO_FOLDER DECODE_AUDIO OUT.json
       whisper.py clips MODEL SAMPLES.f32 OUT.json
       whisper.py prompts MODEL AUDIO_FOLDER DECODE_AUDIO OUT.json

MODEL is a CTranslate2 Whisper folder (f16 tensors, stored here as f32 unless --fp16); samples are
raw f32 at 16 kHz, mono; DECODE_AUDIO is the build's program decode_audio, so that both sides hear
the same samples. --silence is the oracle's hallucination_silence_threshold. Needs mlx, numpy,
tiktoken, tqdm and mlx_whisper. Bits are comparable when OpenBLAS is preloaded and the thread count
is the same (tests/parity/CMakeLists.txt does both).
"""

import importlib
import inspect
import json
import os
import subprocess
import sys
import tempfile
import types
from unittest import mock

import numpy as np


def medfilt(x, kernel_size):
    """scipy.signal.medfilt of rows, but for its ends, which word times cut off."""
    *_, width = kernel_size
    windows = np.lib.stride_tricks.sliding_window_view(x, width, axis=-1)
    inner = np.sort(windows, axis=-1)[..., width // 2]
    return np.pad(inner, [(0, 0)] * (x.ndim - 1) + [(width // 2, width // 2)])


# Word times need these two; of both, what is needed is plain Python.
numba = types.ModuleType("numba")
numba.jit = lambda **_: lambda function: function
scipy = types.ModuleType("scipy")
scipy.signal = types.SimpleNamespace(medfilt=medfilt)
sys.modules.update({"numba": numba, "scipy": scipy})
for unused in ("torch", "huggingface_hub"):  # downloads
    sys.modules[unused] = mock.MagicMock()

import mlx.core as mx  # noqa: E402
from mlx.utils import tree_unflatten  # noqa: E402
from mlx_whisper import audio, decoding, whisper  # noqa: E402
from mlx_whisper.tokenizer import LANGUAGES  # noqa: E402

from weights import read_checkpoint  # noqa: E402

# The package hides this module behind the function of the same name.
transcribe = importlib.import_module("mlx_whisper.transcribe")


def load_model(folder, dtype):
    config, tensors = read_checkpoint(folder)
    heads = np.array(config.pop("alignment_heads"))
    model = whisper.Whisper(whisper.ModelDimensions(**config), dtype)
    arrays = [
        (name, mx.array(np.frombuffer(data, np.float16).reshape(dims)).astype(dtype))
        for name, (dims, data) in tensors.items()
    ]
    model.update(tree_unflatten(arrays))
    model.set_alignment_heads(heads)
    mx.eval(model.parameters())
    transcribe.ModelHolder.model, transcribe.ModelHolder.model_path = model, folder
    return model


class Trace:
    """Records arrays by wrapping the oracle's own classes; computes nothing of its own."""

    def __init__(self, model):
        self.arrays = {}
        self.encodes = 0
        self.steps = 0
        self.scope = None
        self.gelus = 0
        self.blocks = 0
        self.positions = model.encoder._positional_embedding

    def record(self, name, value):
        # A node of its own: the oracle's `x += y` changes the array that it shows here.
        self.arrays[f"{self.scope}.{name}"] = mx.stop_gradient(value)

    def wrap_encoder(self, call):
        def wrapped(encoder, mel):
            self.scope, self.gelus, self.blocks = f"encode{self.encodes}", 0, 0
            self.encodes += 1
            self.record("mel", mel)
            features = call(encoder, mel)
            self.record("features", features)
            self.scope = None
            return features

        return wrapped

    def wrap_gelu(self, call):
        def wrapped(x):
            y = call(x)
            if self.scope and self.scope.startswith("encode"):
                if self.gelus == 0:
                    self.record("conv1", y)
                elif self.gelus == 1:
                    self.record("conv2_positions", y + self.positions)
                self.gelus += 1
            return y

        return wrapped

    def wrap_block(self, call):
        def wrapped(block, x, *args, **kwargs):
            result = call(block, x, *args, **kwargs)
            if self.scope:
                self.record(f"block{self.blocks}", result[0])
                self.blocks += 1
            return result

        return wrapped

    def wrap_decoder(self, call):
        def wrapped(decoder, tokens, features, kv_cache=None):
            self.scope, self.blocks = f"step{self.steps}", 0
            self.steps += 1
            self.record("tokens", tokens)
            # A step without a cache begins a window or detects a language.
            self.record("starts", mx.array([self.encodes - 1] if kv_cache is None else [-1]))
            logits, kv_cache, cross_qk = call(decoder, tokens, features, kv_cache=kv_cache)
            self.record("logits", logits)
            for layer, qk in enumerate(cross_qk if self.steps <= 2 else []):
                self.record(f"cross_qk{layer}", qk)
            self.scope = None
            return logits, kv_cache, cross_qk

        return wrapped


def trace(folder, samples_path, out, fp16):
    samples = np.fromfile(samples_path, np.float32)
    model = load_model(folder, mx.float16 if fp16 else mx.float32)
    record = Trace(model)
    patches = (
        mock.patch.object(
            whisper.AudioEncoder, "__call__", record.wrap_encoder(whisper.AudioEncoder.__call__)
        ),
        mock.patch.object(
            whisper.TextDecoder, "__call__", record.wrap_decoder(whisper.TextDecoder.__call__)
        ),
        mock.patch.object(
            whisper.ResidualAttentionBlock,
            "__call__",
            record.wrap_block(whisper.ResidualAttentionBlock.__call__),
        ),
        mock.patch.object(whisper.nn, "gelu", record.wrap_gelu(whisper.nn.gelu)),
    )
    for patch in patches:
        patch.start()
    result = transcribe.transcribe(
        mx.array(samples), path_or_hf_repo=folder, temperature=0.0, fp16=fp16
    )
    record.arrays["log_mel"] = audio.log_mel_spectrogram(
        mx.array(samples), model.dims.n_mels, audio.N_SAMPLES
    )
    if model.is_multilingual:
        frames = record.arrays["log_mel"].shape[0] - audio.N_FRAMES
        first = record.arrays["log_mel"][: min(frames, audio.N_FRAMES)]
        window = audio.pad_or_trim(first, audio.N_FRAMES, axis=-2)
        window = window.astype(mx.float16 if fp16 else mx.float32)
        _, probabilities = decoding.detect_language(model, window)
        record.arrays["language.mel"] = window[None]
        record.arrays["language.probabilities"] = mx.array(
            [probabilities[code] for code in LANGUAGES if code in probabilities]
        )
    for n_mels in (80, 128):
        record.arrays[f"mel_filters{n_mels}"] = audio.mel_filters(n_mels)
    record.arrays["log_mel128"] = audio.log_mel_spectrogram(mx.array(samples), 128, audio.N_SAMPLES)
    x = mx.array(samples).astype(model.encoder._positional_embedding.dtype) * 8
    record.arrays["gelu.in"], record.arrays["gelu.out"] = x, whisper.nn.gelu(x)
    record.arrays["samples"] = mx.array(samples)
    metadata = {"mlx_whisper": "0.4.3", "mlx": mx.__version__, "text": result["text"]}
    mx.save_safetensors(out + ".part.safetensors", record.arrays, metadata)
    os.replace(out + ".part.safetensors", out)


def apply_openai_timestamp_rules(self, logits, tokens):
    """openai-whisper 20250625's rule: times are compared, and forbidden ones are not weighed.

    mlx-whisper's port collects positions instead of times, so that its order rule never fires.
    """
    begin, values = self.tokenizer.timestamp_begin, np.array(logits.astype(mx.float32))
    values[:, self.tokenizer.no_timestamps] = -np.inf
    for row, sequence in enumerate(tokens.tolist()):
        sampled = sequence[self.sample_begin :]
        last = len(sampled) >= 1 and sampled[-1] >= begin
        penultimate = len(sampled) < 2 or sampled[-2] >= begin
        if last and penultimate:
            values[row, begin:] = -np.inf
        elif last:
            values[row, : self.tokenizer.eot] = -np.inf
        times = [token for token in sampled if token >= begin]
        if times:
            values[row, begin : times[-1] + (0 if last and not penultimate else 1)] = -np.inf
    if tokens.shape[1] == self.sample_begin:
        values[:, :begin] = -np.inf
        if self.max_initial_timestamp_index is not None:
            values[:, begin + self.max_initial_timestamp_index + 1 :] = -np.inf
    filtered = mx.array(values)
    logprobs = filtered - mx.logsumexp(filtered, axis=-1, keepdims=True)
    times_win = mx.logsumexp(logprobs[:, begin:], axis=-1) > logprobs[:, :begin].max(axis=-1)
    values[np.array(times_win), :begin] = -np.inf
    return mx.array(values)


VERSIONS = {
    "mlx_whisper": "0.4.3",
    "mlx": mx.__version__,
    "timestamp_rule": "openai-whisper 20250625",
}


def words_and_times(result):
    return {
        "language": result["language"],
        "text": result["text"],
        "segments": [
            {key: s[key] for key in ("seek", "start", "end", "text", "tokens")}
            for s in result["segments"]
        ],
    }


def write_rows(out, name, rows):
    """A row a line, so that a change shows."""
    lines = ",\n".join(
        f"{json.dumps(key)}: {json.dumps(row, ensure_ascii=False)}" for key, row in rows.items()
    )
    with open(out, "w", encoding="utf-8") as file:
        file.write(f'{{"versions": {json.dumps(VERSIONS)},\n"{name}": {{\n{lines}\n}}}}\n')


def words(folder, samples_path, out, language, silence):
    """Segments with their words."""
    load_model(folder, mx.float32)
    decoding.ApplyTimestampRules.apply = apply_openai_timestamp_rules
    result = transcribe.transcribe(
        mx.array(np.fromfile(samples_path, np.float32)),
        path_or_hf_repo=folder,
        language=language,
        temperature=0.0,
        fp16=False,
        word_timestamps=True,
        hallucination_silence_threshold=silence,
    )
    keys = ("seek", "start", "end", "text", "tokens", "words")
    document = {
        "versions": {"mlx_whisper": "0.4.3", "mlx": mx.__version__},
        "language": result["language"],
        "segments": [{key: segment[key] for key in keys} for segment in result["segments"]],
    }
    with open(out, "w", encoding="utf-8") as file:
        json.dump(document, file)


def read_samples(decode_audio, path):
    with tempfile.NamedTemporaryFile() as raw:
        subprocess.run([decode_audio, path, raw.name], check=True)
        return mx.array(np.fromfile(raw.name, np.float32))


def transcripts(folder, audio_folder, decode_audio, out):
    load_model(folder, mx.float32)
    decoding.ApplyTimestampRules.apply = apply_openai_timestamp_rules
    clips = {}
    for name in sorted(os.listdir(audio_folder)):
        samples = read_samples(decode_audio, os.path.join(audio_folder, name))
        result = transcribe.transcribe(samples, path_or_hf_repo=folder, temperature=0.0, fp16=False)
        clips[name] = {"samples": samples.size, **words_and_times(result)}
        print(name, result["language"], result["text"], file=sys.stderr)
    write_rows(out, "clips", clips)


def begin_clips_as_openai_whisper():
    """It seeks to each clip's start; mlx-whisper goes on from the end of the clip before."""
    loop = "        for seek_clip_start, seek_clip_end in seek_clips:\n"
    source = inspect.getsource(transcribe)
    if source.count(loop) != 1:
        sys.exit("mlx_whisper/transcribe.py is not the one that is known here")
    source = source.replace(loop, loop + "            seek = seek_clip_start\n")
    exec(compile(source, transcribe.__file__, "exec"), transcribe.__dict__)


# Of 33 s, a sentence of 11 s three times over.
CLIP_LISTS = ("12.5", "0,20", "30,60", "0,11,11,22,22", "2,8,14.5,31,32.4,50")


def clips(folder, samples_path, out):
    begin_clips_as_openai_whisper()
    load_model(folder, mx.float32)
    decoding.ApplyTimestampRules.apply = apply_openai_timestamp_rules
    samples = mx.array(np.fromfile(samples_path, np.float32))
    rows = {}
    for clip_list in CLIP_LISTS:
        result = transcribe.transcribe(
            samples,
            path_or_hf_repo=folder,
            temperature=0.0,
            fp16=False,
            clip_timestamps=clip_list,
        )
        rows[clip_list] = words_and_times(result)
    write_rows(out, "rows", rows)


# (recording, what DecodingOptions and transcribe() are given). A prefix is ours in the first window
# alone, and windows after which others come keep their timestamps: such rows have one window.
PROMPTS = [
    (name, options)
    for name in ("jfk.wav", "ls_test.flac")
    for options in (
        {"initial_prompt": "MY FELLOW AMERICANS, WE SHOUT. MISTER QUILTER IS HERE."},
        {"initial_prompt": "country " * 300},
        {"prefix": "And so, Mister"},
        {"prefix": "The speaker begins:", "initial_prompt": "A glossary: Quilter, Americans."},
        {"without_timestamps": True},
        {"without_timestamps": True, "prefix": "And so", "initial_prompt": "A speech."},
        {"suppress_tokens": "11,13,30"},
        {"suppress_tokens": "", "suppress_blank": False},
        {"max_initial_timestamp": None},
        {"sample_len": 8},
    )
] + [
    ("silero_test.wav", {"condition_on_previous_text": False}),
    ("silero_test.wav", {"initial_prompt": "A glossary: whisper, silence."}),
]


def prompts(folder, audio_folder, decode_audio, out):
    load_model(folder, mx.float32)
    decoding.ApplyTimestampRules.apply = apply_openai_timestamp_rules
    rows = {}
    for name, options in PROMPTS:
        samples = read_samples(decode_audio, os.path.join(audio_folder, name))
        result = transcribe.transcribe(
            samples, path_or_hf_repo=folder, temperature=0.0, fp16=False, **options
        )
        rows[f"{name} {json.dumps(options)}"] = {
            "recording": name,
            "options": options,
            **words_and_times(result),
        }
        print(name, options, result["text"], file=sys.stderr)
    write_rows(out, "rows", rows)


def take_option(args, name):
    """The value after `name`, both removed, or None."""
    if name not in args:
        return None
    index = args.index(name)
    value = args[index + 1]
    del args[index : index + 2]
    return value


if __name__ == "__main__":
    args = [arg for arg in sys.argv[1:] if arg != "--fp16"]
    fp16 = "--fp16" in sys.argv
    language, silence = take_option(args, "--language"), take_option(args, "--silence")
    if len(args) == 4 and args[0] == "trace":
        trace(*args[1:], fp16)
    elif len(args) == 4 and args[0] == "words":
        words(*args[1:], language, silence and float(silence))
    elif len(args) == 5 and args[0] == "transcripts":
        transcripts(*args[1:])
    elif len(args) == 5 and args[0] == "prompts":
        prompts(*args[1:])
    elif len(args) == 4 and args[0] == "clips":
        clips(*args[1:])
    else:
        sys.exit(__doc__)
