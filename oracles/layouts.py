#!/usr/bin/env python3
"""A CTranslate2 Whisper folder (f16), written again in another layout by MLX or NumPy.

usage: layouts.py FOLDER LAYOUT DTYPE OUTPUT      LAYOUT: mlx, npz, npz_numpy or hf; DTYPE: f16, f32
"""

import json
import sys
from pathlib import Path

import mlx.core as mx
import numpy as np

from weights import HF_NAMES, read_checkpoint  # oracles/weights.py

HF_CONFIG = {
    "n_mels": "num_mel_bins",
    "n_audio_ctx": "max_source_positions",
    "n_audio_state": "d_model",
    "n_audio_head": "encoder_attention_heads",
    "n_audio_layer": "encoder_layers",
    "n_vocab": "vocab_size",
    "n_text_ctx": "max_target_positions",
    "n_text_head": "decoder_attention_heads",
    "n_text_layer": "decoder_layers",
}


def hf_name(name):
    for ours, theirs in HF_NAMES:
        name = name.replace(ours, theirs)
    return "model." + name


def write_hf(arrays, config, output):
    tensors = {
        hf_name(name): mx.array(np.ascontiguousarray(a.transpose(0, 2, 1)) if a.ndim == 3 else a)
        for name, a in arrays.items()
    }
    mx.save_safetensors(str(output / "model.safetensors"), tensors, {"format": "pt"})
    fields = {theirs: config[ours] for ours, theirs in HF_CONFIG.items()}
    (output / "config.json").write_text(json.dumps({**fields, "model_type": "whisper"}))
    heads = json.dumps({"alignment_heads": config["alignment_heads"]})
    (output / "generation_config.json").write_text(heads)


def write_mlx(arrays, config, output, layout):
    heads = np.array(config.pop("alignment_heads"), np.int64)
    arrays = {**arrays, "alignment_heads": heads}
    if layout == "npz_numpy":
        np.savez(output / "weights.npz", **arrays)
    elif layout == "npz":
        mx.savez(str(output / "weights.npz"), **{k: mx.array(v) for k, v in arrays.items()})
    else:
        tensors = {name: mx.array(array) for name, array in arrays.items()}
        mx.save_safetensors(str(output / "weights.safetensors"), tensors)
    (output / "config.json").write_text(json.dumps({**config, "model_type": "whisper"}))


def main(folder, layout, dtype, output):
    output = Path(output)
    output.mkdir(parents=True, exist_ok=True)
    config, tensors = read_checkpoint(folder)
    arrays = {
        name: np.frombuffer(data, np.float16)
        .reshape(dims)
        .astype({"f16": np.float16, "f32": np.float32}[dtype])
        for name, (dims, data) in tensors.items()
    }
    if layout == "hf":
        write_hf(arrays, config, output)
    else:
        write_mlx(arrays, config, output, layout)


if __name__ == "__main__":
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    main(*sys.argv[1:])
