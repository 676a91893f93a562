"""faster_whisper_peer.py OPTIONS: faster-whisper, warm (serve.py); or the text of the wav that
OPTIONS names, and nothing loaded for more than that: then the whole process is timed."""

import json
import sys

from faster_whisper import BatchedInferencePipeline, WhisperModel


def main(model, compute_type, threads, language, beam, vad, batch=0, wav=None):
    loaded = WhisperModel(model, device="cpu", compute_type=compute_type, cpu_threads=threads)
    # One temperature: no fallback. Each window by itself.
    given = {"language": language, "beam_size": beam, "temperature": 0}
    if batch:
        loaded = BatchedInferencePipeline(loaded)
        given.update(batch_size=batch, without_timestamps=False)
    else:
        given.update(condition_on_previous_text=False, vad_filter=vad)

    def transcribe(sound):
        # The segments are made while they are iterated over.
        segments, _ = loaded.transcribe(sound, **given)
        return "".join(segment.text for segment in segments)

    if wav:
        print(transcribe(wav))
    else:
        from serve import serve

        serve(transcribe)


main(**json.loads(sys.argv[1]))
