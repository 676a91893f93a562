"""Word error rates over a set of clips, and whether one system is worse than another."""

import dataclasses
import random

from words import piece_errors, word_errors, words_of

RESAMPLES = 10_000


@dataclasses.dataclass(frozen=True)
class Errors:
    """Of one system, a number for each clip."""

    errors: list
    words: list

    def rate(self, chosen=None):
        chosen = range(len(self.words)) if chosen is None else chosen
        return sum(self.errors[i] for i in chosen) / sum(self.words[i] for i in chosen)


def count_errors(known_texts, heard_texts):
    pairs = list(zip(known_texts, heard_texts))
    return Errors(
        [word_errors(known, heard) for known, heard in pairs],
        [len(words_of(known)) for known, _ in pairs],
    )


def difference(one, other, resamples=RESAMPLES, seed=0):
    """(rate of one − rate of other, the ends of its 95 % interval): a bootstrap over the clips, the
    same ones drawn for both."""
    if one.words != other.words:
        raise ValueError("expected the same clips for both")
    clips = range(len(one.words))
    draw = random.Random(seed)
    drawn = (draw.choices(clips, k=len(clips)) for _ in range(resamples))
    gaps = sorted(one.rate(chosen) - other.rate(chosen) for chosen in drawn)
    tail = round(0.025 * resamples)
    return one.rate() - other.rate(), gaps[tail], gaps[-1 - tail]


def verdict(low, high):
    """Of the first system: worse and better mean that the interval leaves 0 out."""
    if low > 0:
        return "worse"
    return "better" if high < 0 else "as good"


def refuses(our_texts, their_texts, known):
    """Whether a ratio would flatter us: our worst transcript is worse than their best, by the
    pieces of the known text. Without one nothing can be said."""
    if known is None:
        return False
    ours = max((piece_errors(known, text) for text in our_texts), key=sum)
    theirs = min((piece_errors(known, text) for text in their_texts), key=sum)
    if sum(ours) <= sum(theirs):
        return False
    words = [len(words_of(piece)) for piece in known]
    _, *interval = difference(Errors(ours, words), Errors(theirs, words))
    return verdict(*interval) == "worse"
