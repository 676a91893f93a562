"""Models in one file, each with one thing wrong, and the sentence about it."""

import io
import pickle
import struct
import zipfile

from bad_model_rows import Row
from model_files import MELS, MLX_CONFIG, WIDTH
from single_files import (
    HEADER,
    Q8_0,
    QUANTISED,
    ggml_entry,
    ggml_file,
    ggml_head,
    openai_tensors,
    pt_file,
    q8_0_entry,
)

GGML, PT = "ggml-small.bin", "small.pt"
LINEAR = "encoder.blocks.0.mlp.2.weight"


def good(small):
    tensors = openai_tensors(small.mlx)
    quantised = {n: q8_0_entry(n, t) for n, t in tensors.items() if n.endswith(".mlp.2.weight")}
    yield Row("ggml", {GGML: ggml_file(tensors)})
    yield Row("ggml_q8_0", {GGML: ggml_file(tensors, quantised, ftype=QUANTISED)})
    yield Row("ggml_in_model_bin", {"model.bin": ggml_file(tensors)})
    yield Row("pt", {PT: pt_file(tensors)})


def ggml_files_that_lie(small):
    def row(name, content, sentence):
        return Row(f"ggml_{name}", {GGML: content}, f"{{folder}}/{GGML}: {sentence}")

    tensors = openai_tensors(small.mlx)
    whole = ggml_file(tensors)
    end = r"expected \d+ bytes at position \d+, got the end of the file after \d+"
    for share in (1, 10, 50, 90, 99):
        yield row(f"cut_{share}", whole[: len(whole) * share // 100], end)
    yield row("longer", whole + b"\0", end)
    yield row("head_alone", ggml_head(), r"the tensors do not fit the model: \d+ missing .*")
    kinds = "expected a model as one file, .* got {}"
    yield row("empty", b"", kinds.format("none of them"))
    yield row("text", b"no model at all\n" * 100, kinds.format("none of them"))
    yield row("gguf", b"GGUF" + bytes(1000), kinds.format("GGUF, which no Whisper comes in"))
    for at, field in enumerate(("n_vocab", "n_audio_ctx", "n_audio_state")):
        for value in (0, -1, 2**31 - 1):
            header = [*HEADER[:at], value, *HEADER[at + 1 :]]
            ranged = f"the field {field} must lie in .*, got {value}"
            yield row(f"{field}_{value}", ggml_head(header), ranged)
    filters = r"expected mel filters of 80 bands, got {}"
    yield row("filters", ggml_head(filters=(81, 1)), filters.format(81))
    yield row("huge_filters", ggml_head(filters=(MELS, -1)), end)
    words = ggml_head(words=())[:-4] + struct.pack("<i", -1)
    yield row(
        "huge_vocabulary", words, "expected a vocabulary of at most 51864 words, got 4294967295"
    )


def ggml_tensors_that_lie(small):
    tensors = openai_tensors(small.mlx)
    dims, data = tensors[LINEAR].dims, tensors[LINEAR].data
    shape = r'the tensor "{}" of {} cannot have the shape \[{}\]'
    quantised = q8_0_entry(LINEAR, tensors[LINEAR])
    types = rf'expected f32, f16, .* for the tensor "{LINEAR}", got ggml\'s type {{}}'
    negative = shape.format(LINEAR, "f16", "-16, 64")
    odd = shape.format(LINEAR, "q8_0", "16, 65")
    longer = rf'the tensor "{LINEAR}" of q8_0 and shape .* is longer than the rest of the file'
    huge = r"expected \d+ bytes at position \d+, got the end of the file after \d+"
    name = "decoder.ln.weight"
    other = rf"the tensors do not fit the model: 1 of another shape \({name}: .*\)"
    changes = {
        "type_9": (ggml_entry(LINEAR, dims, 9, data), QUANTISED, types.format(9)),
        "type_huge": (ggml_entry(LINEAR, dims, -1, data), QUANTISED, types.format(2**32 - 1)),
        "negative_rows": (ggml_entry(LINEAR, [-16, 64], 1, data), 1, negative),
        "odd_row": (ggml_entry(LINEAR, [16, 65], Q8_0, data), QUANTISED, odd),
        "huge_rows": (ggml_entry(LINEAR, [2**31 - 1, 64], Q8_0, data), QUANTISED, longer),
        "huge_dims": (ggml_entry(LINEAR, [2**31 - 1, 2**31 - 1], 1, data), 1, huge),
        "axes": (ggml_entry(LINEAR, [1] * 5, 1, data), 1, "expected a tensor of at most 4 axes .*"),
        "version": (quantised, 1007, "expected quantised tensors of version 2, got version 1: .*"),
        "long_row": (ggml_entry(name, [WIDTH + 1], 0, bytes(4 * WIDTH + 4)), 1, other),
    }
    for what, (entry, ftype, sentence) in changes.items():
        changed = {name if what == "long_row" else LINEAR: entry}
        content = ggml_file(tensors, changed, ftype=ftype)
        yield Row(f"ggml_{what}", {GGML: content}, f"{{folder}}/{GGML}: {sentence}")


def pt_files_that_lie(small):
    def row(name, content, sentence):
        return Row(f"pt_{name}", {PT: content}, f"{{folder}}/{PT}: {sentence}")

    tensors = openai_tensors(small.mlx)
    whole = pt_file(tensors)
    no_list = "expected a ZIP archive, got no end of its list of members"
    for share in (1, 50, 99):
        yield row(f"cut_{share}", whole[: len(whole) * share // 100], no_list)
    legacy = pickle.dumps(0x1950A86A20F9469CFC6C, protocol=2)
    yield row("legacy", legacy, r"this is a checkpoint of torch before 1\.6: .*")
    missing = {field: value for field, value in MLX_CONFIG.items() if field != "n_mels"}
    yield row("no_mels", pt_file({}, missing), "the field n_mels is missing")
    huge = {**MLX_CONFIG, "n_text_layer": 2**31 - 1}
    yield row("layers", pt_file({}, huge), r"the field n_text_layer must lie in .*, got 2147483647")
    yield row("no_tensors", pt_file({}), r"the tensors do not fit the model: \d+ missing .*")
    contents = {
        "code": (
            b"cos\nsystem\nX\2\0\0\0ls\x85R.",
            r'the file asks for the global "os\.system", .*',
        ),
        "opcode": (b"(i__main__\nx\n.", "the opcode 0x69 at position 3 of the pickle is none .*"),
        "cut_pickle": (b"}X\xff\xff\xff\xff", "expected 4294967295 bytes at position .*"),
        "deep": (b"(" * 190000 + b"t" * 190000 + b".", "expected a dictionary of tensors, .*"),
        "many": (b"}" * 1999997 + b".", "expected a pickle of at most 200000 values, got more"),
        "large": (b"}" * 3000000, "expected a data.pkl of at most 2000000 bytes, got .*"),
        "number": (b"K\1.", "expected a dictionary of tensors, got another value"),
        "other_dict": (b"}X\1\0\0\0aK\1s.", 'the tensor "a": expected a tensor, got another value'),
        "empty_dict": (b"}.", r"expected the tensors of a Whisper model, .*"),
    }
    for name, (content, sentence) in contents.items():
        yield row(name, zipped({"a/data.pkl": b"\x80\2" + content}), sentence)
    yield row(
        "no_pickle", zipped({"a.txt": b"x"}), "expected data.pkl in what torch.save wrote, .*"
    )
    packed = zipped({"a/data.pkl": b"\x80\2}."}, zipfile.ZIP_DEFLATED)
    yield row("packed", packed, "expected the member a/data.pkl stored as it is, got it packed")


def zipped(members, method=zipfile.ZIP_STORED):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return out.getvalue()


REFUSED = [ggml_files_that_lie, ggml_tensors_that_lie, pt_files_that_lie]
