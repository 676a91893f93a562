"""A small Whisper checkpoint of random weights, in each family's names and layout."""

import array
import dataclasses
import io
import json
import pathlib
import random
import struct
import sys
import zipfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent.parent / "oracles"))

from weights import HF_NAMES  # noqa: E402

WIDTH, HEADS, VOCABULARY, MELS, AUDIO, TEXT = 16, 2, 51864, 80, 1500, 448
CODES = {"F32": 0, "I8": 1, "I16": 2, "I32": 3, "F16": 4, "BF16": 5}
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
}


@dataclasses.dataclass
class Tensor:
    dims: list
    data: bytes
    type: str = "F16"


def size_of(dims):
    size = 1
    for dim in dims:
        size *= dim
    return size


def random_tensor(source, dims):
    """f16 of either sign, from 0.125 to 0.5, in steps of 2**-8, as int8 can hold them."""
    count = size_of(dims)
    bits = int.from_bytes(source.randbytes(2 * count), "little")
    keep, put = (int.from_bytes(struct.pack("<H", m) * count, "little") for m in (0x87E0, 0x3000))
    return Tensor(dims, (bits & keep | put).to_bytes(2 * count, "little"))


def linear(name, out, into):
    yield f"{name}.weight", [out, into]
    yield f"{name}.bias", [out]


def norm(name):
    yield f"{name}.weight", [WIDTH]
    yield f"{name}.bias", [WIDTH]


def attention(name):
    yield f"{name}.key.weight", [WIDTH, WIDTH]
    for part in ("query", "value", "out"):
        yield from linear(f"{name}.{part}", WIDTH, WIDTH)
    yield from norm(f"{name}_ln")


def shapes():
    for side in ("encoder", "decoder"):
        block = f"{side}.blocks.0"
        yield from attention(f"{block}.attn")
        if side == "decoder":
            yield from attention(f"{block}.cross_attn")
        yield from linear(f"{block}.mlp1", 4 * WIDTH, WIDTH)
        yield from linear(f"{block}.mlp2", WIDTH, 4 * WIDTH)
        yield from norm(f"{block}.mlp_ln")
    for conv, inputs in (("conv1", MELS), ("conv2", WIDTH)):
        yield f"encoder.{conv}.weight", [WIDTH, 3, inputs]
        yield f"encoder.{conv}.bias", [WIDTH]
    yield from norm("encoder.ln_post")
    yield from norm("decoder.ln")
    yield "decoder.token_embedding.weight", [VOCABULARY, WIDTH]
    yield "decoder.positional_embedding", [TEXT, WIDTH]


def mlx_tensors():
    source = random.Random(1)
    return {name: random_tensor(source, dims) for name, dims in shapes()}


def swapped(tensor):
    """[A, B, C] → [A, C, B]."""
    a_count, b_count, c_count = tensor.dims
    values, result = array.array("H", tensor.data), array.array("H")
    for a in range(a_count):
        block = values[a * b_count * c_count : (a + 1) * b_count * c_count]
        for c in range(c_count):
            result += block[c::c_count]
    return Tensor([a_count, c_count, b_count], result.tobytes(), tensor.type)


def hf_tensors(ours):
    result = {}
    for name, tensor in ours.items():
        is_convolution = len(tensor.dims) == 3
        for old, new in HF_NAMES:
            name = name.replace(old, new, 1)
        result["model." + name] = swapped(tensor) if is_convolution else tensor
    return result


def fused(ours, scope, parts):
    """Weight and bias of several layers, one above the other; keys have no bias."""
    weights = [ours[f"{scope}.{part}.weight"].data for part in parts]
    biases = [
        bytes(2 * WIDTH) if part == "key" else ours[f"{scope}.{part}.bias"].data for part in parts
    ]
    rows = len(parts) * WIDTH
    return Tensor([rows, WIDTH], b"".join(weights)), Tensor([rows], b"".join(biases))


