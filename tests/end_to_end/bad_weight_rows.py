"""Files of weights, each with one thing wrong, and the sentence about it."""

import json
import struct

from bad_model_rows import CT2, EMBEDDINGS, INDEX, NPZ, ST, Row, sharded
from model_files import (
    WIDTH,
    Tensor,
    ct2_entry,
    ct2_file,
    npy_file,
    npz_file,
    safetensors_file,
    safetensors_header,
)


def ct2_files_that_lie(small):
    """Cut, counted wrong, of another kind."""

    def row(name, content, sentence):
        return Row(f"ct2_{name}", {CT2: content}, f"{{folder}}/{CT2}: {sentence}")

    tensors = small.ct2
    whole = ct2_file(tensors)
    end = r"expected \d+ bytes at position \d+, got the end of the file after \d+"
    for share in (0, 1, 10, 50, 90, 99):
        yield row(f"cut_{share}", whole[: len(whole) * share // 100], end)
    yield row("cut_1_byte", whole[:-1], end)
    yield row("longer", whole + b"\0", r"expected the end of the file at position \d+, got 1 bytes")
    version = "expected a CTranslate2 model of version 2 to 6, got version {}"
    yield row("version_1", ct2_file(tensors, version=1), version.format(1))
    yield row("version_7", ct2_file(tensors, version=7), version.format(7))
    yield row("text", b"no model at all\n" * 100, version.format(1830842222))
    yield row("zeros", bytes(100000), version.format(0))
    spec = r'expected a Whisper model \(WhisperSpec\), got "TransformerSpec"'
    yield row("other_spec", ct2_file(tensors, spec="TransformerSpec"), spec)
    name = r"expected the name of variable \d+ of {} at position \d+"
    yield row("huge_count", ct2_file(tensors, count=0xFFFFFFFF), name.format(0xFFFFFFFF))
    text = r"expected a text that ends in NUL before position \d+"
    yield row("count_less", ct2_file(tensors, count=3), text)
    alias = ct2_file(tensors, aliases=[("decoder/a", "decoder/b")])
    yield row("far_alias", alias, "decoder/a is another name of decoder/b, which is missing")
    entries = [ct2_entry(n, t) for n, t in tensors.items()]
    twice = ct2_file(tensors, entries=[*entries, entries[0]])
    yield row("twice", twice, "the tensor encoder/.*/weight is there twice")
    bad_type = bytearray(entries[0])
    bad_type[2 + struct.unpack("<H", bad_type[:2])[0] + 1 + 8] = 99
    unknown = ct2_file(tensors, entries=[bytes(bad_type), *entries[1:]])
    yield row("unknown_type", unknown, "expected a type from 0 to 5 for encoder/.*/weight, got 99")


def ct2_tensors_that_lie(small):
    name = "decoder/layer_norm/gamma"
    do_not_fit = "the tensors do not fit the model: 1 "
    shape = do_not_fit + r"of another shape \(decoder\.ln\.weight: expected \[16\], got {}\)"
    lies = rf"{name} has shape \[.*\] of f16, which does not take 32 bytes"
    heads = "the field n_audio_head must lie in 1 … 1024, got {}"
    layers = "the field n_text_layer must lie in 1 … 1000, got 1000000000000"
    words = "the field n_vocab must lie in 51864 … 51866, got 100"
    few = Tensor([100, WIDTH], bytes(2 * WIDTH * 100))
    surplus = "decoder/layer_0/surplus/weight"
    changes = {
        "no_scale": (
            name,
            Tensor([WIDTH], bytes(WIDTH), "I8"),
            f"{name} is quantised, but {name}_scale is missing",
        ),
        "int32": (name, Tensor([WIDTH], bytes(4 * WIDTH), "I32"), "expected f32, f16 .*, got i32"),
        "long_row": (name, Tensor([WIDTH + 1], bytes(2 * WIDTH + 2)), shape.format(r"\[17\]")),
        "two_axes": (name, Tensor([WIDTH, 1], bytes(2 * WIDTH)), shape.format(r"\[16, 1\]")),
        "no_rows": (name, Tensor([0], b""), shape.format(r"\[0\]")),
        "huge_and_empty": (name, Tensor([0, 0xFFFFFFFF], b""), shape.format(r"\[0, 4294967295\]")),
        "lying_dims": (name, Tensor([2 * WIDTH], bytes(2 * WIDTH)), lies),
        "huge_dims": (name, Tensor([0xFFFFFFFF] * 4, bytes(2 * WIDTH)), lies),
        "many_axes": (name, Tensor([1] * 200, bytes(2)), f"expected at most 8 axes for {name}, .*"),
        "surplus": (surplus, Tensor([2], bytes(4)), do_not_fit + rf"that no .* uses \({surplus}\)"),
        "far_layer": ("decoder/layer_999999999999/ffn/linear_0/bias", few, layers),
        "no_heads": ("encoder/num_heads", flag(0), heads.format(0)),
        "negative_heads": ("encoder/num_heads", flag(-1), heads.format(-1)),
        "many_heads": ("encoder/num_heads", flag(32767), heads.format(32767)),
        "odd_heads": (
            "encoder/num_heads",
            flag(3),
            "expected n_audio_state to be a multiple of .*",
        ),
        "100_words": ("decoder/embeddings/weight", few, words),
        "untied": ("decoder/projection/weight", few, "expected decoder/projection/weight to be .*"),
    }
    for what, (changed, tensor, sentence) in changes.items():
        files = small.ct2_files({**small.ct2, changed: tensor}, aliases=[])
        yield Row(f"ct2_{what}", files, f"{{folder}}/{CT2}: {sentence}")
    weight = "decoder/layer_0/ffn/linear_1/weight"
    int8 = Tensor([WIDTH, 4 * WIDTH], bytes(4 * WIDTH * WIDTH), "I8")
    few_scales = Tensor([WIDTH - 1], bytes(4 * WIDTH - 4), "F32")
    quantised = {**small.ct2, weight: int8, weight + "_scale": few_scales}
    scales = rf"expected 16 numbers of type f32 in {weight}_scale, got shape \[15\] of f32"
    yield Row("ct2_few_scales", small.ct2_files(quantised), f"{{folder}}/{CT2}: {scales}")
    lacking = do_not_fit + r"missing \(decoder\.ln\.weight \[16\]\)"
    absent = {n: f"the tensor {n} is missing" for n in ("encoder/conv1/weight", EMBEDDINGS)}
    for i, (gone, sentence) in enumerate({**absent, name: lacking}.items()):
        some = {n: t for n, t in small.ct2.items() if n != gone}
        files = small.ct2_files(some, aliases=[])
        yield Row(f"ct2_without_{i}", files, f"{{folder}}/{CT2}: {sentence}")


def flag(value):
    return Tensor([], struct.pack("<h", value), "I16")


def safetensors_files_that_lie(small):
    """Cut, or with a header that is none."""
    tensors = small.mlx
    whole = safetensors_file(tensors)
    tail = (
        r'the tensor ".*" takes bytes \d+ to \d+ of the data, but the file ends after \d+ of them'
    )
    yield st_row(small, "cut_0", b"", r"expected 8 bytes at position 0, got the end of .* after 0")
    for share in (1, 50, 99):
        yield st_row(small, f"cut_{share}", whole[: len(whole) * share // 100], tail)
    data = r"expected {} bytes of data, got \d+"
    yield st_row(small, "longer", whole + b"\0", data.format(r"\d+"))
    yield st_row(small, "empty_header", safetensors_file(tensors, {}), data.format(0))
    syntax = r"expected a JSON object, got a syntax error at byte \d+"
    for name, header in {"no_json": b"{nonsense", "list": b"[]", "cut": b'{"a'}.items():
        yield st_row(small, f"header_{name}", safetensors_file(tensors, header), syntax)
    long = r"expected a header of at most 32000000 bytes, got \d+"
    end = r"expected \d+ bytes at position 8, got the end of the file after \d+"
    lengths = {0: syntax, 10**7: end, 2**40: long, 2**64 - 1: long}
    for length, sentence in lengths.items():
        content = safetensors_file(tensors, length=length)
        yield st_row(small, f"header_of_{length}", content, sentence)
    yield st_row(small, "text", b"no model at all\n" * 100, long)
    other = safetensors_file({"model.layers.0.q": Tensor([1], bytes(2))})
    yield st_row(small, "other_model", other, "expected the tensors of a Whisper model, .*")


def safetensors_that_lie(small):
    """One tensor's entry, changed."""
    tensors, name = small.mlx, "decoder.ln.weight"
    what = f'the tensor "{name}"'
    right = safetensors_header(tensors)[name]
    begin, end = right["data_offsets"]
    rising = rf"{what}: expected two rising data_offsets, got \[.*\]"
    overlap = rf"expected {what} at offset \d+, got \d+: tensors overlap"
    whole = rf"{what}: expected whole numbers from 0 in {{}}, got number -\d+"
    listed = f"{what}: expected a list {{}} of at most {{}} numbers"
    lies = rf"{what}: shape \[.*\] of f\d+ does not take 32 bytes"
    no_type = f"{what}: expected an object with a dtype"
    past = f"{what} takes bytes .* but the file ends after .*"
    changes = {
        "past_end": ({"data_offsets": [begin, 10**15]}, past),
        "falling": ({"data_offsets": [end, begin]}, rising),
        "overlap": ({"data_offsets": [begin - 2, end - 2]}, overlap),
        "negative": ({"data_offsets": [-2, end]}, whole.format("data_offsets")),
        "one_offset": ({"data_offsets": [begin]}, rising),
        "text_offsets": ({"data_offsets": "0, 4"}, listed.format("data_offsets", 2)),
        "no_offsets": ({"data_offsets": None}, listed.format("data_offsets", 2)),
        "lying_shape": ({"shape": [2 * WIDTH]}, lies),
        "huge_shape": ({"shape": [2**62, 2**62]}, lies),
        "negative_shape": ({"shape": [-WIDTH]}, whole.format("shape")),
        "text_shape": ({"shape": "16"}, listed.format("shape", 8)),
        "no_shape": ({"shape": None}, listed.format("shape", 8)),
        "many_axes": ({"shape": [WIDTH, *[1] * 100]}, listed.format("shape", 8)),
        "other_type": ({"dtype": "F32"}, lies),
        "unknown_type": ({"dtype": "F8_E4M3"}, f'{what}: the type "F8_E4M3" is not known here'),
        "no_type": ({"dtype": None}, no_type),
    }
    for change, (fields, sentence) in changes.items():
        header = safetensors_header(tensors)
        header[name] = {k: v for k, v in {**right, **fields}.items() if v is not None}
        yield st_row(small, change, safetensors_file(tensors, header), sentence)
    text = json.dumps(safetensors_header(tensors))
    twice = text[:-1] + f', "{name}": ' + json.dumps(right) + "}"
    yield st_row(small, "twice", safetensors_file(tensors, twice.encode()), overlap)
    some = {n: t for n, t in tensors.items() if n != name}
    missing = r"the tensors do not fit the model: 1 missing \(decoder\.ln\.weight \[16\]\)"
    yield st_row(small, "missing", safetensors_file(some), missing)
    ids = Tensor([WIDTH], bytes(4 * WIDTH), "I32")
    integers = safetensors_file({**tensors, name: ids})
    yield st_row(small, "integers", integers, f"expected f32, f16 or bf16 for {name}, got i32")
    surplus = safetensors_file({**tensors, "extra.weight": Tensor([1], bytes(2))})
    unused = r"the tensors do not fit the model: 1 that no part .* uses \(extra\.weight\)"
    yield st_row(small, "surplus", surplus, unused)
    odd = safetensors_file({**tensors, "n\u00e4me\n": Tensor([1], bytes(2))})
    yield st_row(small, "odd_name", odd, "expected tensor names of printable characters, .*")


def st_row(small, name, content, sentence):
    return Row(f"st_{name}", {**small.mlx_files(), ST: content}, f"{{folder}}/{ST}: {sentence}")


def npz_files_that_lie(small):
    """No archive, no arrays, arrays of another kind."""

    def row(name, content, sentence, **config):
        files = small.npz_files(content, **config)
        return Row(f"npz_{name}", files, f"{{folder}}/{NPZ}: {sentence}")

    whole, tensor = npz_file(small.mlx), small.mlx["decoder.ln.weight"]
    no_zip = "expected a ZIP archive, got no end of its list of members"
    for share in (0, 1, 50, 99):
        yield row(f"cut_{share}", whole[: len(whole) * share // 100], no_zip)
    yield row("text", b"no model at all\n" * 100, no_zip)
    others = {
        "no_array": (b"text" * 10, "expected an array of NumPy, got something else"),
        "empty": (b"", "expected 6 bytes at position 0, .*"),
        "version_9": (b"\x93NUMPY\x09\0", "expected a NumPy array of version 1 to 3, got 9"),
        "objects": (npy_file(tensor, descr="'|O'"), r'the type "\|O" is not known here'),
        "code": (npy_file(tensor, descr="__import__('os')"), "expected ' at byte 10 of .*"),
        "fields": (npy_file(tensor, descr="[('a', '<f4')]"), "expected ' at byte 10 of .*"),
        "shape": (npy_file(tensor, shape="(17,)"), r"shape \[17\] of f16 does not take 32 bytes"),
        "huge": (npy_file(tensor, shape="(4611686018427387904, 8)"), "shape .* does not take .*"),
        "columns": (
            npy_file(tensor, fortran_order="True", shape="(4, 2, 2)"),
            r"expected an array stored row by row, or a matrix, got shape \[4, 2, 2\] .*",
        ),
    }
    some = {name: t for name, t in small.mlx.items() if t is not tensor}
    for name, (member, sentence) in others.items():
        content = npz_file(some, **{"decoder.ln.weight": member})
        yield row(name, content, f'"decoder.ln.weight.npy": {sentence}')
    missing = r"the tensors do not fit the model: 1 missing \(decoder\.ln\.weight \[16\]\)"
    yield row("missing", npz_file(some), missing)
    other = npz_file({"model.layers.0.q": tensor})
    yield row("other_model", other, "expected the tensors of a Whisper model, .*")
    codes = {**small.mlx, "decoder.ln.scales": tensor, "decoder.ln.biases": tensor}
    sentence = "expected decoder.ln.weight as codes of 4 bits in u32 .*"
    quantization = {"group_size": 64, "bits": 4}
    yield row("no_codes", npz_file(codes), sentence, quantization=quantization)


def shards(small):
    good = sharded(small.hf)
    missing = "cannot open {folder}/b.safetensors: No such file or directory"
    yield Row("shard_missing", {k: v for k, v in good.items() if k != "b.safetensors"}, missing)
    cut = {**good, "b.safetensors": good["b.safetensors"][:-9]}
    yield Row("shard_cut", cut, "{folder}/b.safetensors: the tensor .* but the file ends after .*")
    index = f"{{folder}}/{INDEX}: "
    plain = index + "weight_map: expected plain file names, got "
    no_object = "expected a JSON object, got a syntax error at byte 1"
    yield Row("index_empty", {**good, INDEX: b""}, index + no_object)
    maps = {
        "no_map": ({}, index + "expected an object weight_map with tensors"),
        "outside": ({"a": "../a.safetensors"}, plain + r'"\.\./a\.safetensors"'),
        "number": ({"a": 7}, plain + "7"),
        "other": ({"a": "a.safetensors"}, index + 'the tensor "a" is missing in a.safetensors'),
        "text": ("a", index + "weight_map: " + no_object),
    }
    for name, (weight_map, sentence) in maps.items():
        yield Row(f"index_{name}", sharded(small.hf, weight_map=weight_map), sentence)


REFUSED = [
    ct2_files_that_lie,
    ct2_tensors_that_lie,
    safetensors_files_that_lie,
    safetensors_that_lie,
    npz_files_that_lie,
    shards,
]
