"""openai_whisper_files.py PACKAGES FOLDER THREADS BEAM OUT WAV…: OUT/NAME.txt for each, in f32.

FOLDER is a CTranslate2 Whisper folder: openai-whisper's own model gets its tensors. PACKAGES holds
what it imports beside torch and the NumPy that this torch was built with."""

import pathlib
import sys
import wave
from unittest import mock

import numpy as np
import torch

sys.path.append(sys.argv[1])
sys.modules["numba"] = mock.MagicMock()  # word times only

import whisper  # noqa: E402
from whisper.model import ModelDimensions, Whisper  # noqa: E402

from weights import read_checkpoint  # noqa: E402


def openai_name(name):
    return name.replace(".mlp1.", ".mlp.0.").replace(".mlp2.", ".mlp.2.")


def load_model(folder):
    config, tensors = read_checkpoint(folder)
    heads = config.pop("alignment_heads")
    model = Whisper(ModelDimensions(**config))
    state = {}
    for name, (dims, data) in tensors.items():
        tensor = torch.from_numpy(np.frombuffer(data, np.float16).reshape(dims).astype(np.float32))
        # MLX's convolutions have their channels last.
        state[openai_name(name)] = tensor.transpose(1, 2) if tensor.ndim == 3 else tensor
    missing, unexpected = model.load_state_dict(state, strict=False)
    computed = {"encoder.positional_embedding"}
    if unexpected or set(missing) - computed:
        raise SystemExit(f"tensors that do not fit: {missing} {unexpected}")
    mask = torch.zeros(model.dims.n_text_layer, model.dims.n_text_head, dtype=torch.bool)
    for layer, head in heads:
        mask[layer, head] = True
    model.register_buffer("alignment_heads", mask.to_sparse(), persistent=False)
    return model.eval()


def read_samples(path):
    with wave.open(str(path)) as file:
        return np.frombuffer(file.readframes(file.getnframes()), "<i2").astype(np.float32) / 32768


def main(folder, threads, beam, out, *wavs):
    torch.set_num_threads(int(threads))
    model = load_model(folder)
    for wav in map(pathlib.Path, wavs):
        torch.manual_seed(0)
        # As its command line: beams at temperature 0, best of five above, fallback.
        result = whisper.transcribe(
            model,
            read_samples(wav),
            language="en",
            temperature=tuple(np.arange(0, 1.01, 0.2)),
            beam_size=int(beam) if int(beam) > 1 else None,
            best_of=5,
            fp16=False,
        )
        (pathlib.Path(out) / f"{wav.stem}.txt").write_text(result["text"], encoding="utf-8")


main(*sys.argv[2:])
