#!/usr/bin/env python3
"""Writes the seeds of the targets weights_ct2, weights_safetensors, weights_npz, json and
checkpoint.

usage: weights_seeds.py        Into tests/fuzz/corpus. One encoder and one decoder layer of
width 2, in each family's names.
"""

import io
import json
import os
import struct
import zipfile

CORPUS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "corpus")
WIDTH, HEADS, MELS, AUDIO, TEXT, VOCABULARY = 2, 1, 3, 7, 6, 5
F16, I16, I8 = 4, 2, 1


def save(target, name, content):
    os.makedirs(os.path.join(CORPUS, target), exist_ok=True)
    with open(os.path.join(CORPUS, target, name), "wb") as file:
        file.write(content)


def size_of(dims):
    size = 1
    for dim in dims:
        size *= dim
    return size


def ct2_variables():
    """(name, dims): linear layers as (rows), norms of the width."""
    linears = {
        "encoder": {"self_attention/linear_0": 3, "self_attention/linear_1": 1},
        "decoder": {
            "self_attention/linear_0": 3,
            "self_attention/linear_1": 1,
            "attention/linear_0": 1,
            "attention/linear_1": 2,
            "attention/linear_2": 1,
        },
    }
    for side, layers in linears.items():
        block = f"{side}/layer_0"
        for name, parts in layers.items():
            yield f"{block}/{name}/weight", [parts * WIDTH, WIDTH]
            yield f"{block}/{name}/bias", [parts * WIDTH]
        for i, (rows, columns) in enumerate(((4 * WIDTH, WIDTH), (WIDTH, 4 * WIDTH))):
            yield f"{block}/ffn/linear_{i}/weight", [rows, columns]
            yield f"{block}/ffn/linear_{i}/bias", [rows]
        scopes = {name.rsplit("/", 1)[0] for name in layers} | {"ffn"}
        for scope in sorted(f"{block}/{s}" for s in scopes) + [side]:
            yield f"{scope}/layer_norm/gamma", [WIDTH]
            yield f"{scope}/layer_norm/beta", [WIDTH]
    for conv, inputs in (("conv1", MELS), ("conv2", WIDTH)):
        yield f"encoder/{conv}/weight", [WIDTH, inputs, 3]
        yield f"encoder/{conv}/bias", [WIDTH]
    yield "encoder/position_encodings/encodings", [AUDIO, WIDTH]
    yield "decoder/position_encodings/encodings", [TEXT, WIDTH]
    yield "decoder/embeddings/weight", [VOCABULARY, WIDTH]


def text(value):
    return struct.pack("<H", len(value) + 1) + value.encode() + b"\0"


