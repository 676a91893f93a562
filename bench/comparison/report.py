"""What a comparison says: the table of at most 100 columns, the transcripts, the JSON."""

import statistics
import textwrap

from word_rates import refuses
from words import median_ratio, piece_errors

WIDTH = 100
MOST_CHARACTERS = 400  # of a transcript on the screen; --json has all of it
HEADINGS = ("median s", "min s", "max s", "realtime", "peak MB", "errors", "ratio")


def judge(ours, peer, known):
    """The median ratio of a peer's times to ours, or None where it is refused."""
    if refuses(ours.texts, peer.texts, known):
        return None
    return median_ratio(peer.seconds, ours.seconds)


def worst_errors(program, known):
    return None if known is None else max(sum(piece_errors(known, t)) for t in program.texts)


def row(program, duration_s, known, ratio):
    median = statistics.median(program.seconds)
    errors = worst_errors(program, known)
    numbers = (
        f"{median:.3f}",
        f"{min(program.seconds):.3f}",
        f"{max(program.seconds):.3f}",
        f"{duration_s / median:.1f}x",
        f"{program.peak_mb:.0f}",
        "unknown" if errors is None else str(errors),
        ratio,
    )
    line = f"{program.title:<34}" + "".join(f" {number:>8}" for number in numbers)
    return line.rstrip()


def table(results, known, duration_s):
    """`results`: (program, ratio of its times to ours, or None where refused; ours has "")."""
    heading = " " * 34 + "".join(f" {heading:>8}" for heading in HEADINGS)
    lines = [heading]
    for program, ratio in results:
        cell = {None: "refused", "": ""}.get(ratio) if ratio in (None, "") else f"{ratio:.2f}"
        lines.append(row(program, duration_s, known, cell))
    return lines


def fastest_of_each(peers):
    """Of each maker, the configuration with the least median."""
    fastest = {}
    for peer in sorted(peers, key=lambda peer: statistics.median(peer.seconds)):
        fastest.setdefault(peer.maker, peer)
    return list(fastest.values())


def against_fastest(ours, peers, known):
    """What counts: our time and memory against each maker's fastest."""
    lines = []
    for peer in fastest_of_each(peers):
        ratio = judge(ours, peer, known)
        time = "refused" if ratio is None else f"{ratio:.2f}"
        memory = f"{peer.peak_mb / ours.peak_mb:.2f}"
        lines.append(f"  {peer.title:<32} {time:>8} {memory:>8}")
    heading = f"{ours.title} against each one's fastest"
    return [f"{heading:<34} {'time':>8} {'memory':>8}", *lines] if lines else []


def transcripts(programs):
    """Every different transcript once, with who wrote it."""
    writers = {}
    for program in programs:
        for text in program.texts:
            titles = writers.setdefault(text, [])
            if program.title not in titles:
                titles.append(program.title)
    lines = []
    for text, titles in writers.items():
        lines += textwrap.wrap("; ".join(titles) + ":", WIDTH)
        shown = textwrap.shorten(text, MOST_CHARACTERS, placeholder=" …") or "(nothing)"
        lines += textwrap.wrap(shown, WIDTH, initial_indent="  ", subsequent_indent="  ")
    return lines


def as_json(program, known, ratio):
    return {
        "name": program.name,
        "title": program.title,
        "seconds": program.seconds,
        "median_s": statistics.median(program.seconds),
        "peak_mb": program.peak_mb,
        "texts": sorted(set(program.texts)),
        "word_errors": worst_errors(program, known),
        "ratio": ratio,
    }
