#!/usr/bin/env python3
"""What src/weights must read from a CTranslate2 Whisper folder: shape and CRC-32 of each tensor.

usage: weights.py FOLDER > tests/data/weights_NAME.json        (the standard library is enough)

An own reader of model.bin (version 6), written apart from the C++ one. Names and layout are
mlx-whisper's; the bytes are those of the file (f16), where the layout differs after the move.
"""

import array
import json
import os
import struct
import sys
import zlib

ITEM_BYTES = {0: 4, 1: 1, 2: 2, 3: 4, 4: 2, 5: 2}
LINEAR = (("weight", "weight"), ("bias", "bias"))
NORM = (("gamma", "weight"), ("beta", "bias"))
# From our names to Hugging Face's: what is replaced, in this order.
HF_NAMES = [
    ("decoder.ln", "decoder.layer_norm"),
    ("cross_attn_ln", "encoder_attn_layer_norm"),
    (".cross_attn.", ".encoder_attn."),
    (".attn_ln", ".self_attn_layer_norm"),
    (".attn.", ".self_attn."),
    ("mlp_ln", "final_layer_norm"),
    ("ln_post", "layer_norm"),
    ("mlp1", "fc1"),
    ("mlp2", "fc2"),
    (".query", ".q_proj"),
    (".key", ".k_proj"),
    (".value", ".v_proj"),
    (".out.", ".out_proj."),
    ("blocks", "layers"),
    ("token_embedding", "embed_tokens"),
    ("positional_embedding", "embed_positions.weight"),
]


def read_variables(path):
    """{name: (dims, bytes)} without the aliases."""
    with open(path, "rb") as file:
        content = memoryview(file.read())
    position = 0

    def number(form):
        nonlocal position
        (value,) = struct.unpack_from("<" + form, content, position)
        position += struct.calcsize(form)
        return value

    def take(count):
        nonlocal position
        position += count
        return content[position - count : position]

    def text():
        return bytes(take(number("H")))[:-1].decode()

    assert number("I") == 6 and text() == "WhisperSpec"
    number("I")
    variables = {}
    for _ in range(number("I")):
        name = text()
        dims = [number("I") for _ in range(number("B"))]
        item_bytes = ITEM_BYTES[number("B")]
        data = take(number("I"))
        assert len(data) == item_bytes * size_of(dims), name
        variables[name] = dims, data
    return variables


def size_of(dims):
    size = 1
    for dim in dims:
        size *= dim
    return size


def rows(variable, part, parts):
    dims, data = variable
    bytes_of_part = len(data) // parts
    return [dims[0] // parts, *dims[1:]], data[part * bytes_of_part : (part + 1) * bytes_of_part]


def channels_last(variable):
    """[out, in, k] of two-byte items to [out, k, in]."""
    (outs, ins, taps), data = variable
    source, target = array.array("H", bytes(data)), array.array("H")
    for out in range(outs):
        block = source[out * ins * taps : (out + 1) * ins * taps]
        for tap in range(taps):
            target.extend(block[tap::taps])
    return [outs, taps, ins], memoryview(target.tobytes())


def convert_attention(variables, tensors, theirs, ours, is_cross):
    """The query alone and key, value fused (cross), or all three fused; no bias for the key."""
    if is_cross:
        places = (
            ("query", "linear_0", 0, 1),
            ("key", "linear_1", 0, 2),
            ("value", "linear_1", 1, 2),
        )
    else:
        places = tuple((n, "linear_0", i, 3) for i, n in enumerate(("query", "key", "value")))
    for name, linear, part, parts in places:
        for leaf in ("weight", "bias"):
            piece = rows(variables[f"{theirs}/{linear}/{leaf}"], part, parts)
            if (name, leaf) == ("key", "bias"):
                assert not any(piece[1]), theirs
            else:
                tensors[f"{ours}.{name}.{leaf}"] = piece
    out = "linear_2" if is_cross else "linear_1"
    for leaf in ("weight", "bias"):
        tensors[f"{ours}.out.{leaf}"] = variables[f"{theirs}/{out}/{leaf}"]


def convert(variables):
    tensors, layers = {}, {}

    def copy(ours, theirs, leaves):
        for their_leaf, our_leaf in leaves:
            tensors[f"{ours}.{our_leaf}"] = variables[f"{theirs}/{their_leaf}"]

    for side in ("encoder", "decoder"):
        layers[side] = 0
        while f"{side}/layer_{layers[side]}/ffn/linear_0/weight" in variables:
            theirs, ours = f"{side}/layer_{layers[side]}", f"{side}.blocks.{layers[side]}"
            convert_attention(variables, tensors, theirs + "/self_attention", ours + ".attn", False)
            copy(ours + ".attn_ln", theirs + "/self_attention/layer_norm", NORM)
            if side == "decoder":
                convert_attention(
                    variables, tensors, theirs + "/attention", ours + ".cross_attn", True
                )
                copy(ours + ".cross_attn_ln", theirs + "/attention/layer_norm", NORM)
            copy(ours + ".mlp_ln", theirs + "/ffn/layer_norm", NORM)
            copy(ours + ".mlp1", theirs + "/ffn/linear_0", LINEAR)
            copy(ours + ".mlp2", theirs + "/ffn/linear_1", LINEAR)
            layers[side] += 1
    for conv in ("conv1", "conv2"):
        tensors[f"encoder.{conv}.weight"] = channels_last(variables[f"encoder/{conv}/weight"])
        tensors[f"encoder.{conv}.bias"] = variables[f"encoder/{conv}/bias"]
    copy("encoder.ln_post", "encoder/layer_norm", NORM)
    copy("decoder.ln", "decoder/layer_norm", NORM)
    tensors["decoder.token_embedding.weight"] = variables["decoder/embeddings/weight"]
    tensors["decoder.positional_embedding"] = variables["decoder/position_encodings/encodings"]
    return tensors, layers


def read_checkpoint(folder):
    """(config, {our name: (dims, bytes)}), both under mlx-whisper's names."""
    variables = read_variables(os.path.join(folder, "model.bin"))
    tensors, layers = convert(variables)
    with open(os.path.join(folder, "config.json"), encoding="utf-8") as file:
        heads = json.load(file)["alignment_heads"]
    vocabulary, width = variables["decoder/embeddings/weight"][0]
    config = {
        "n_mels": variables["encoder/conv1/weight"][0][1],
        "n_audio_ctx": variables["encoder/position_encodings/encodings"][0][0],
        "n_audio_state": width,
        "n_audio_head": width // 64,
        "n_audio_layer": layers["encoder"],
        "n_vocab": vocabulary,
        "n_text_ctx": variables["decoder/position_encodings/encodings"][0][0],
        "n_text_state": width,
        "n_text_head": width // 64,
        "n_text_layer": layers["decoder"],
        "alignment_heads": heads,
    }
    return config, tensors


def main(folder):
    config, tensors = read_checkpoint(folder)
    lines = [
        f"{json.dumps(name)}: {json.dumps([dims, zlib.crc32(data)])}"
        for name, (dims, data) in sorted(tensors.items())
    ]
    print('{"config": ' + json.dumps(config) + ',\n"tensors": {\n' + ",\n".join(lines) + "\n}}")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
