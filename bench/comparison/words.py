"""Word errors against a known text, and the ratio of times."""

import functools
import re
import statistics


def words_of(text):
    """Case and punctuation folded away."""
    return re.findall(r"[\w']+", text.lower().replace("’", "'"))


@functools.cache
def piece_errors(pieces, heard):
    """The fewest insertions, deletions and substitutions that turn the known pieces (a tuple), one
    after the other, into what was heard: how many of them each piece has."""
    known = [(word, piece) for piece, text in enumerate(pieces) for word in words_of(text)]
    heard = words_of(heard)
    costs = [list(range(len(heard) + 1))]
    for wanted, _ in known:
        above, row = costs[-1], [costs[-1][0] + 1]
        for column, word in enumerate(heard):
            row.append(
                min(above[column] + (wanted != word), above[column + 1] + 1, row[column] + 1)
            )
        costs.append(row)
    errors = [0] * len(pieces)
    row, column = len(known), len(heard)
    while row or column:
        cost, before = costs[row][column], (row, column)
        if (
            row
            and column
            and costs[row - 1][column - 1] + (known[row - 1][0] != heard[column - 1]) == cost
        ):
            row, column = row - 1, column - 1
        elif row and costs[row - 1][column] + 1 == cost:
            row -= 1
        else:  # a word too many counts for the piece of the word before it
            column -= 1
        piece = known[before[0] - 1][1] if before[0] else 0
        errors[piece] += cost - costs[row][column]
    return errors


def word_errors(known, heard):
    return sum(piece_errors((known,), heard))


def median_ratio(their_seconds, our_seconds):
    """How many times faster we are: the median over the rounds, each of which ran both."""
    if len(their_seconds) != len(our_seconds):
        raise ValueError(f"expected {len(our_seconds)} rounds, got {len(their_seconds)}")
    return statistics.median(t / o for t, o in zip(their_seconds, our_seconds))
