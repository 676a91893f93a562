"""openvino_warm.py OPTIONS: OpenVINO GenAI, warm (serve.py). It searches greedily, and tells no
window of earlier text."""

import openvino_genai
from serve import options, serve


def main(model, threads, language):
    pipeline = openvino_genai.WhisperPipeline(
        model, "CPU", INFERENCE_NUM_THREADS=threads, PERFORMANCE_HINT="LATENCY"
    )
    given = {"return_timestamps": True}
    if pipeline.get_generation_config().is_multilingual:
        given["task"] = "transcribe"
        if language:
            given["language"] = f"<|{language}|>"

    def transcribe(samples):
        return str(pipeline.generate(samples, **given))

    serve(transcribe)


main(**options())
