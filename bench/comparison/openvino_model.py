"""Writes OpenVINO GenAI's Whisper folder from a CTranslate2 folder, so that it runs our weights.

usage: openvino_model.py FOLDER OUT f16|int8

The graphs are what optimum-intel exports: attention is one operation, the decoder's caches are
states (rows of its own are gathered by beam_idx, those over the sound are made once), weights are
f16, or u8 with a scale and a zero point a row, as its `--weight-format int8` has them."""

import json
import pathlib
import sys

import numpy as np
import openvino as ov
import openvino.opset13 as op
import openvino_tokenizers
from openvino import opset15

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "oracles"))

from ggml_file import read_vocabulary  # noqa: E402

from weights import read_checkpoint, read_variables  # noqa: E402

WINDOW = 3000  # frames


class Weights:
    """Constants of a graph, f32 to those who read them."""

    def __init__(self, tensors, is_int8):
        self._tensors = tensors
        self._is_int8 = is_int8

    def array(self, name):
        dims, data = self._tensors[name]
        return np.frombuffer(data, dtype=np.float16).reshape(dims)

    def constant(self, values):
        return op.convert(op.constant(np.ascontiguousarray(values, dtype=np.float16)), "f32")

    def vector(self, name):
        return self.constant(self.array(name))

    def matrix(self, name):
        if not self._is_int8:
            return self.vector(name)
        values = self.array(name).astype(np.float32)
        low = np.minimum(values.min(axis=1, keepdims=True), 0)
        high = np.maximum(values.max(axis=1, keepdims=True), 0)
        scale = (np.maximum(high - low, 1e-8) / 255).astype(np.float16)
        zero = np.clip(np.rint(-low / scale.astype(np.float32)), 0, 255)
        codes = np.clip(np.rint(values / scale.astype(np.float32)) + zero, 0, 255)
        shifted = op.subtract(
            op.convert(op.constant(codes.astype(np.uint8)), "f32"),
            op.convert(op.constant(zero.astype(np.uint8)), "f32"),
        )
        return op.multiply(shifted, self.constant(scale))

    def linear(self, scope, x):
        y = op.matmul(x, self.matrix(f"{scope}.weight"), False, True)
        has_bias = f"{scope}.bias" in self._tensors
        return op.add(y, self.vector(f"{scope}.bias")) if has_bias else y

    def norm(self, scope, x):
        y = op.mvn(x, integers(-1), True, 1e-5, "inside_sqrt")
        y = op.multiply(y, self.vector(f"{scope}.weight"))
        return op.add(y, self.vector(f"{scope}.bias"))

    def mlp(self, scope, x):
        hidden = self.linear(f"{scope}.mlp1", self.norm(f"{scope}.mlp_ln", x))
        return op.add(x, self.linear(f"{scope}.mlp2", op.gelu(hidden, "erf")))

    def query_key_value(self, scope, x, heads):
        parts = (self.linear(f"{scope}.{part}", x) for part in ("query", "key", "value"))
        return [split_heads(part, heads) for part in parts]


def integers(*values):
    return op.constant(np.array(values, dtype=np.int64))


def axis(value):
    return op.constant(np.int64(value))


def size(x, dimension):
    return op.gather(op.shape_of(x, "i64"), axis(dimension), axis(0))


def split_heads(x, heads):
    split = op.reshape(x, integers(0, 0, heads, -1), True)
    return op.transpose(split, integers(0, 2, 1, 3))


def join_heads(x):
    return op.reshape(op.transpose(x, integers(0, 2, 1, 3)), integers(0, 0, -1), True)


def attend(*query_key_value_mask):
    return join_heads(op.scaled_dot_product_attention(*query_key_value_mask))


def named(node, name):
    node.output(0).get_tensor().set_names({name})
    return node


