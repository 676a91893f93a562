"""Model folders, each with one thing wrong, and the sentence about it."""

import dataclasses
import json

from model_files import (
    HF_CONFIG,
    MLX_CONFIG,
    WIDTH,
    Tensor,
    ct2_file,
    ct2_tensors,
    hf_tensors,
    mlx_tensors,
    npz_file,
    safetensors_file,
)

ST, CT2, INDEX = "model.safetensors", "model.bin", "model.safetensors.index.json"
NPZ = "weights.npz"
EMBEDDINGS = "decoder/embeddings/weight"
CONFIG, TOKENIZER = "config.json", "tokenizer.json"
WRONG_TYPES = {"text": "6", "null": None, "fraction": 1.5}
WRONG_VALUES = {"zero": 0, "negative": -6, "huge": 10**30}


@dataclasses.dataclass
class Row:
    name: str
    files: dict  # name → bytes, or the path of a file that stays as it is
    sentence: str = ""  # "": the model is good


class Families:
    """The same small model in each family's files."""

    def __init__(self):
        self.mlx = mlx_tensors()
        self.hf = hf_tensors(self.mlx)
        self.ct2 = ct2_tensors(self.mlx)

    def mlx_files(self, tensors=None, **config):
        weights = safetensors_file(self.mlx if tensors is None else tensors)
        return {ST: weights, CONFIG: json.dumps({**MLX_CONFIG, **config}).encode()}

    def hf_files(self, tensors=None, **config):
        weights = safetensors_file(self.hf if tensors is None else tensors)
        return {ST: weights, CONFIG: json.dumps({**HF_CONFIG, **config}).encode()}

    def npz_files(self, content=None, **config):
        weights = npz_file(self.mlx) if content is None else content
        return {NPZ: weights, CONFIG: json.dumps({**MLX_CONFIG, **config}).encode()}

    def ct2_files(self, tensors=None, **fields):
        return {CT2: ct2_file(self.ct2 if tensors is None else tensors, **fields)}


def good(small):
    nan = {**small.ct2, "decoder/layer_norm/gamma": Tensor([WIDTH], b"\xff\x7f" * WIDTH)}
    yield Row("ct2", small.ct2_files())
    yield Row("mlx", small.mlx_files())
    yield Row("hf", small.hf_files())
    yield Row("npz", small.npz_files())
    yield Row("nan_weights", small.ct2_files(nan))
    yield Row("sharded", sharded(small.hf))
    yield Row("both", {**small.ct2_files(), **small.mlx_files()})


def sharded(tensors, **changes):
    names = sorted(tensors)
    shards = {"a.safetensors": names[::2], "b.safetensors": names[1::2]}
    files = {
        file: safetensors_file({name: tensors[name] for name in held})
        for file, held in shards.items()
    }
    weight_map = {name: file for file, held in shards.items() for name in held}
    index = {"metadata": {}, "weight_map": weight_map, **changes}
    return {**files, INDEX: json.dumps(index).encode(), CONFIG: json.dumps(HF_CONFIG).encode()}


def config_fields(small):
    """Every field of both families: missing, of another type, and of a wrong value."""
    for family, config in ("mlx", MLX_CONFIG), ("hf", HF_CONFIG):
        make = small.mlx_files if family == "mlx" else small.hf_files
        for field in config:
            files = make()
            files[CONFIG] = json.dumps({k: v for k, v in config.items() if k != field}).encode()
            missing = f"{{folder}}/{CONFIG}: the field {field} is missing"
            yield Row(f"{family}_{field}_missing", files, missing)
            whole = f"{{folder}}/{CONFIG}: the field {field} must be a whole number, got .*"
            for name, value in WRONG_TYPES.items():
                yield Row(f"{family}_{field}_{name}", make(**{field: value}), whole)
            ranged = f"{{folder}}/{CONFIG}: the field {field} must lie in .*, got .*"
            for name, value in WRONG_VALUES.items():
                yield Row(f"{family}_{field}_{name}", make(**{field: value}), ranged)


