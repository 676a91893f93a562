"""Word error rates over a set of clips, and whether one system is worse than another."""

import dataclasses

import numpy as np
from words import word_errors, words_of

RESAMPLES = 10_000


@dataclasses.dataclass(frozen=True)
class Errors:
    """Of one system, a number for each clip."""

    errors: np.ndarray
    words: np.ndarray

    def rate(self, chosen=slice(None)):
        return self.errors[chosen].sum() / self.words[chosen].sum()


def count_errors(known_texts, heard_texts):
    pairs = list(zip(known_texts, heard_texts))
    return Errors(
        np.array([word_errors(known, heard) for known, heard in pairs]),
        np.array([len(words_of(known)) for known, _ in pairs]),
    )


def difference(one, other, resamples=RESAMPLES, seed=0):
    """(rate of one − rate of other, the ends of its 95 % interval): a bootstrap over the clips, the
    same ones drawn for both."""
    if not np.array_equal(one.words, other.words):
        raise ValueError("expected the same clips for both")
    clips = len(one.words)
    drawn = np.random.Generator(np.random.PCG64(seed)).integers(0, clips, (resamples, clips))
    gaps = (one.errors - other.errors)[drawn].sum(axis=1) / one.words[drawn].sum(axis=1)
    low, high = np.quantile(gaps, (0.025, 0.975))
    return one.rate() - other.rate(), float(low), float(high)


def verdict(low, high):
    """Of the first system: worse and better mean that the interval leaves 0 out."""
    if low > 0:
        return "worse"
    return "better" if high < 0 else "as good"
