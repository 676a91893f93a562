#!/usr/bin/env python3
"""What CTranslate2's own writer makes of a small Whisper in every weight type.

usage: weights_ct2.py FOLDER            (tests/data/ct2: TYPE.bin of each type, and weights.json)

weights.json: for each type the CRC-32 of each variable as f32; quantised ones are q * (1 / scale).
That these are the library's own values is checked before anything is written: its encoder and its
scores on a quantised file, computed in f32, equal those on a file of these values, bit for bit.
Needs ctranslate2 4.8.5 (with pyyaml), numpy and, for bfloat16, torch; run by hand.
"""

import json
import sys
import tempfile
import zlib
from pathlib import Path

import ctranslate2
import numpy as np
from ctranslate2.specs import whisper_spec

WIDTH, HEADS, MELS, AUDIO_CONTEXT, TEXT_CONTEXT = 8, 2, 80, 1500, 32
TYPES = ("int8", "int8_float16", "int8_bfloat16", "int16", "float16", "float32")
TOKENS = ["a", "b", "<|endoftext|>", "<|startoftranscript|>", "<|en|>", "<|transcribe|>"]
TOKENS += ["<|startofprev|>", "<|notimestamps|>", "<|nospeech|>", "<|0.00|>"]


def random_spec():
    generator = np.random.default_rng(7)

    def random(*shape):
        return generator.standard_normal(shape).astype(np.float32) / 4

    def fill(layer, rows, width):
        layer.weight, layer.bias = random(rows, width), random(rows)

    def fill_norm(norm):
        norm.gamma, norm.beta = 1 + random(WIDTH), random(WIDTH)

    def fill_attention(attention, rows):
        fill_norm(attention.layer_norm)
        for linear, count in zip(attention.linear, rows):
            fill(linear, count * WIDTH, WIDTH)
        fused = attention.linear[0 if len(rows) == 2 else 1]
        key = 1 if len(rows) == 2 else 0
        fused.bias[key * WIDTH : (key + 1) * WIDTH] = 0

    spec = whisper_spec.WhisperSpec(1, HEADS, 1, HEADS)
    for side in (spec.encoder, spec.decoder):
        fill_norm(side.layer_norm)
        fill_attention(side.layer[0].self_attention, (3, 1))
        fill_norm(side.layer[0].ffn.layer_norm)
        fill(side.layer[0].ffn.linear_0, 4 * WIDTH, WIDTH)
        fill(side.layer[0].ffn.linear_1, WIDTH, 4 * WIDTH)
    fill_attention(spec.decoder.layer[0].attention, (1, 2, 1))
    for conv, channels in ((spec.encoder.conv1, MELS), (spec.encoder.conv2, WIDTH)):
        conv.weight, conv.bias = random(WIDTH, channels, 3), random(WIDTH)
    spec.encoder.position_encodings.encodings = random(AUDIO_CONTEXT, WIDTH)
    spec.decoder.position_encodings.encodings = random(TEXT_CONTEXT, WIDTH)
    spec.decoder.embeddings.weight = random(len(TOKENS), WIDTH)
    spec.decoder.projection.weight = spec.decoder.embeddings.weight
    spec.register_vocabulary(TOKENS)
    return spec


def write(folder, weight_type, positions=True):
    spec = random_spec()
    if not positions:  # the largest tensor, which nobody reads from a stored test file
        spec.encoder.position_encodings.encodings = np.zeros((AUDIO_CONTEXT, 1), np.float32)
    spec.validate()
    spec.optimize(quantization=weight_type)
    folder.mkdir(parents=True, exist_ok=True)
    spec.save(str(folder))
    return spec


def floats_of(spec):
    """{name: f32 array}, without flags, aliases and scales."""
    variables = spec.variables()
    floats = {}
    for name, variable in variables.items():
        if isinstance(variable, str) or variable.is_scalar() or name.endswith("_scale"):
            continue
        if variable.dtype in ("int8", "int16"):
            values = variable.numpy().astype(np.float32)
            scale = variables[name + "_scale"].numpy().reshape(-1, *[1] * (values.ndim - 1))
            floats[name] = values * (np.float32(1) / scale)
        else:
            floats[name] = variable.to("float32").numpy()
    return floats


def write_floats(folder, floats):
    spec = random_spec()
    spec.validate()
    for name, values in floats.items():
        *scope, leaf = name.split("/")
        owner = ctranslate2.specs.model_spec.index_spec(spec, "/".join(scope))
        getattr(owner, leaf).array[...] = values
    spec.optimize()
    folder.mkdir()
    spec.save(str(folder))


def results(folder):
    model = ctranslate2.models.Whisper(str(folder), compute_type="float32", intra_threads=1)
    mel = np.random.default_rng(8).standard_normal((1, MELS, 2 * AUDIO_CONTEXT)).astype(np.float32)
    encoded = model.encode(ctranslate2.StorageView.from_array(mel))
    start = [["<|startoftranscript|>", "<|en|>", "<|transcribe|>", "<|notimestamps|>"]]
    text = model.generate(encoded, start, return_scores=True, beam_size=1, max_length=12)[0]
    return np.array(encoded).tobytes(), text.sequences_ids, text.scores


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    target = Path(sys.argv[1])
    target.mkdir(parents=True, exist_ok=True)
    document = {"versions": {"ctranslate2": ctranslate2.__version__, "numpy": np.__version__}}
    with tempfile.TemporaryDirectory() as root:
        for weight_type in TYPES:
            quantised, floats = Path(root, weight_type), Path(root, weight_type + "_floats")
            spec = write(quantised, weight_type)
            write_floats(floats, floats_of(spec))
            if results(quantised) != results(floats):
                sys.exit(f"{weight_type}: the library computes with other weights")
        for weight_type in (*TYPES, "bfloat16"):
            spec = write(Path(root, "small", weight_type), weight_type, positions=False)
            document[weight_type] = {
                name: [list(values.shape), zlib.crc32(np.ascontiguousarray(values).tobytes())]
                for name, values in floats_of(spec).items()
            }
            binary = Path(root, "small", weight_type, "model.bin").read_bytes()
            Path(target, weight_type + ".bin").write_bytes(binary)
    Path(target, "weights.json").write_text(json.dumps(document, separators=(",", ":")) + "\n")


main()