def config_claims(small):
    """Values that are possible, and not those of the tensors."""
    do_not_fit = f"{{folder}}/{ST}: the tensors do not fit the model: "
    shape = r"1 of another shape \({}: expected \[.*\], got \[.*\]\)"
    missing = r"{} missing \({}\.blocks\.1\..* and {} more\)"
    multiple = (
        f"{{folder}}/{CONFIG}: expected n_{{0}}_state to be a multiple of n_{{0}}_head, got .*"
    )
    claims = {
        "n_mels": (128, do_not_fit + shape.format("encoder.conv1.weight")),
        "n_audio_ctx": (750, f"{{folder}}/{CONFIG}: expected n_audio_ctx to be 1500, got 750"),
        "n_audio_layer": (200, do_not_fit + missing.format(2985, "encoder", 2975)),
        "n_text_layer": (200, do_not_fit + missing.format(4776, "decoder", 4766)),
        "n_vocab": (51866, do_not_fit + shape.format("decoder.token_embedding.weight")),
        "n_text_ctx": (4096, do_not_fit + shape.format("decoder.positional_embedding")),
        "n_audio_head": (3, multiple.replace("{0}", "audio")),
        "n_text_head": (5, multiple.replace("{0}", "text")),
        "n_text_state": (
            32,
            f"{{folder}}/{CONFIG}: expected n_audio_state and n_text_state to be .*",
        ),
    }
    for field, (value, sentence) in claims.items():
        yield Row(f"claims_{field}", small.mlx_files(**{field: value}), sentence)
    for width in (32, 8192):
        claimed = small.mlx_files(n_audio_state=width, n_text_state=width)
        yield Row(f"claims_width_{width}", claimed, do_not_fit + "49 of another shape .*")
    wide = small.mlx_files(n_audio_state=65536, n_text_state=65536)
    ranged = f"{{folder}}/{CONFIG}: the field n_audio_state must lie in 4 … 8192, got 65536"
    yield Row("claims_width_65536", wide, ranged)
    large = dict.fromkeys(("n_audio_state", "n_text_state"), 8192)
    large |= dict.fromkeys(("n_audio_layer", "n_text_layer"), 256)
    yield Row("claims_a_terabyte", small.mlx_files(**large), do_not_fit + "9945 missing .*")


def config_files(small):
    """Files that are no config."""
    syntax = "expected JSON, got a syntax error at byte {}"
    deep = "expected at most 64 levels of nesting, got more"
    many = r"expected at most 1000000 bytes and 4096 keys, got \d+ bytes and \d+ keys"
    heads = "the field alignment_heads must {}"
    far = r"expected alignment_heads within 1 layers of 2 heads, got \[{0}, {0}\]"
    contents = {
        "empty": (b"", syntax.format(1)),
        "no_json": (b"a: 1\n", syntax.format(1)),
        "cut": (json.dumps(MLX_CONFIG).encode()[:50], syntax.format(51)),
        "list": (b"[1, 2]", "expected an object"),
        "number": (b"17", "expected an object"),
        "deep": (b"[" * 100000 + b"]" * 100000, deep),
        "deep_objects": (b'{"a":' * 1000 + b"1" + b"}" * 1000, deep),
        "broken_utf8": (b'{"n_mels": "\xff\xfe"}', syntax.format(13)),
        "large": (b'{"x": "' + b"y" * 2000000 + b'"}', many),
        "many_keys": (json.dumps({str(i): i for i in range(5000)}).encode(), many),
        "overflow": (b'{"n_mels": 5e864}', "expected numbers that a double can hold, got .*"),
        "no_group": (config(quantization={"bits": 4}), "quantization: .* group_size is missing"),
        "7_bits": (quantised(bits=7), "quantization: expected groups of .*, got 64 with 7"),
        "group_48": (quantised(group_size=48), "quantization: expected groups .*, got 48 with 4"),
        "other_mode": (quantised(mode="mxfp4"), 'quantization: .* the mode affine, got "mxfp4"'),
        "heads_text": (config(alignment_heads="x"), heads.format("be a list, got string")),
        "heads_far": (config(alignment_heads=[[7, 7]]), far.format(7)),
        "heads_triple": (config(alignment_heads=[[0, 0, 0]]), heads.format("hold .* pairs")),
    }
    for name, (content, sentence) in contents.items():
        files = {**small.mlx_files(), CONFIG: content}
        yield Row(f"config_{name}", files, f"{{folder}}/{CONFIG}: {sentence}")
    for family, files in ("mlx", small.mlx_files()), ("hf", small.hf_files()):
        del files[CONFIG]
        missing = f"cannot open {{folder}}/{CONFIG}: No such file or directory"
        yield Row(f"{family}_config_missing", files, missing)
    cut = {**small.ct2_files(), CONFIG: b"{"}
    yield Row("ct2_config_cut", cut, f"{{folder}}/{CONFIG}: {syntax.format(2)}")
    other = {**small.ct2_files(), CONFIG: b'{"alignment_heads": [[9, 9]]}'}
    yield Row("ct2_config_heads_far", other, f"{{folder}}/{CONFIG}: {far.format(9)}")


