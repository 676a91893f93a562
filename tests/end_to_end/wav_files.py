"""WAV files put together chunk by chunk, right or wrong."""

import array
import struct

UNKNOWN = 0xFFFFFFFF
PCM, FLOAT, A_LAW, MU_LAW, EXTENSIBLE = 1, 3, 6, 7, 0xFFFE
SUB_FORMAT = bytes.fromhex("000000001000800000aa00389b71")


def chunk(name, body, size=None):
    padding = bytes(len(body) % 2)
    return name + struct.pack("<I", len(body) if size is None else size) + body + padding


def riff(content, size=None, kind=b"RIFF"):
    return kind + struct.pack("<I", len(content) + 4 if size is None else size) + b"WAVE" + content


def format_body(tag=PCM, channels=1, rate=16000, bits=16, frame_bytes=None):
    frame = channels * ((bits + 7) // 8) if frame_bytes is None else frame_bytes
    second = rate * frame & UNKNOWN
    return struct.pack("<HHIIHH", tag, channels, rate, second, frame & 0xFFFF, bits)


def wav(data, **fields):
    """A plain file; `fields` are format_body's."""
    return riff(chunk(b"fmt ", format_body(**fields)) + chunk(b"data", data))


def extensible(data, tag=PCM, bits=16, **fields):
    body = format_body(tag=EXTENSIBLE, bits=bits, **fields)
    body += struct.pack("<HHIH", 22, bits, 0, tag) + SUB_FORMAT
    return riff(chunk(b"fmt ", body) + chunk(b"data", data))


def from_bytes(data):
    """16-bit samples."""
    return array.array("h", data)


def to_u8(samples):
    return bytes((sample >> 8) + 128 for sample in samples)


def to_s24(samples):
    return b"".join(struct.pack("<i", sample << 8)[:3] for sample in samples)


def to_s32(samples):
    return array.array("i", (sample << 16 for sample in samples)).tobytes()


def to_floats(samples, code="f"):
    return array.array(code, (sample / 32768 for sample in samples)).tobytes()


def to_mu_law(samples):
    return bytes(map(mu_law_byte, samples))


def mu_law_byte(sample):
    sign = 0x80 if sample < 0 else 0
    magnitude = min(abs(sample), 32635) + 132
    exponent = magnitude.bit_length() - 8
    return ~(sign | exponent << 4 | (magnitude >> (exponent + 3)) & 0x0F) & 0xFF


def to_a_law(samples):
    return bytes(map(a_law_byte, samples))


def a_law_byte(sample):
    sign = 0 if sample < 0 else 0x80
    magnitude = min(~sample if sample < 0 else sample, 32767) >> 3
    exponent = max(magnitude.bit_length() - 5, 0)
    mantissa = magnitude >> (exponent if exponent > 0 else 1) & 0x0F
    return (sign | exponent << 4 | mantissa) ^ 0x55


def interleaved(*channels):
    samples = array.array("h", bytes(2 * len(channels) * len(channels[0])))
    for number, channel in enumerate(channels):
        samples[number :: len(channels)] = channel
    return samples


def resampled(samples, rate, from_rate=16000):
    """By straight lines: good enough for words."""
    count = len(samples) * rate // from_rate
    result = array.array("h", bytes(2 * count))
    for i in range(count):
        place = i * from_rate / rate
        left = int(place)
        right = samples[min(left + 1, len(samples) - 1)]
        result[i] = round(samples[left] + (right - samples[left]) * (place - left))
    return result
