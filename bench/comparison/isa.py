"""Each program's own switch for the instruction set: a machine can stand for a lesser one."""

SWITCHES = (
    "WHINCHAT_MAX_ISA",
    "ONEDNN_MAX_CPU_ISA",
    "CT2_FORCE_CPU_ISA",
    "MKL_ENABLE_INSTRUCTIONS",  # which CTranslate2 calls on Intel's processors
    "OPENBLAS_CORETYPE",
)
VALUES = {
    "sse4": ("sse4", "SSE41", "GENERIC", "SSE4_2", "Nehalem"),
    "avx2": ("avx2", "AVX2", "AVX2", "AVX2", "Haswell"),
    "avx512_vnni": ("avx512_vnni", "AVX512_CORE_VNNI", "AVX512", "AVX512_E1", "SkylakeX"),
    "avx512_bf16": ("avx512_bf16", "AVX512_CORE_BF16", "AVX512", "AVX512_E3", "SkylakeX"),
}
# The flag of /proc/cpuinfo that says a processor has it.
FLAGS = {
    "sse4": "sse4_1",
    "avx2": "avx2",
    "avx512_vnni": "avx512_vnni",
    "avx512_bf16": "avx512_bf16",
}


def switches(name):
    """The environment of a limit; none for no limit."""
    return dict(zip(SWITCHES, VALUES[name])) if name else {}


def covers(peer, name):
    """whisper.cpp's wheel is built for AVX2 and has no switch; its own build is made for the limit
    (whisper_cpp_build.py). OpenVINO needs AVX2 too."""
    return name != "sse4" or not peer.startswith(("whisper.cpp-wheel", "openvino"))
