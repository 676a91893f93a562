#!/usr/bin/env python3
"""What transformers computes with small models in the layout of Whisper's newer sizes.

usage: sizes_hf.py > tests/data/sizes_hf.json

Names, shapes and config are those that transformers writes; the values follow from a hash of each
tensor's name, so that the test makes the same model by itself. Logits and features are computed in
f64; the errors are how far transformers' own f32 lies from them: another order of the same sums in
f32 should be as near. Needs torch and transformers (written with 1.13.0 and 4.36.2); run by hand.
"""

import json
import sys
import zlib

import numpy as np
import torch
import transformers

SIZES = {"large_v3": (2, 3), "turbo": (2, 4), "distil": (3, 2)}  # layers: encoder, decoder
WIDTH, HEADS, MELS, VOCABULARY = 64, 2, 128, 51866
TOKENS = [50258, 50259, 50360, 50364, 400, 51865]
IDS = [0, 1, 220, 400, 1000, 10000, 30000, 50256, 50257, 50258, 50364, 51000, 51864, 51865]
FRAMES = [0, 1, 700, 1499]


def hashed(name, shape):
    """In [-0.5, 0.5): MurmurHash3's finaliser of the index and the name's CRC-32."""
    x = np.arange(int(np.prod(shape)), dtype=np.uint32) ^ np.uint32(zlib.crc32(name.encode()))
    for shift, factor in ((16, 0x85EBCA6B), (13, 0xC2B2AE35)):
        x = (x ^ (x >> np.uint32(shift))) * np.uint32(factor)
    x ^= x >> np.uint32(16)
    return (x / 2.0**32 - 0.5).astype(np.float32).reshape(shape)


def fill(model):
    tensors = {}
    with torch.no_grad():
        for name, tensor in model.state_dict().items():
            if name == "proj_out.weight":
                continue  # the embedding
            tensors[name] = list(tensor.shape)
            if name != "model.encoder.embed_positions.weight":
                value = hashed(name, tensor.shape) / 2
                is_norm = "layer_norm.weight" in name
                tensor.copy_(torch.from_numpy(value + 1 if is_norm else value))
    return tensors


def results(model, dtype):
    torch.set_default_dtype(dtype)  # of the masks that it makes
    model = model.to(dtype).eval()
    mel = torch.from_numpy(hashed("mel", (1, MELS, 3000))).to(dtype)
    with torch.no_grad():
        out = model(input_features=mel, decoder_input_ids=torch.tensor([TOKENS]))
    features = out.encoder_last_hidden_state[0, FRAMES]
    return features.double().numpy(), out.logits[0][:, IDS].double().numpy()


def row(name, encoder_layers, decoder_layers):
    torch.set_default_dtype(torch.float32)
    config = transformers.WhisperConfig(
        vocab_size=VOCABULARY,
        num_mel_bins=MELS,
        d_model=WIDTH,
        encoder_layers=encoder_layers,
        decoder_layers=decoder_layers,
        encoder_attention_heads=HEADS,
        decoder_attention_heads=HEADS,
        encoder_ffn_dim=4 * WIDTH,
        decoder_ffn_dim=4 * WIDTH,
    )
    model = transformers.WhisperForConditionalGeneration(config)
    tensors = fill(model)
    near, exact = results(model, torch.float32), results(model, torch.float64)
    return {
        "name": name,
        "config": config.to_dict(),
        "tensors": tensors,
        "tokens": TOKENS,
        "ids": IDS,
        "frames": FRAMES,
        "features": exact[0].tolist(),
        "features_f32_error": np.abs(near[0] - exact[0]).max(),
        "logits": exact[1].tolist(),
        "logits_f32_error": np.abs(near[1] - exact[1]).max(),
    }


versions = {"torch": torch.__version__, "transformers": transformers.__version__}
rows = [row(name, *layers) for name, layers in SIZES.items()]
json.dump({"versions": versions, "rows": rows}, sys.stdout, separators=(",", ":"))
print()
