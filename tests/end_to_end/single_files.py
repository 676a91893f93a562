"""The small checkpoint of model_files.py in one file, as whisper.cpp and openai-whisper have it."""

import io
import pathlib
import struct
import sys
import tempfile

from model_files import AUDIO, HEADS, MELS, MLX_CONFIG, TEXT, VOCABULARY, WIDTH, Tensor, swapped

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent.parent / "oracles"))

from ggml_file import write_tensor  # noqa: E402
from pt_file import write_pt  # noqa: E402

HEADER = [VOCABULARY, AUDIO, WIDTH, HEADS, 1, TEXT, WIDTH, HEADS, 1, MELS]
Q8_0, QUANTISED = 8, 2007
SCALE = 2.0**-8  # model_files.random_tensor


def openai_tensors(ours):
    result = {}
    for name, tensor in ours.items():
        name = name.replace(".mlp1.", ".mlp.0.").replace(".mlp2.", ".mlp.2.")
        result[name] = swapped(tensor) if len(tensor.dims) == 3 else tensor
    result["encoder.positional_embedding"] = Tensor([AUDIO, WIDTH], bytes(2 * AUDIO * WIDTH))
    return result


def ggml_head(header=None, ftype=1, filters=(MELS, 1), words=(b"a", b"b")):
    out = struct.pack("<4s11i", b"lmgg", *(header or HEADER), ftype)
    out += struct.pack("<2i", *filters) + bytes(4 * MELS)
    out += struct.pack("<i", len(words))
    return out + b"".join(struct.pack("<i", len(word)) + word for word in words)


def ggml_tensor(name, tensor):
    out = io.BytesIO()
    write_tensor(out, name, tensor.dims, tensor.data)
    return out.getvalue()


def ggml_entry(name, dims, kind, data):
    head = struct.pack(f"<{3 + len(dims)}i", len(dims), len(name), kind, *reversed(dims))
    return head + name.encode() + data


def q8_0_entry(name, tensor):
    values = struct.unpack(f"<{len(tensor.data) // 2}e", tensor.data)
    blocks = b"".join(
        struct.pack("<e32b", SCALE, *(round(value / SCALE) for value in values[i : i + 32]))
        for i in range(0, len(values), 32)
    )
    return ggml_entry(name, tensor.dims, Q8_0, blocks)


def ggml_file(tensors, changed=None, **head):
    """`changed`: entries by name that stand for the right ones."""
    changed = changed or {}
    entries = [changed.get(name) or ggml_tensor(name, t) for name, t in tensors.items()]
    return ggml_head(**head) + b"".join(entries)


def pt_file(tensors, dims=None):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "model.pt"
        listed = [(name, tensor.dims, tensor.data) for name, tensor in tensors.items()]
        write_pt(path, MLX_CONFIG if dims is None else dims, listed)
        return path.read_bytes()
