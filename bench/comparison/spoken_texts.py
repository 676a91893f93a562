"""Speech whose words are known, out of Debian's packages (tools/debian.txt): public-domain texts
for free voices to speak, and sentences that people read."""

import gzip
import itertools
import pathlib
import re

TEXTS = (
    pathlib.Path("/usr/share/state/us-declaration.gz"),
    pathlib.Path("/usr/share/state/us-constitution.gz"),
)
SENTENCES = pathlib.Path("/usr/share/pocketsphinx/test/data/librivox")
# What speaks `text` into `wav`.
VOICES = {
    "slt": lambda text, wav: ["flite", "-voice", "slt", "-f", text, "-o", wav],
    "rms": lambda text, wav: ["flite", "-voice", "rms", "-f", text, "-o", wav],
    "en-us": lambda text, wav: ["espeak-ng", "-v", "en-us", "-f", text, "-w", wav],
    "awb": lambda text, wav: ["flite", "-voice", "awb", "-f", text, "-o", wav],
    "kal16": lambda text, wav: ["flite", "-voice", "kal16", "-f", text, "-o", wav],
    "en-gb": lambda text, wav: ["espeak-ng", "-v", "en-gb", "-f", text, "-w", wav],
}


def paragraphs(path):
    """The text's whole sentences: no headings, no dates, no notes."""
    text = gzip.decompress(path.read_bytes()).decode("ascii")
    for block in re.split(r"\n\s*\n", text):
        block = " ".join(block.split())
        if block.endswith((".", ";", ":")) and not re.search(r"[0-9\[\]<>]", block):
            yield block


def pieces(words_per_clip):
    """Texts of about that many words, cut where a sentence ends."""
    text = " ".join(itertools.chain.from_iterable(paragraphs(path) for path in TEXTS))
    piece, count = [], 0
    for sentence in re.findall(r".+?[.;:](?:\s|$)", text):
        piece.append(sentence.strip())
        count += len(sentence.split())
        if count >= words_per_clip:
            yield " ".join(piece)
            piece, count = [], 0


def read_sentences():
    """(wav, text) of each; 16 kHz, mono, 16 bits."""
    for line in (SENTENCES / "transcription").read_text(encoding="ascii").splitlines():
        text, name = re.fullmatch(r"<s> (.*) </s> \((.*)\)", line).groups()
        yield SENTENCES / f"{name}.wav", text
