#!/usr/bin/env python3
"""Writes tests/data/npz: the same small arrays by MLX, NumPy and NumPy packed.

usage: npz.py FOLDER            Needs mlx 0.32.4 and numpy; run by hand.
"""

import sys
from pathlib import Path

import mlx.core as mx
import numpy as np

if len(sys.argv) != 2:
    sys.exit(__doc__)
folder = Path(sys.argv[1])
folder.mkdir(parents=True, exist_ok=True)
counted = np.arange(24).reshape(2, 3, 4)
arrays = {
    "f32": counted.astype(np.float32),
    "f16": counted.astype(np.float16),
    "alignment_heads": counted.astype(np.uint32),
    "row": counted.reshape(-1).astype(np.float32),
    "scalar": np.array(5, np.float32),
}
np.savez(folder / "numpy.npz", **arrays)
np.savez_compressed(folder / "packed.npz", **arrays)
np.savez(folder / "columns.npz", heads=np.arange(6).reshape(2, 3).T)
np.savez(folder / "cube.npz", a=arrays["f32"].T)
arrays = {name: mx.array(array) for name, array in arrays.items()}
mx.savez(str(folder / "mlx.npz"), **arrays, bf16=arrays["f32"].astype(mx.bfloat16))
