#!/usr/bin/env python3
"""Writes openai-whisper's .pt from a CTranslate2 folder, in the layout of torch.save.

usage: pt_file.py FOLDER OUT.pt [f32]                           (the standard library is enough)

The tensors keep their bytes; with f32 they are widened. Compared with torch.save of torch 1.13, the
archive has no zip64 records and no padding before the tensors, and the pickle is the same.
"""

import collections
import pathlib
import pickle
import sys
import types
import zipfile

from ggml_file import DIMENSIONS, dimensions, openai_tensors, to_f32

from weights import read_variables


def torch_stand_ins():
    """torch's rebuild function and its storages by type, as far as a pickle names them."""
    torch, inner = types.ModuleType("torch"), types.ModuleType("torch._utils")

    def _rebuild_tensor_v2():
        raise NotImplementedError("only its name is used")

    def named(value, module, name):
        value.__module__, value.__qualname__ = module.__name__, name
        setattr(module, name, value)
        return value

    sys.modules.update({"torch": torch, "torch._utils": inner})
    storages = {
        kind: named(type(name, (), {}), torch, name)
        for kind, name in (("f16", "HalfStorage"), ("f32", "FloatStorage"))
    }
    return named(_rebuild_tensor_v2, inner, "_rebuild_tensor_v2"), storages


class Storage:
    def __init__(self, key, kind, elements):
        self.key, self.kind, self.elements = key, kind, elements


class Tensor:
    def __init__(self, rebuild, storage, dims):
        self.rebuild, self.storage, self.dims = rebuild, storage, dims

    def __reduce__(self):
        strides, stride = [], 1
        for dim in reversed(self.dims):
            strides.insert(0, stride)
            stride *= dim
        hooks = collections.OrderedDict()
        return self.rebuild, (self.storage, 0, tuple(self.dims), tuple(strides), False, hooks)


class Pickler(pickle._Pickler):  # as torch.save: Python's own, whose memo numbers are the same
    def __init__(self, file, storages):
        super().__init__(file, protocol=2)
        self.storages = storages

    def persistent_id(self, value):
        if not isinstance(value, Storage):
            return None
        return "storage", self.storages[value.kind], value.key, "cpu", value.elements


def write_pt(path, dims, tensors, kind="f16"):
    """`dims`: by name; `tensors`: (name, dims, bytes of `kind`)."""
    rebuild, storages = torch_stand_ins()
    state, item_bytes = collections.OrderedDict(), {"f16": 2, "f32": 4}[kind]
    with zipfile.ZipFile(path, "w") as archive:
        folder = pathlib.Path(path).stem

        def info(name):  # of a fixed date, as torch's
            return zipfile.ZipInfo(f"{folder}/{name}")

        for index, (name, shape, data) in enumerate(tensors):
            storage = Storage(str(index), kind, len(data) // item_bytes)
            archive.writestr(info(f"data/{index}"), bytes(data))
            state[name] = Tensor(rebuild, storage, shape)
        with archive.open(info("data.pkl"), "w") as file:
            Pickler(file, storages).dump({"dims": dict(dims), "model_state_dict": state})
        archive.writestr(info("version"), "3\n")


def main(folder, path, kind="f16"):
    variables = read_variables(pathlib.Path(folder) / "model.bin")
    tensors = openai_tensors(variables)
    if kind == "f32":
        tensors = ((name, dims, to_f32(data)) for name, dims, data in tensors)
    write_pt(path, zip(DIMENSIONS, dimensions(variables)), tensors, kind)


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4) or sys.argv[3:] not in ([], ["f32"]):
        sys.exit(__doc__)
    main(*sys.argv[1:])
