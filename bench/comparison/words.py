"""Word errors against a known text, and whether times may be compared at all."""

import re
import statistics


def words_of(text):
    """Case and punctuation folded away."""
    return re.findall(r"[\w']+", text.lower().replace("’", "'"))


def word_errors(known, heard):
    """The fewest insertions, deletions and substitutions that turn one into the other."""
    known, heard = words_of(known), words_of(heard)
    costs = list(range(len(heard) + 1))
    for row, wanted in enumerate(known, 1):
        diagonal, costs[0] = costs[0], row
        for column, word in enumerate(heard, 1):
            kept = diagonal + (wanted != word)
            diagonal = costs[column]
            costs[column] = min(kept, costs[column] + 1, costs[column - 1] + 1)
    return costs[-1]


def refuses(our_texts, their_texts, known):
    """Whether a ratio would flatter us: our worst transcript has more word errors than their best.
    Without a known text nothing can be said."""
    if known is None:
        return False
    ours = max(word_errors(known, text) for text in our_texts)
    return ours > min(word_errors(known, text) for text in their_texts)


def median_ratio(their_seconds, our_seconds):
    """How many times faster we are: the median over the rounds, each of which ran both."""
    if len(their_seconds) != len(our_seconds):
        raise ValueError(f"expected {len(our_seconds)} rounds, got {len(their_seconds)}")
    return statistics.median(t / o for t, o in zip(their_seconds, our_seconds))
