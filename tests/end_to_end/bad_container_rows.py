"""Containers: whole, cut, and damaged; with the words that are left, and what is said."""

from bad_audio_rows import COARSE_WORDS, Row, refused
from program import SAMPLE_WORDS

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