def ct2_tensors(ours):
    result = {}

    def copy(theirs, our, leaves=("weight", "bias")):
        for their_leaf, leaf in zip(leaves, ("weight", "bias")):
            result[f"{theirs}/{their_leaf}"] = ours[f"{our}.{leaf}"]

    def copy_norm(theirs, our):
        copy(f"{theirs}/layer_norm", our, ("gamma", "beta"))

    def copy_fused(theirs, our, parts):
        result[f"{theirs}/weight"], result[f"{theirs}/bias"] = fused(ours, our, parts)

    for side in ("encoder", "decoder"):
        block, layer = f"{side}.blocks.0", f"{side}/layer_0"
        copy_fused(f"{layer}/self_attention/linear_0", f"{block}.attn", ["query", "key", "value"])
        copy(f"{layer}/self_attention/linear_1", f"{block}.attn.out")
        copy_norm(f"{layer}/self_attention", f"{block}.attn_ln")
        if side == "decoder":
            copy(f"{layer}/attention/linear_0", f"{block}.cross_attn.query")
            copy_fused(f"{layer}/attention/linear_1", f"{block}.cross_attn", ["key", "value"])
            copy(f"{layer}/attention/linear_2", f"{block}.cross_attn.out")
            copy_norm(f"{layer}/attention", f"{block}.cross_attn_ln")
        copy_norm(f"{layer}/ffn", f"{block}.mlp_ln")
        copy(f"{layer}/ffn/linear_0", f"{block}.mlp1")
        copy(f"{layer}/ffn/linear_1", f"{block}.mlp2")
        copy_norm(side, "encoder.ln_post" if side == "encoder" else "decoder.ln")
        result[f"{side}/num_heads"] = Tensor([], struct.pack("<h", HEADS), "I16")
    for conv in ("conv1", "conv2"):
        result[f"encoder/{conv}/weight"] = swapped(ours[f"encoder.{conv}.weight"])
        result[f"encoder/{conv}/bias"] = ours[f"encoder.{conv}.bias"]
    result["decoder/embeddings/weight"] = ours["decoder.token_embedding.weight"]
    result["decoder/position_encodings/encodings"] = ours["decoder.positional_embedding"]
    return result


def ct2_text(text):
    return struct.pack("<H", len(text) + 1) + text.encode() + b"\0"


def ct2_entry(name, tensor):
    dims = tensor.dims
    head = struct.pack(f"<B{len(dims)}IBI", len(dims), *dims, CODES[tensor.type], len(tensor.data))
    return ct2_text(name) + head + tensor.data


def ct2_file(tensors, version=6, spec="WhisperSpec", count=None, aliases=None, entries=None):
    """`entries`, where given, stand for those of `tensors`."""
    if aliases is None:
        aliases = [("decoder/projection/weight", "decoder/embeddings/weight")]
    if entries is None:
        entries = [ct2_entry(name, tensor) for name, tensor in tensors.items()]
    content = struct.pack("<I", version) + ct2_text(spec) + struct.pack("<I", 3)
    content += struct.pack("<I", len(entries) if count is None else count) + b"".join(entries)
    content += struct.pack("<I", len(aliases))
    return content + b"".join(ct2_text(alias) + ct2_text(name) for alias, name in aliases)


def safetensors_header(tensors):
    header, end = {}, 0
    for name, tensor in tensors.items():
        begin, end = end, end + len(tensor.data)
        header[name] = {"dtype": tensor.type, "shape": tensor.dims, "data_offsets": [begin, end]}
    return header


def safetensors_file(tensors, header=None, length=None):
    """`header` and `length`, where given, stand for the right ones; a header may be text."""
    if header is None:
        header = safetensors_header(tensors)
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    head = struct.pack("<Q", len(text) if length is None else length)
    return head + text + b"".join(tensor.data for tensor in tensors.values())


def npy_file(tensor, **fields):
    """`fields` stand for the header's right ones, as Python writes them."""
    descr = {"F16": "<f2", "F32": "<f4", "U32": "<u4", "I32": "<i4"}[tensor.type]
    shape = "".join(f"{dim}, " for dim in tensor.dims)
    header = {"descr": f"'{descr}'", "fortran_order": "False", "shape": f"({shape})", **fields}
    text = "{" + ", ".join(f"'{key}': {value}" for key, value in header.items()) + ", }\n"
    return b"\x93NUMPY\1\0" + struct.pack("<H", len(text)) + text.encode() + tensor.data


def npz_file(tensors, method=zipfile.ZIP_STORED, **members):
    """`members`: further files, by their names without the ending."""
    out = io.BytesIO()
    files = {name: npy_file(tensor) for name, tensor in tensors.items()} | members
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, content in files.items():
            archive.writestr(name + ".npy", content)
    return out.getvalue()