def make_encoder(weights, dims):
    features = op.parameter([-1, dims["n_mels"], WINDOW], ov.Type.f32)
    x = features
    for index, stride in ((1, 1), (2, 2)):
        kernel = weights.constant(weights.array(f"encoder.conv{index}.weight").transpose(0, 2, 1))
        bias = weights.constant(weights.array(f"encoder.conv{index}.bias").reshape(1, -1, 1))
        x = op.gelu(op.add(op.convolution(x, kernel, [stride], [1], [1], [1]), bias), "erf")
    x = op.add(op.transpose(x, integers(0, 2, 1)), weights.vector("encoder.positions"))
    for layer in range(dims["n_audio_layer"]):
        scope = f"encoder.blocks.{layer}"
        y = weights.norm(f"{scope}.attn_ln", x)
        parts = weights.query_key_value(f"{scope}.attn", y, dims["n_audio_head"])
        x = op.add(x, weights.linear(f"{scope}.attn.out", attend(*parts)))
        x = weights.mlp(scope, x)
    result = named(op.result(weights.norm("encoder.ln_post", x)), "last_hidden_state")
    return ov.Model([result], [named(features, "input_features")], "encoder")


class States:
    """The decoder's caches."""

    def __init__(self, ids, beam_idx, heads, width):
        self.sinks = []
        self._beam_idx = beam_idx
        self._shape = ov.PartialShape([-1, heads, -1, width])
        empty = op.concat([op.unsqueeze(size(ids, 0), axis(0)), integers(heads, 0, width)], 0)
        self._empty = op.broadcast(op.constant(np.float32(0)), empty)
        self._rows = {}

    def rows(self, name):
        """What the rows of beam_idx have so far."""
        if name not in self._rows:
            past = op.read_value(self._empty, name, ov.Type.f32, self._shape)
            self._rows[name] = op.gather(past, self._beam_idx, axis(0))
        return self._rows[name]

    def grown(self, name, new):
        present = op.concat([self.rows(name), new], 2)
        self.sinks.append(op.assign(present, name))
        return present

    def made_once(self, name, value):
        kept = op.read_value(value, name)
        self.sinks.append(op.assign(kept, name))
        return kept


def causal_mask(past, total):
    positions = op.unsqueeze(op.range(past, total, axis(1), "i64"), axis(1))
    columns = op.unsqueeze(op.range(axis(0), total, axis(1), "i64"), axis(0))
    allowed = op.less_equal(columns, positions)
    never = op.constant(np.float32(np.finfo(np.float16).min))
    return op.unsqueeze(op.select(allowed, op.constant(np.float32(0)), never), integers(0, 1))


