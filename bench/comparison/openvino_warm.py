"""openvino_warm.py FOLDER LANGUAGE THREADS: OpenVINO GenAI, warm (serve.py)."""

import sys

import openvino_genai
from serve import serve


def main(folder, language, threads):
    pipeline = openvino_genai.WhisperPipeline(
        folder, "CPU", INFERENCE_NUM_THREADS=int(threads), PERFORMANCE_HINT="LATENCY"
    )
    given = {"return_timestamps": True}
    if pipeline.get_generation_config().is_multilingual:
        given.update(task="transcribe", language=f"<|{language}|>")

    def transcribe(samples):
        return str(pipeline.generate(samples, **given))

    serve(transcribe)


main(*sys.argv[1:])
