"""Recordings, good in spite of it or bad: each with its words, or the sentence that refuses it."""

import array
import dataclasses
import struct
import zlib

from program import SAMPLE_WORDS
from wav_files import (
    A_LAW,
    FLOAT,
    MU_LAW,
    UNKNOWN,
    chunk,
    extensible,
    format_body,
    interleaved,
    riff,
    to_a_law,
    to_floats,
    to_mu_law,
    to_s24,
    to_s32,
    to_u8,
    wav,
)

RATE = 16000
# What tiny.en hears of 8 bits or 8 kHz.
COARSE_WORDS = SAMPLE_WORDS.replace("americans", "americans?")


@dataclasses.dataclass
class Row:
    name: str
    content: bytes
    words: str = SAMPLE_WORDS  # a pattern; None: it is refused
    sentence: str = ""  # what standard error says of it; a line each; "": nothing
    least: int = None  # where given, the first so many of the words are heard, and then anything


def refused(name, content, sentence):
    return Row(name, content, None, sentence)


def plain(samples):
    return array.array("h", samples).tobytes()


def wav_forms(samples):
    """Every sample format."""
    data = samples.tobytes()
    floats = to_floats(samples)
    yield Row("u8.wav", wav(to_u8(samples), bits=8), COARSE_WORDS)
    yield Row("s16.wav", wav(data))
    yield Row("s24.wav", wav(to_s24(samples), bits=24))
    yield Row("s32.wav", wav(to_s32(samples), bits=32))
    yield Row("f32.wav", wav(floats, tag=FLOAT, bits=32))
    yield Row("f64.wav", wav(to_floats(samples, "d"), tag=FLOAT, bits=64))
    yield Row("twelve_bits.wav", wav(plain(s & ~15 for s in samples), bits=12))
    yield Row("mu_law.wav", wav(to_mu_law(samples), tag=MU_LAW, bits=8))
    yield Row("a_law.wav", wav(to_a_law(samples), tag=A_LAW, bits=8))
    yield Row("extensible.wav", extensible(data))
    yield Row("extensible_s24.wav", extensible(to_s24(samples), bits=24))
    yield Row("extensible_f32.wav", extensible(floats, tag=FLOAT, bits=32))


def wav_layouts(samples):
    """Headers as real programs write them, and chunks in every place."""
    data = samples.tobytes()
    form, sound = chunk(b"fmt ", format_body()), chunk(b"data", data)
    odd = chunk(b"LIST", b"odd")
    sizes = struct.pack("<QQQI", len(data) + 80, len(data), len(samples), 0)
    long = chunk(b"ds64", sizes) + form + chunk(b"data", data, UNKNOWN)
    info = chunk(b"LIST", b"INFO" + chunk(b"INAM", b"a name of odd length"))
    yield Row("odd_chunks.wav", riff(odd + form + odd + chunk(b"fact", b"12345") + sound))
    yield Row("unpadded.wav", riff(b"LIST" + struct.pack("<I", 3) + b"odd" + form + sound))
    yield Row("list_before.wav", riff(info + form + sound))
    yield Row("list_after.wav", riff(form + sound + info))
    yield Row("long_format.wav", riff(chunk(b"fmt ", format_body() + b"\1" * 90) + sound))
    yield Row("no_frame_size.wav", riff(chunk(b"fmt ", format_body(frame_bytes=0)) + sound))
    yield Row("empty_chunk.wav", riff(chunk(b"JUNK", b"") + form + sound))
    yield Row("long_chunk.wav", riff(form + chunk(b"PICT", bytes(3000001)) + sound))
    yield Row("bogus_riff_size.wav", riff(form + sound, 7))
    yield Row("zero_sizes.wav", riff(form + chunk(b"data", data, 0), 0))
    yield Row("crashed.wav", riff(form + chunk(b"data", data, 0), 36))
    yield Row("unknown_sizes.wav", riff(form + chunk(b"data", data, UNKNOWN), UNKNOWN))
    yield Row("sox.wav", riff(form + chunk(b"data", data, 0x7FFFF000), 0x7FFFF024))
    yield Row("huge_sizes.wav", riff(form + chunk(b"data", data, 0xFFFFFFD0), 0xFFFFFFF4))
    yield Row("rf64.wav", riff(long, UNKNOWN, b"RF64"))
    yield Row("bw64.wav", riff(long, UNKNOWN, b"BW64"))
    no_sizes = form + chunk(b"data", data, UNKNOWN)
    yield Row("rf64_without_sizes.wav", riff(no_sizes, UNKNOWN, b"RF64"))
    early = r"{name}: warning: the file ends early: 11\.0 s of 22\.0 s decoded"
    yield Row("lying_size.wav", riff(form + chunk(b"data", data, 2 * len(data))), sentence=early)
    inside = r"{name}: warning: the sound ends inside a frame: the last byte is left out"
    yield Row("odd_data.wav", riff(form + chunk(b"data", data + b"\1")), sentence=inside)


