#!/usr/bin/env python3
"""Random blocks of every quantised type of ggml, and what they decode to.

usage: PYTHONPATH=DIR ggml_blocks.py > tests/data/ggml_blocks.json      (DIR: gguf and numpy)

Blocks and values are in hexadecimal digits, the values f32. The scales are finite numbers of f16 of
every size, subnormal ones too.
"""

import importlib.metadata
import json

import numpy as np
from gguf import GGMLQuantizationType, quants

BLOCKS = 3
# Bytes of a block, and where its f16 scales lie.
TYPES = {
    "Q4_0": (18, [0]),
    "Q4_1": (20, [0, 2]),
    "Q5_0": (22, [0]),
    "Q5_1": (24, [0, 2]),
    "Q8_0": (34, [0]),
    "Q2_K": (84, [80, 82]),
    "Q3_K": (110, [108]),
    "Q4_K": (144, [0, 2]),
    "Q5_K": (176, [0, 2]),
    "Q6_K": (210, [208]),
}


def main():
    source = np.random.default_rng(7)
    rows = {}
    for name, (size, scales) in TYPES.items():
        blocks = source.integers(0, 256, (BLOCKS, size), dtype=np.uint8)
        for at in scales:
            halves = source.integers(0, 0x7C00, BLOCKS).astype(np.uint16)
            halves[0] &= 0x03FF
            halves |= (source.integers(0, 2, BLOCKS) << 15).astype(np.uint16)
            blocks[:, at : at + 2] = halves.view(np.uint8).reshape(BLOCKS, 2)
        values = quants.dequantize(blocks, GGMLQuantizationType[name]).astype("<f4")
        rows[name[0].lower() + name[1:]] = [blocks.tobytes().hex(), values.tobytes().hex()]
    version = importlib.metadata.version("gguf")
    lines = [f" {json.dumps(name)}: {json.dumps(row)}" for name, row in rows.items()]
    print(f'{{"gguf": "{version}",\n"types": {{\n' + ",\n".join(lines) + "\n}}")


if __name__ == "__main__":
    main()
