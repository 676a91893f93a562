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


WHOLE = ["talk.mp3", "talk.flac", "talk.ogg", "talk.m4a", "film.mp4", "talk.mkv", "talk.webm"]
WHOLE += ["talk.opus", "talk.aac", "talk.ts", "talk.caf", "talk.wma", "talk.aiff", "talk.au"]
WHOLE += ["adpcm.wav"]
RATES = [8000, 11025, 22050, 44100, 48000, 96000, 192000]


def whole(media):
    for name in WHOLE:
        yield Row(f"whole_{name}", media[name])
    for rate in RATES:
        expected = COARSE_WORDS if rate == 8000 else SAMPLE_WORDS
        yield Row(f"rate_{rate}.wav", media[f"rate_{rate}.wav"], expected)


def cut(content, share):
    return content[: len(content) * share // 100]


def corrupted(content, share, count=2000):
    """`count` bytes of no meaning, the same each time, from `share` percent on."""
    start = len(content) * share // 100
    noise = bytes((i * i * 31 + i * 7 + 13) >> 3 & 0xFF for i in range(count))
    return (content[:start] + noise + content[start + count :])[: len(content)]


EARLY = r"the file ends early: \d+\.\d s (of 11\.\d s )?decoded"
LEFT_OUT = r"\d+ damaged pieces? w(as|ere) left out, the first at \d+\.\d s"
GAP = r"\d+\.\d s of the sound are missing, the first from \d+\.\d s on"
UNKNOWN_KIND = "{name} is no recording: its content is of no known audio or video format"
BAD_HEADER = r"cannot read the sound of {name}: its .* header is damaged or cut off"
NO_SOUND = r"{name} \(.*\) holds no sound, only pictures"

# Of each container: cut after this share, how many words begin the rest, what is said of it.
CUTS = [
    (["talk.wav", "talk.mp3", "talk.flac", "talk.mkv", "talk.webm", "talk.aac"], 70, 14, EARLY),
    (["talk.aiff", "talk.ts"], 70, 14, EARLY),
    (["talk.ogg", "talk.opus"], 70, 12, EARLY),
    (["talk.wav", "talk.mp3", "talk.flac", "talk.mkv", "talk.webm", "talk.aac"], 95, 22, EARLY),
    (["talk.ogg", "talk.opus"], 95, 21, EARLY),
    (["talk.mkv", "talk.webm", "talk.opus", "talk.aac"], 30, 5, EARLY),
    (["talk.wav", "talk.mp3", "talk.mkv", "talk.webm", "talk.aac"], 1, 0, EARLY),
]
# Cut so that nothing can be heard.
CUT_OFF = [
    (["talk.m4a", "film.mp4", "talk.caf"], 70, BAD_HEADER),
    (["talk.m4a", "film.mp4"], 1, BAD_HEADER),
    (["talk.flac", "talk.ogg", "talk.opus"], 1, BAD_HEADER),
    (["talk.ogg", "talk.m4a", "talk.wma", "talk.caf", "talk.aiff"], 0, BAD_HEADER),
    (["talk.mp3", "talk.flac", "talk.mkv", "talk.ts"], 0, UNKNOWN_KIND),
]
# Damaged from this share on, as CUTS; several sentences are joined by a line break.
DAMAGED = [
    (["talk.wav", "talk.aiff"], 50, 22, ""),
    (["talk.wav", "talk.aiff"], 97, 22, ""),
    (["talk.flac", "talk.aac", "talk.ts"], 50, 7, LEFT_OUT),
    (["talk.mkv", "talk.wma"], 50, 7, LEFT_OUT + "\n" + GAP),
    (["talk.webm"], 50, 5, GAP),
    (["talk.flac", "talk.aac"], 97, 22, LEFT_OUT),
    (["talk.mp3", "talk.m4a", "film.mp4", "talk.caf"], 50, 7, LEFT_OUT + "\n" + EARLY),
    (["talk.mp3"], 97, 22, LEFT_OUT + "\n" + EARLY),
    (["talk.ogg", "talk.opus"], 50, 7, GAP),
    (["talk.ogg", "talk.opus"], 97, 21, EARLY),
    (["talk.mkv", "talk.webm", "talk.caf"], 97, 22, EARLY),
]
# The start overwritten, or the index at the end.
UNREADABLE = [
    (["talk.wav", "talk.flac", "talk.ogg", "talk.m4a", "talk.mkv", "talk.wma"], 0, UNKNOWN_KIND),
    (["talk.webm", "talk.opus", "talk.caf", "talk.aiff"], 0, UNKNOWN_KIND),
    (["film.mp4"], 0, NO_SOUND),
    (["talk.m4a"], 97, BAD_HEADER),
]


def warned(sentences):
    return "\n".join("{name}: warning: " + s for s in sentences.split("\n")) if sentences else ""


def cuts(media):
    for names_of, share, least, sentence in CUTS:
        for name in names_of:
            content = cut(media[name], share)
            yield Row(f"cut_{share}_{name}", content, sentence=warned(sentence), least=least)
    for names_of, share, sentence in CUT_OFF:
        for name in names_of:
            yield refused(
                f"cut_{share}_{name}", cut(media[name], share) or media[name][:20], sentence
            )


def damages(media):
    for names_of, share, least, sentence in DAMAGED:
        for name in names_of:
            content = corrupted(media[name], share)
            yield Row(f"damaged_{share}_{name}", content, sentence=warned(sentence), least=least)
    for names_of, share, sentence in UNREADABLE:
        for name in names_of:
            content = corrupted(media[name], share, 64 if share == 0 else 2000)
            yield refused(f"damaged_{share}_{name}", content, sentence)