def channels(samples):
    """One to eight, all alike; one that speaks alone; and channels that cancel each other out."""
    silence = array.array("h", bytes(2 * len(samples)))
    opposed = array.array("h", (max(-s, -32768) if s > -32768 else 32767 for s in samples))
    for count in range(1, 9):
        data = interleaved(*[samples] * count).tobytes()
        yield Row(f"channels_{count}.wav", wav(data, channels=count))
    one_sided = interleaved(samples, silence).tobytes()
    yield Row("left_alone.wav", wav(one_sided, channels=2))
    half = array.array("h", (s // 2 for s in opposed))
    yield Row("half_opposed.wav", wav(interleaved(samples, half).tobytes(), channels=2))
    cancelled = (
        "{name}: warning: the channels are of opposite phase, so that their average is nearly "
        "silent: hear one of them with --channel 1"
    )
    yield Row(
        "opposed.wav", wav(interleaved(samples, opposed).tobytes(), channels=2), "", cancelled
    )


def samples_that_are_none(samples):
    """NaN and infinite ones, in silence and in speech."""
    floats = array.array("f", to_floats(samples))
    for i, bad in enumerate([float("nan"), float("inf"), float("-inf")]):
        floats[100 + i] = bad
    told = "{name}: warning: %d samples are infinite or not a number and were read as silence"
    yield Row("nan.wav", wav(floats.tobytes(), tag=FLOAT, bits=32), sentence=told % 3)
    all_nan = array.array("f", [float("nan")] * RATE).tobytes()
    yield Row("all_nan.wav", wav(all_nan, tag=FLOAT, bits=32), "", told % RATE)
    doubles = array.array("d", to_floats(samples, "d"))
    doubles[50] = 1e300
    yield Row("huge_double.wav", wav(doubles.tobytes(), tag=FLOAT, bits=64), sentence=told % 1)
    loud = array.array("f", (4 * s for s in array.array("f", to_floats(samples))))
    yield Row("over_full_scale.wav", wav(loud.tobytes(), tag=FLOAT, bits=32))


def lengths(samples):
    """From one sample to a window and a sample more."""
    for name, count in [("1_sample", 1), *[(f"{ms}_ms", 16 * ms) for ms in (10, 20, 50, 100, 140)]]:
        yield Row(f"{name}.wav", wav(samples[:count].tobytes()), "")
    window = 30 * RATE
    for name, count in [("less", window - 1), ("exactly", window), ("more", window + 1)]:
        padded = samples.tobytes() + bytes(2 * (count - len(samples)))
        yield Row(f"30_s_{name}.wav", wav(padded))


def bad_headers(samples):
    """WAV files without sound, cut in the header, or at odds with themselves."""
    data = samples.tobytes()
    form, sound = chunk(b"fmt ", format_body()), chunk(b"data", data)
    none = "{name} is a WAV file without a single sample of sound"
    early = "{name} is a WAV file that ends inside its header"
    yield refused("no_sound.wav", riff(form + chunk(b"data", b"")), none)
    yield refused("half_a_sample.wav", riff(form + chunk(b"data", b"1")), none)
    yield refused(
        "silent_chunks.wav", riff(form + chunk(b"data", b"") + chunk(b"LIST", b"x")), none
    )
    yield refused("no_chunks.wav", riff(b""), early)
    yield refused("cut_in_riff.wav", riff(form + sound)[:10], "{name} is no recording: .*format")
    yield refused("cut_in_format.wav", riff(form + sound)[:30], early)
    yield refused("no_data.wav", riff(form), early)
    yield refused("endless_chunk.wav", riff(form + chunk(b"LIST", b"abc", UNKNOWN) + sound), early)
    order = "{name} is a WAV file whose sound comes before its format"
    yield refused("sound_first.wav", riff(sound + form), order)
    short = "{name} is a WAV file whose format takes 8 bytes; expected 16 or more"
    yield refused("short_format.wav", riff(chunk(b"fmt ", b"12345678") + sound), short)
    claims = r"{name} is a WAV file that claims %s"
    yield refused("no_channels.wav", wav(data, channels=0), claims % "0 channels")
    yield refused("no_rate.wav", wav(data, rate=0), claims % "a sample rate of 0 Hz")
    rate = r"{name} has a sample rate of %d Hz; expected 1000 to 6144000 Hz"
    yield refused("low_rate.wav", wav(data, rate=1), rate % 1)
    yield refused("huge_rate.wav", wav(data, rate=UNKNOWN), rate % 0x7FFFFFFF)
    frames = "{name} is a WAV file that contradicts itself: .* do not make frames of %d bytes"
    yield refused("odd_frames.wav", wav(data, bits=24, frame_bytes=4), frames % 4)
    yield refused("many_channels.wav", wav(data, channels=65535), frames % (65535 * 2 % 65536))
    coded = "the sound of {name} is coded in a way that is not known here"
    yield refused("no_bits.wav", wav(data, bits=0), coded)
    yield refused("forty_bits.wav", wav(data, bits=40), coded)
    yield refused("unknown_codec.wav", wav(data, tag=0x1234), coded)


def png():
    def part(kind, body):
        check = struct.pack(">I", zlib.crc32(kind + body))
        return struct.pack(">I", len(body)) + kind + body + check

    header = part(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0))
    pixels = part(b"IDAT", zlib.compress(b"\0\0"))
    return b"\x89PNG\r\n\x1a\n" + header + pixels + part(b"IEND", b"")


def no_recordings(media):
    """Files of other kinds, whatever their names say."""
    none = "{name} is no recording: its content is of no known audio or video format"
    yield refused("empty.wav", b"", "{name} is empty")
    yield refused("text.txt", b"Words, but none that were spoken.\n" * 20, none)
    yield refused("text.mp3", b"Words, but none that were spoken.\n" * 20, none)
    yield refused("zip.zip", media["zip"], none)
    yield refused("picture.png", png(), "{name} .*holds no sound, only pictures")
    yield refused("paper.pdf", b"%PDF-1.7\n1 0 obj\n<< /Type /Catalog >>\nendobj\n%%EOF\n", none)
    yield refused("program.elf", media["program"], none)
    yield refused("zeros.wav", bytes(100000), none)
    yield refused("ones.mp3", b"\xff" * 100000, none)
    yield refused(
        "playlist.m3u8",
        b"#EXTM3U\n#EXT-X-TARGETDURATION:10\n#EXTINF:10,\ntalk.wav\n",
        "{name} is a playlist .*",
    )
    yield refused(
        "silent.mkv", media["silent.mkv"], r"{name} \(Matroska.*\) holds no sound, only.*"
    )


def names(media):
    """Wrong extensions and odd names."""
    yield Row("mp3.wav", media["talk.mp3"])
    yield Row("flac.mp3", media["talk.flac"])
    yield Row("wav.flac", media["talk.wav"])
    yield Row("film.txt", media["film.mp4"])
    yield Row("no_extension", media["talk.ogg"])
    yield Row('sp ace\'s "quoted" ünïcödé 漢字 🐦 $(x) %s {}.wav', media["talk.wav"])
    yield Row(" leading and trailing .wav ", media["talk.wav"])
