#!/usr/bin/env python3
"""Writes whisper.cpp's file from a CTranslate2 folder, so that both programs run the same weights.

usage: ggml_file.py FOLDER MEL_FILTERS.npz OUT.bin [f32]        (the standard library is enough)

Names, order and types are those of whisper.cpp's models/convert-pt-to-ggml.py: matrices stay f16,
vectors and positions become f32; with f32 all do. Matrices have the folder's own bytes."""

import array
import json
import pathlib
import struct
import sys
import zipfile

from weights import convert, read_variables

MAGIC = 0x67676D6C
F32, F16 = 0, 1
DIMENSIONS = (  # in the file's order
    "n_vocab n_audio_ctx n_audio_state n_audio_head n_audio_layer "
    "n_text_ctx n_text_state n_text_head n_text_layer n_mels"
).split()


def bytes_of_characters():
    """GPT-2's table, turned round: the character that stands for a byte in a vocabulary → it."""
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in printable]
    table = {chr(byte): byte for byte in printable}
    table.update({chr(256 + index): byte for index, byte in enumerate(others)})
    return table


def read_vocabulary(path):
    """The plain tokens' bytes in the order of their ids; whisper.cpp adds the special ones."""
    tokenizer = json.loads(path.read_text(encoding="utf-8"))
    special = {token["content"] for token in tokenizer["added_tokens"] if token["special"]}
    ids = {text: id for text, id in tokenizer["model"]["vocab"].items() if text not in special}
    if sorted(ids.values()) != list(range(len(ids))):
        raise ValueError(f"{path}: expected plain tokens with ids from 0 without a gap")
    table = bytes_of_characters()
    return [bytes(table[c] for c in text) for text in sorted(ids, key=ids.get)]


def read_mel_filters(path, bands):
    """(rows, columns, f32 bytes) of the array mel_BANDS in NumPy's .npz."""
    with zipfile.ZipFile(path) as archive:
        content = archive.read(f"mel_{bands}.npy")
    (length,) = struct.unpack_from("<H", content, 8)
    header = content[10 : 10 + length].decode()
    columns = (len(content) - 10 - length) // 4 // bands
    expected = f"'fortran_order': False, 'shape': ({bands}, {columns})"
    if "'descr': '<f4'" not in header or expected not in header:
        raise ValueError(f"{path}: expected f32 rows in mel_{bands}, got {header.strip()}")
    return bands, columns, content[10 + length :]


def openai_tensors(variables):
    """(name, dims, f16 bytes) under openai-whisper's names and in its layout."""
    tensors, _ = convert(variables)
    tensors["encoder.positional_embedding"] = variables["encoder/position_encodings/encodings"]
    for conv in ("conv1", "conv2"):
        tensors[f"encoder.{conv}.weight"] = variables[f"encoder/{conv}/weight"]
    for name, (dims, data) in tensors.items():
        yield name.replace(".mlp1.", ".mlp.0.").replace(".mlp2.", ".mlp.2."), dims, data


def to_f32(data):
    return array.array("f", struct.unpack(f"<{len(data) // 2}e", data)).tobytes()


def write_tensor(out, name, dims, data, kind=F16):
    if name.endswith(("conv1.bias", "conv2.bias")):
        dims = [*dims, 1]
    if len(dims) == 1 or name.endswith((".bias", ".positional_embedding")):
        kind = F32
    encoded = name.encode()
    out.write(struct.pack("<iii", len(dims), len(encoded), kind))
    out.write(struct.pack(f"<{len(dims)}i", *reversed(dims)))
    out.write(encoded)
    out.write(data if kind == F16 else to_f32(data))


def dimensions(variables):
    """whisper.cpp's header in its order, before the mel filters."""
    vocabulary, width = variables["decoder/embeddings/weight"][0]
    encoder, decoder = (
        sum(name.startswith(side) and name.endswith("/ffn/linear_0/weight") for name in variables)
        for side in ("encoder", "decoder")
    )
    audio = variables["encoder/position_encodings/encodings"][0][0]
    text = variables["decoder/position_encodings/encodings"][0][0]
    bands = variables["encoder/conv1/weight"][0][1]
    heads = width // 64
    return [vocabulary, audio, width, heads, encoder, text, width, heads, decoder, bands]


def write_ggml(folder, mel_filters, path, kind=F16):
    variables = read_variables(folder / "model.bin")
    header = dimensions(variables)
    rows, columns, filters = read_mel_filters(mel_filters, header[9])
    vocabulary = read_vocabulary(folder / "tokenizer.json")
    part = path.with_name(path.name + ".part")
    with open(part, "wb") as out:
        out.write(struct.pack("<12i", MAGIC, *header, kind))
        out.write(struct.pack("<ii", rows, columns) + filters)
        out.write(struct.pack("<i", len(vocabulary)))
        for token in vocabulary:
            out.write(struct.pack("<i", len(token)) + token)
        for name, dims, data in openai_tensors(variables):
            write_tensor(out, name, dims, data, kind)
    part.rename(path)


if __name__ == "__main__":
    if len(sys.argv) not in (4, 5) or sys.argv[4:] not in ([], ["f32"]):
        sys.exit(__doc__)
    write_ggml(*map(pathlib.Path, sys.argv[1:4]), F32 if sys.argv[4:] else F16)
