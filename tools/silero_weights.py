"""Writes Silero VAD's weights of one rate as safetensors, for the build to embed.

silero_weights.py JIT 16k|8k OUT. Reads the package's TorchScript archive (its safetensors have one
rate only): a ZIP with a pickle of the modules and a file a tensor. Convolutions become
[out, kernel, in]. Python's standard library alone.
"""

import array
import io
import json
import pickle
import struct
import sys
import zipfile

# The package's names (its tinygrad model's), from those of the archive's modules.
NAMES = {
    "stft_conv.weight": "stft.forward_basis_buffer",
    "conv1": "encoder.0.reparam_conv",
    "conv2": "encoder.1.reparam_conv",
    "conv3": "encoder.2.reparam_conv",
    "conv4": "encoder.3.reparam_conv",
    "lstm_cell": "decoder.rnn",
    "final_conv": "decoder.decoder.2",
}
PARTS = ["weight", "bias", "weight_ih", "weight_hh", "bias_ih", "bias_hh"]


class Module:
    """Whatever the pickle holds, as its members alone."""

    def __init__(self, *arguments):
        pass

    def __setstate__(self, members):
        self.__dict__.update(members)


class Modules(pickle.Unpickler):
    """Makes no object of a class that the file names."""

    def find_class(self, module, name):
        if name == "_rebuild_tensor_v2":
            return lambda storage, offset, shape, strides, *rest: (storage[2], offset, shape)
        if name == "OrderedDict":
            return dict
        return Module if name[:1].isupper() else lambda value: value

    def persistent_load(self, storage):
        return storage


def members(value, scope=""):
    """Every tensor below a module: (its scope, (storage, offset, shape))."""
    for name, member in vars(value).items():
        if isinstance(member, Module):
            yield from members(member, scope + name + ".")
        elif isinstance(member, tuple):
            yield scope + name, member


def read(path, rate):
    """Tensors by the package's names: (shape, f32 values)."""
    with zipfile.ZipFile(path) as archive:
        root = archive.namelist()[0].split("/")[0]
        merged = Modules(io.BytesIO(archive.read(root + "/data.pkl"))).load()
        found = dict(members({"16k": merged._model, "8k": merged._model_8k}[rate]))
        tensors = {}
        for name, scope in NAMES.items():
            for part in [""] if "." in name else PARTS:
                key = scope + "." + part if part else scope
                if key not in found:
                    continue
                storage, offset, shape = found.pop(key)
                values = array.array("f", archive.read(f"{root}/data/{storage}"))
                size = 1
                for dimension in shape:
                    size *= dimension
                tensors[name + "." + part if part else name] = (
                    list(shape),
                    values[offset : offset + size],
                )
    if found or len(tensors) != 15:
        raise SystemExit(f"silero_weights: expected 15 tensors in {path}, got {sorted(tensors)}")
    return tensors


def rearranged(shape, values):
    """[out, in, kernel] → [out, kernel, in]; axes of one element go."""
    if len(shape) == 3 and shape[2] == 3:
        out, inputs, kernel = shape
        moved = array.array("f")
        for o in range(out):
            for k in range(kernel):
                start = o * inputs * kernel + k
                moved.extend(values[start : start + (inputs - 1) * kernel + 1 : kernel])
        return [out, kernel, inputs], moved
    return [dimension for dimension in shape if dimension > 1] or [1], values


def write(path, tensors):
    header, data = {}, bytearray()
    for name, (shape, values) in sorted(tensors.items()):
        begin = len(data)
        data += values.tobytes()
        header[name] = {"dtype": "F32", "shape": shape, "data_offsets": [begin, len(data)]}
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 64)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + data)


def main():
    jit, rate, out = sys.argv[1:]
    write(out, {name: rearranged(*tensor) for name, tensor in read(jit, rate).items()})


main()