def quantised(**fields):
    return config(quantization={"group_size": 64, "bits": 4, **fields})


def config(**fields):
    return json.dumps({**MLX_CONFIG, **fields}).encode()


def folders(small):
    none = "{folder}: expected model.safetensors, .* got a folder with none of them"
    no_list = "{folder}/weights.npz: expected a ZIP archive, got no end of its list of members"
    yield Row("nothing", {}, none)
    yield Row("config_alone", {CONFIG: config()}, none)
    yield Row("numpy", {"weights.npz": b"PK", CONFIG: b"{}"}, no_list)


def tokenizers(small, real, other):
    """`real` is tiny.en's folder, `other` base's, whose vocabulary is multilingual."""
    vocabulary = (real / TOKENIZER).read_bytes()
    no_json = "expected a tokenizer in JSON, got: .*"
    size = "expected the 50256 text tokens of an English-only model, got a tokenizer of {}"
    kind = b'{"version":"1.0","model":{"type":"WordLevel","vocab":{},"unk_token":"x"}}'
    contents = {
        "empty": (b"", no_json),
        "no_json": (b"vocabulary\n" * 100, no_json),
        "cut": (vocabulary[: len(vocabulary) // 2], no_json),
        "no_model": (b"{}", no_json),
        "model_null": (b'{"version": "1.0", "model": null}', no_json),
        "list": (b"[]", no_json),
        "deep": (b"[" * 100000 + b"]" * 100000, no_json),
        "other_kind": (kind, 'expected a BPE tokenizer, got "WordLevel"'),
        "few_words": (few_words(vocabulary), size.format(1000)),
        "of_base": (other / TOKENIZER, size.format(50257)),
    }
    for name, (content, sentence) in contents.items():
        files = {**small.ct2_files(), TOKENIZER: content}
        yield Row(f"tokenizer_{name}", files, f"{{folder}}/{TOKENIZER}: {sentence}")


def few_words(vocabulary):
    tokenizer = json.loads(vocabulary)
    model = tokenizer["model"]
    model["vocab"] = {token: id for token, id in model["vocab"].items() if id < 1000}
    model["merges"] = model["merges"][:744]
    return json.dumps(tokenizer).encode()


def real_folders(real):
    """tiny.en itself, with a part changed or gone; the rest stays the file that it is."""
    files = {file.name: file for file in real.iterdir()}
    weights = files[CT2].stat().st_size
    yield Row("real", files)
    yield Row("real_without_config", {k: v for k, v in files.items() if k != CONFIG})
    yield Row("real_without_tokenizer", {k: v for k, v in files.items() if k != TOKENIZER})
    none = "{folder}: expected model.safetensors, .* got a folder with none of them"
    yield Row("real_without_weights", {k: v for k, v in files.items() if k != CT2}, none)
    with open(files[CT2], "rb") as file:
        start = file.read(weights * 2 // 3)
    end = "{folder}/model.bin: expected .* bytes at position .*, got the end of the file after .*"
    yield Row("real_cut", {**files, CT2: start}, end)
    syntax = f"{{folder}}/{CONFIG}: expected JSON, got a syntax error at byte 1"
    yield Row("real_config_empty", {**files, CONFIG: b""}, syntax)


REFUSED = [config_fields, config_claims, config_files, folders]