def ct2(variables, version, flags, alias=True):
    """`variables`: (name, dims, type code); before version 4 only item sizes are written."""
    item_bytes = {F16: 2, I16: 2, I8: 1, 0: 4}
    out = struct.pack("<I", version) + text("WhisperSpec") + struct.pack("<I", 3)
    entries = [(n, d, t, b"\0" * item_bytes[t] * size_of(d)) for n, d, t in variables]
    entries += [(n, [], I16, struct.pack("<h", v)) for n, v in flags]
    out += struct.pack("<I", len(entries))
    for name, dims, code, data in entries:
        out += text(name) + struct.pack(f"<B{len(dims)}I", len(dims), *dims)
        if version >= 4:
            out += struct.pack("<BI", code, len(data))
        else:
            out += struct.pack("<BI", item_bytes[code], len(data) // item_bytes[code])
        out += data
    if version >= 3:
        out += struct.pack("<I", int(alias))
    if version >= 3 and alias:
        out += text("decoder/projection/weight") + text("decoder/embeddings/weight")
    return out


def safetensors(tensors):
    header, data = {"__metadata__": {"format": "pt"}}, b""
    for name, dtype, dims, item_bytes in tensors:
        size = item_bytes * size_of(dims)
        header[name] = {
            "dtype": dtype,
            "shape": dims,
            "data_offsets": [len(data), len(data) + size],
        }
        data += bytes(i % 251 for i in range(size))
    head = json.dumps(header).encode()
    return struct.pack("<Q", len(head)) + head + data


def npz(tensors, method=zipfile.ZIP_STORED):
    descr = {"F32": "<f4", "F16": "<f2", "BF16": "<V2", "U32": "<u4"}
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, dtype, dims, item_bytes in tensors:
            shape = "".join(f"{dim}, " for dim in dims)
            head = f"{{'descr': '{descr[dtype]}', 'fortran_order': False, 'shape': ({shape})}}\n"
            data = bytes(i % 251 for i in range(item_bytes * size_of(dims)))
            content = b"\x93NUMPY\1\0" + struct.pack("<H", len(head)) + head.encode() + data
            archive.writestr(zipfile.ZipInfo(name + ".npy"), content, method)
    return out.getvalue()


HF = [
    ("model.encoder.conv1.weight", "F16", [WIDTH, MELS, 3], 2),
    ("model.encoder.layers.0.self_attn.q_proj.weight", "F16", [WIDTH, WIDTH], 2),
    ("model.encoder.layers.0.fc1.bias", "BF16", [4 * WIDTH], 2),
    ("model.encoder.embed_positions.weight", "F32", [AUDIO, WIDTH], 4),
    ("model.decoder.embed_tokens.weight", "F16", [VOCABULARY, WIDTH], 2),
    ("model.decoder.embed_positions.weight", "F16", [TEXT, WIDTH], 2),
]
MLX = [
    ("alignment_heads", "U32", [1, 2], 4),
    ("decoder.token_embedding.weight", "F32", [VOCABULARY, WIDTH], 4),
    ("encoder.blocks.0.attn.query.weight", "F16", [WIDTH, WIDTH], 2),
    ("encoder.conv1.weight", "F16", [WIDTH, 3, MELS], 2),
]
MLX_4_BIT = [
    ("decoder.token_embedding.weight", "U32", [VOCABULARY, 4], 4),
    ("decoder.token_embedding.scales", "F16", [VOCABULARY, 1], 2),
    ("decoder.token_embedding.biases", "F16", [VOCABULARY, 1], 2),
    ("encoder.blocks.0.attn.query.weight", "U32", [2, 8], 4),
    ("encoder.blocks.0.attn.query.scales", "BF16", [2, 2], 2),
    ("encoder.blocks.0.attn.query.biases", "BF16", [2, 2], 2),
]
MLX_CONFIG = {
    "n_mels": MELS,
    "n_audio_ctx": AUDIO,
    "n_audio_state": WIDTH,
    "n_audio_head": HEADS,
    "n_audio_layer": 1,
    "n_vocab": VOCABULARY,
    "n_text_ctx": TEXT,
    "n_text_state": WIDTH,
    "n_text_head": HEADS,
    "n_text_layer": 1,
    "alignment_heads": [[0, 0]],
}
TINY_EN = {
    "n_mels": 80,
    "n_audio_ctx": 1500,
    "n_audio_state": 384,
    "n_audio_head": 6,
    "n_audio_layer": 4,
    "n_vocab": 51864,
    "n_text_ctx": 448,
    "n_text_state": 384,
    "n_text_head": 6,
    "n_text_layer": 4,
}
HF_CONFIG = {
    "num_mel_bins": MELS,
    "max_source_positions": AUDIO,
    "d_model": WIDTH,
    "encoder_attention_heads": HEADS,
    "encoder_layers": 1,
    "vocab_size": VOCABULARY,
    "max_target_positions": TEXT,
    "decoder_attention_heads": HEADS,
    "decoder_layers": 1,
    "alignment_heads": [[0, 0]],
    "text": '\u00e4\U0001f426"\\',
    "none": None,
    "x": [1.5e3],
}


def folder(files):
    """A model's folder in one input."""
    return b"".join(b"@@ " + name.encode() + b"\n" + content for name, content in files.items())


def sharded(tensors):
    halves = {"a.safetensors": tensors[::2], "b.safetensors": tensors[1::2]}
    weight_map = {entry[0]: file for file, held in halves.items() for entry in held}
    return {
        **{file: safetensors(held) for file, held in halves.items()},
        "model.safetensors.index.json": json.dumps({"weight_map": weight_map}).encode(),
        "config.json": json.dumps(HF_CONFIG).encode(),
    }


def save_folders(ct2_model):
    heads = json.dumps({"alignment_heads": [[0, 0]]}).encode()
    whole = {"model.bin": ct2_model, "config.json": heads, "tokenizer.json": b"{}"}
    save("checkpoint", "ct2", folder(whole))
    mlx = {"weights.safetensors": safetensors(MLX), "config.json": json.dumps(MLX_CONFIG).encode()}
    save("checkpoint", "mlx", folder(mlx))
    config = json.dumps({**MLX_CONFIG, "quantization": {"group_size": 32, "bits": 4}}).encode()
    save("checkpoint", "mlx_4bit", folder({"weights.npz": npz(MLX_4_BIT), "config.json": config}))
    hf = {"model.safetensors": safetensors(HF), "config.json": json.dumps(HF_CONFIG).encode()}
    save("checkpoint", "hf", folder({**hf, "generation_config.json": heads}))
    save("checkpoint", "sharded", folder(sharded(HF)))


if __name__ == "__main__":
    flags = [("encoder/num_heads", HEADS), ("decoder/num_heads", HEADS), ("decoder/pre_norm", 1)]
    whole = [(name, dims, F16) for name, dims in ct2_variables()]
    save("weights_ct2", "whole.bin", ct2(whole, 6, flags))
    save("weights_ct2", "version3.bin", ct2([(n, d, 0) for n, d, _ in whole[:6]], 3, flags, False))
    quantised = [
        ("decoder/layer_0/ffn/linear_0/weight", [8, 2], I8),
        ("decoder/layer_0/ffn/linear_0/weight_scale", [8], 0),
    ]
    save("weights_ct2", "quantised.bin", ct2(quantised, 6, [], False))
    save("weights_safetensors", "hf.safetensors", safetensors(HF))
    save("weights_safetensors", "mlx.safetensors", safetensors(MLX))
    save("weights_npz", "mlx.npz", npz(MLX))
    save("weights_npz", "packed.npz", npz(HF, zipfile.ZIP_DEFLATED))
    save("json", "mlx.json", json.dumps(MLX_CONFIG).encode())
    save("json", "hf.json", json.dumps(HF_CONFIG, indent=1, ensure_ascii=False).encode())
    save("json", "escapes.json", json.dumps(HF_CONFIG).encode())
    save("json", "tiny_en.json", json.dumps({**MLX_CONFIG, **TINY_EN}).encode())
    # Kept: numbers that no double holds ended the program's sentence in the parser's own words.
    save("json", "overflow.json", b'{"n_mels": 5e864}')
    save_folders(ct2(whole, 6, flags))