def make_decoder(weights, dims):
    heads, width = dims["n_text_head"], dims["n_text_state"]
    ids = named(op.parameter([-1, -1], ov.Type.i64), "input_ids")
    hidden = named(op.parameter([-1, -1, width], ov.Type.f32), "encoder_hidden_states")
    beam_idx = named(op.parameter([-1], ov.Type.i32), "beam_idx")
    states = States(ids, beam_idx, heads, width // heads)

    past = size(states.rows("blocks.0.key"), 2)
    total = op.add(past, size(ids, 1))
    positions = op.range(past, total, axis(1), "i64")
    embeddings = weights.matrix("decoder.token_embedding.weight")
    x = op.gather(embeddings, ids, axis(0))
    x = op.add(x, op.gather(weights.vector("decoder.positional_embedding"), positions, axis(0)))
    mask = causal_mask(past, total)
    for layer in range(dims["n_text_layer"]):
        scope = f"decoder.blocks.{layer}"
        y = weights.norm(f"{scope}.attn_ln", x)
        query, key, value = weights.query_key_value(f"{scope}.attn", y, heads)
        key = states.grown(f"blocks.{layer}.key", key)
        value = states.grown(f"blocks.{layer}.value", value)
        x = op.add(x, weights.linear(f"{scope}.attn.out", attend(query, key, value, mask)))
        y = weights.norm(f"{scope}.cross_attn_ln", x)
        query = split_heads(weights.linear(f"{scope}.cross_attn.query", y), heads)
        key, value = (
            states.made_once(
                f"blocks.{layer}.cross_{part}",
                split_heads(weights.linear(f"{scope}.cross_attn.{part}", hidden), heads),
            )
            for part in ("key", "value")
        )
        x = op.add(x, weights.linear(f"{scope}.cross_attn.out", attend(query, key, value)))
        x = weights.mlp(scope, x)
    logits = op.matmul(weights.norm("decoder.ln", x), embeddings, False, True)
    result = named(op.result(logits), "logits")
    return ov.Model([result], states.sinks, [ids, hidden, beam_idx], "decoder")


def generation_config(folder, dims):
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    tokenizer = json.loads((folder / "tokenizer.json").read_text(encoding="utf-8"))
    ids = {token["content"]: token["id"] for token in tokenizer["added_tokens"]}
    languages = {name: id for name, id in ids.items() if id in config["lang_ids"]}
    return {
        "decoder_start_token_id": ids["<|startoftranscript|>"],
        "bos_token_id": ids["<|endoftext|>"],
        "eos_token_id": ids["<|endoftext|>"],
        "pad_token_id": ids["<|endoftext|>"],
        "max_length": 448,
        "max_initial_timestamp_index": 50,
        "suppress_tokens": config["suppress_ids"],
        "begin_suppress_tokens": config["suppress_ids_begin"],
        "no_timestamps_token_id": ids["<|notimestamps|>"],
        "prev_sot_token_id": ids["<|startofprev|>"],
        "is_multilingual": dims["n_vocab"] >= 51865,
        "lang_to_id": languages,
        "task_to_id": {"translate": ids["<|translate|>"], "transcribe": ids["<|transcribe|>"]},
        "alignment_heads": config["alignment_heads"],
        "return_timestamps": False,
    }


def vocabulary(folder):
    """The bytes of every token by id, and the ids of special ones that are no timestamps."""
    added = json.loads((folder / "tokenizer.json").read_text(encoding="utf-8"))["added_tokens"]
    tokens = dict(enumerate(read_vocabulary(folder / "tokenizer.json")))
    tokens.update({token["id"]: token["content"].encode() for token in added})
    special = [token["id"] for token in added if token["special"]]
    return [tokens.get(id, b"") for id in range(max(tokens) + 1)], special


def make_detokenizer(tokens, special):
    """openvino_tokenizers' own graph for a byte-level vocabulary."""
    factory = openvino_tokenizers._get_factory()
    ids = op.parameter([-1, -1], ov.Type.i64)
    ends = np.cumsum([len(token) for token in tokens]).astype(np.int32)
    begins = np.concatenate([[0], ends[:-1]]).astype(np.int32)
    characters = np.frombuffer(b"".join(tokens), dtype=np.uint8)
    parts = [begins, ends, characters, np.array(special, dtype=np.int32)]
    inputs = [op.convert(ids, "i32").output(0), *(op.constant(part).output(0) for part in parts)]
    texts = factory.create("VocabDecoder", inputs).outputs()
    joined = factory.create("FuzeRagged", texts[:-1]).outputs()
    valid = factory.create("UTF8Validate", [*joined, texts[-1]], {"replace_mode": True}).outputs()
    result = named(op.result(opset15.string_tensor_pack(*valid)), "string_output")
    return ov.Model([result], [ids], "detokenizer")


def main(folder, out, form):
    folder, out = pathlib.Path(folder), pathlib.Path(out)
    out.mkdir(parents=True, exist_ok=True)
    dims, tensors = read_checkpoint(folder)
    tensors["encoder.positions"] = read_variables(folder / "model.bin")[
        "encoder/position_encodings/encodings"
    ]
    weights = Weights(tensors, form == "int8")
    generation = generation_config(folder, dims)
    detokenizer = make_detokenizer(*vocabulary(folder))
    detokenizer.set_rt_info(generation["eos_token_id"], "eos_token_id")
    ov.save_model(make_encoder(weights, dims), out / "openvino_encoder_model.xml")
    ov.save_model(make_decoder(weights, dims), out / "openvino_decoder_model.xml")
    ov.save_model(detokenizer, out / "openvino_detokenizer.xml")
    for name, content in {
        "generation_config": generation,
        "config": {"model_type": "whisper", "max_source_positions": 1500},
        "preprocessor_config": {"feature_size": dims["n_mels"], "nb_max_frames": WINDOW},
    }.items():
        (out / f"{name}.json").write_text(json.dumps(content), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
