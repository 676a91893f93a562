"""What ./dev bench peers can measure: what is heard, how it is decoded, and by which rows."""

import dataclasses
from typing import Optional

from rows import FASTER_WHISPER, OPENVINO, WARM, WHOLE

BATCHED = "faster-whisper-batched"
FIND_SPEECH = ("openvino-f16", "openvino-int8", "faster-whisper-int8")


@dataclasses.dataclass(frozen=True)
class Work:
    title: str
    language: Optional[str] = "en"  # None: each program detects it
    beam: int = 1
    is_long: bool = False  # ten minutes in place of the sample
    has_pauses: bool = False  # 12 s of silence between pieces, which each leaves out if it can
    most_words: Optional[int] = None  # of a piece
    is_whole: bool = False  # from the start of the program to its last word

    def rows(self):
        if self.is_whole:
            return WHOLE
        if self.has_pauses:
            return {name: row for name, row in WARM.items() if name in FIND_SPEECH}
        return {
            name: row
            for name, row in WARM.items()
            if not (row[0] == OPENVINO and self.beam > 1) and (name != BATCHED or self.is_long)
        }

    def notes(self):
        if self.beam > 1 and not self.is_whole:
            yield f"{OPENVINO} has no row: its Whisper pipeline searches greedily only."
        if self.has_pauses:
            yield f"whinchat and {FASTER_WHISPER} hear speech alone, {OPENVINO} everything."
        elif self.is_long:
            yield f"{FASTER_WHISPER} batched cuts at silence and decodes 8 parts at once."


WORKS = {
    "greedy": Work("greedy"),
    "auto": Work("greedy", language=None),
    "beam5": Work("beam 5", beam=5),
    "long": Work("ten minutes, greedy", is_long=True),
    "pauses": Work("ten minutes with pauses, greedy", is_long=True, has_pauses=True),
    "short": Work(
        "ten minutes of short pieces with pauses, greedy",
        is_long=True,
        has_pauses=True,
        most_words=6,
    ),
    "whole": Work("greedy, start of the program to its last word", is_whole=True),
}
