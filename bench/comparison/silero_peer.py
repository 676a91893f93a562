"""silero_peer.py OPTIONS: a Silero VAD on onnxruntime, warm (serve.py). The first request's
probabilities of speech go to the file `out`; no text is answered."""

import json
import sys

import numpy as np
import onnxruntime
from serve import serve

CHUNK, CONTEXT, WIDTH = 512, 64, 128


def session(path, threads):
    options = onnxruntime.SessionOptions()
    options.inter_op_num_threads = 1
    options.intra_op_num_threads = threads
    return onnxruntime.InferenceSession(
        path, providers=["CPUExecutionProvider"], sess_options=options
    )


def faster_whisper(threads):
    """Its own class, with its own session of one thread unless another number is asked for."""
    from faster_whisper.utils import get_assets_path
    from faster_whisper.vad import SileroVADModel

    path = get_assets_path() + "/silero_vad_v6.onnx"
    model = SileroVADModel(path)
    if threads > 1:
        model.session = session(path, threads)
    return lambda samples: model(samples).reshape(-1)


def package_blocks(path, threads):
    """silero_vad/sequence_vad.py, whose package cannot be imported without torch: 512 chunks a
    call."""
    model = session(path, threads)
    block = 512

    def probabilities(samples):
        chunks = samples.reshape(-1, CHUNK)
        before = np.zeros((len(chunks), CONTEXT), dtype=np.float32)
        before[1:] = chunks[:-1, -CONTEXT:]
        heard = np.concatenate((before, chunks), axis=1)
        h = c = np.zeros((1, 1, WIDTH), dtype=np.float32)
        found = []
        for first in range(0, len(heard), block):
            inputs = {"input": heard[first : first + block], "h": h, "c": c}
            values, h, c = model.run(["speech_probs", "hn", "cn"], inputs)
            found.append(values.reshape(-1))
        return np.concatenate(found)

    return probabilities


def package_chunks(path, threads):
    """silero_vad/utils_vad.py, OnnxWrapper: a call a chunk."""
    model = session(path, threads)
    rate = np.array(16000, dtype=np.int64)

    def probabilities(samples):
        before = np.zeros((1, CONTEXT), dtype=np.float32)
        state = np.zeros((2, 1, WIDTH), dtype=np.float32)
        found = []
        for chunk in samples.reshape(-1, 1, CHUNK):
            heard = np.concatenate((before, chunk), axis=1)
            value, state = model.run(None, {"input": heard, "state": state, "sr": rate})
            before = chunk[:, -CONTEXT:]
            found.append(value.reshape(-1))
        return np.concatenate(found)

    return probabilities


MODELS = {
    "faster-whisper": faster_whisper,
    "blocks": package_blocks,
    "chunks": package_chunks,
}


def main(kind, out, **given):
    model = MODELS[kind](**given)
    told = []

    def hear(samples):
        # faster-whisper's class writes into what it is given.
        found = model(samples.copy())
        if not told:
            told.append(True)
            found.astype(np.float32).tofile(out)
        return ""

    serve(hear)


main(**json.loads(sys.argv[1]))
