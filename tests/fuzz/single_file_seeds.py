#!/usr/bin/env python3
"""Writes the seeds of the targets weights_pt and weights_ggml, and those of zip and checkpoint that
are models in one file, into tests/fuzz/corpus.

usage: single_file_seeds.py        One encoder and one decoder layer of width 2.
"""

import pathlib
import struct
import sys
import tempfile
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent.parent / "oracles")]

from ggml_file import DIMENSIONS  # noqa: E402
from pt_file import write_pt  # noqa: E402
from weights_seeds import MLX_CONFIG, folder, save  # noqa: E402

TENSORS = {
    "encoder.conv1.weight": [2, 3, 3],
    "encoder.blocks.0.attn.query.weight": [2, 2],
    "encoder.blocks.0.mlp.0.weight": [8, 2],
    "encoder.positional_embedding": [7, 2],
    "decoder.token_embedding.weight": [5, 2],
    "decoder.ln.bias": [2],
}
# ggml's types: code, elements and bytes of a block.
BLOCKS = [
    (2, 32, 18),
    (3, 32, 20),
    (6, 32, 22),
    (7, 32, 24),
    (8, 32, 34),
    (10, 256, 84),
    (11, 256, 110),
    (12, 256, 144),
    (13, 256, 176),
    (14, 256, 210),
]


def content(size):
    return bytes(i * 37 % 251 for i in range(size))


def size_of(dims):
    size = 1
    for dim in dims:
        size *= dim
    return size


def pt():
    tensors = [(name, dims, content(2 * size_of(dims))) for name, dims in TENSORS.items()]
    dims = {name: MLX_CONFIG[name] for name in DIMENSIONS}
    with tempfile.TemporaryDirectory() as place:
        path = pathlib.Path(place) / "a.pt"
        write_pt(path, dims, tensors)
        with zipfile.ZipFile(path) as archive:
            return path.read_bytes(), archive.read("a/data.pkl")


def ggml(entries, ftype):
    out = struct.pack("<I", 0x67676D6C)
    out += struct.pack("<11i", *(MLX_CONFIG[name] for name in DIMENSIONS), ftype)
    out += struct.pack("<2i", MLX_CONFIG["n_mels"], 2) + content(MLX_CONFIG["n_mels"] * 8)
    out += struct.pack("<2i2si2s", 2, 2, b"ab", 2, b"cd")
    for name, dims, kind, data in entries:
        out += struct.pack(f"<{3 + len(dims)}i", len(dims), len(name), kind, *reversed(dims))
        out += name.encode() + data
    return out


def zip64(archive):
    """The archive with zip64's records, as torch writes them."""
    plain = archive[-22:]
    members, length, position = struct.unpack_from("<HII", plain, 10)
    at = len(archive) - 22
    record = struct.pack("<IQHHII", 0x06064B50, 44, 45, 45, 0, 0)
    record += struct.pack("<4Q", members, members, length, position)
    return archive[:-22] + record + struct.pack("<IIQI", 0x07064B50, 0, at, 1) + plain


if __name__ == "__main__":
    whole, pickled = pt()
    save("weights_pt", "whole.pt", whole)
    save("weights_pt", "data.pkl", pickled)
    save("zip", "zip64.zip", zip64(whole))
    plain = [(name, dims, 1, content(2 * size_of(dims))) for name, dims in TENSORS.items()]
    save("weights_ggml", "plain.bin", ggml(plain, 1))
    blocks = [(f"q{code}", [2, 2 * n], code, content(4 * size)) for code, n, size in BLOCKS]
    save("weights_ggml", "blocks.bin", ggml(blocks, 2007))
    save("checkpoint", "ggml", folder({"ggml-a.bin": ggml(plain, 1)}))
    save("checkpoint", "pt", folder({"a.pt": whole}))
