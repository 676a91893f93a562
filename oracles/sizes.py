#!/usr/bin/env python3
"""Small random models in the layout of each of Whisper's sizes, and what mlx-whisper computes.

usage: sizes.py FOLDER

FOLDER/NAME: a model as MLX's converter writes it (weights.safetensors or weights.npz, config.json).
FOLDER/NAME.safetensors: inputs and results.

Needs what oracles/whisper.py needs. Bits are comparable under its conditions.
"""

import json
import sys
from dataclasses import asdict
from pathlib import Path

import mlx.core as mx
import numpy as np
import whisper as oracle  # oracles/whisper.py
from mlx.utils import tree_flatten, tree_map

WIDTH, HEADS = 64, 2
# name: bands, vocabulary, layers of the encoder, of the decoder, type, writer
SIZES = {
    "tiny_en": (80, 51864, 1, 1, mx.float16, "np.savez"),
    "large_v2": (80, 51865, 2, 2, mx.float16, "safetensors"),
    "large_v3": (128, 51866, 2, 2, mx.bfloat16, "mx.savez"),
    "turbo": (128, 51866, 2, 4, mx.float16, "np.savez_compressed"),
    "distil": (128, 51866, 3, 2, mx.float32, "safetensors"),
}


def random_model(bands, vocabulary, encoder_layers, decoder_layers, dtype):
    dims = oracle.whisper.ModelDimensions(
        bands, 1500, WIDTH, HEADS, encoder_layers, vocabulary, 448, WIDTH, HEADS, decoder_layers
    )
    model = oracle.whisper.Whisper(dims, mx.float32)
    keys = iter(mx.random.split(mx.random.key(11), 1000))

    def stored(value):  # heads stay; every weight gets a value that the stored type holds
        if value.dtype != mx.float32:
            return value
        return (mx.random.normal(value.shape, key=next(keys)) / 8).astype(dtype).astype(mx.float32)

    model.update(tree_map(stored, model.parameters()))
    return model


def save(model, folder, dtype, writer):
    folder.mkdir(parents=True, exist_ok=True)
    weights = {
        name: value.astype(dtype) if value.dtype == mx.float32 else value
        for name, value in tree_flatten(model.parameters())
    }
    if writer == "safetensors":
        mx.save_safetensors(str(folder / "weights.safetensors"), weights)
    elif writer == "mx.savez":
        mx.savez(str(folder / "weights.npz"), **weights)
    else:
        write = np.savez if writer == "np.savez" else np.savez_compressed
        write(folder / "weights.npz", **{k: np.array(v) for k, v in weights.items()})
    config = {**asdict(model.dims), "model_type": "whisper"}
    (folder / "config.json").write_text(json.dumps(config, indent=4))


def results(model):
    mel = mx.random.normal((1, 3000, model.dims.n_mels), key=mx.random.key(12))
    features = model.encoder(mel)
    tokens = [mx.array([[50257, 50258, 50300, 400, model.dims.n_vocab - 1]]), mx.array([[7]])]
    arrays, cache = {"mel": mel, "features": features}, None
    for step, ids in enumerate(tokens):
        logits, cache, _ = model.decoder(ids, features, cache)
        arrays.update({f"tokens{step}": ids, f"logits{step}": logits})
    return arrays


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    for name, (*dims, dtype, writer) in SIZES.items():
        model = random_model(*dims, dtype)
        save(model, Path(sys.argv[1], name), dtype, writer)
        mx.save_safetensors(str(Path(sys.argv[1], name + ".safetensors")), results(model))


main()
