"""python3 tools/arrows.py [ROOT]: every #include under src/ and include/ against docs/map.md.

The map holds two fenced blocks. `arrows`: one room a line, `audio → base`; `public` stands for
the headers of include/whinchat. `libraries`: `FFmpeg | libavformat/ libavutil/ | audio`, a third
party's include prefixes and its rooms; `any` is every room, `tests` every *_test.cpp and
test_*. Status 1 on a finding."""

import pathlib
import re
import sys

INCLUDE = re.compile(r"^\s*#\s*include\b\s*(.*)")
STANDARD = re.compile(r"[a-z_0-9]+$")  # <vector>, <cstdint>
EVERYWHERE = {"whinchat/error.h", "whinchat/api.h"}


def read_block(text, name):
    """The lines of the fenced block with that info string."""
    found = re.search(rf"^```{name}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    if not found:
        raise SystemExit(f"docs/map.md has no block ```{name}")
    return [line for line in found.group(1).splitlines() if line.strip()]


def read_arrows(text):
    arrows = {}
    for line in read_block(text, "arrows"):
        room, _, right = line.partition("→")
        arrows[room.strip()] = set(right.split())
    return arrows


def read_libraries(text):
    libraries = []
    for line in read_block(text, "libraries"):
        name, prefixes, rooms = (part.strip() for part in line.split("|"))
        libraries.append((name, tuple(prefixes.split()), set(rooms.split())))
    return libraries


def table_findings(arrows, rooms):
    """The table itself: each room has a row, each word is a room, and no arrows make a circle."""
    findings = [f"src/{room} has no row of arrows in docs/map.md" for room in rooms - arrows.keys()]
    for room, right in arrows.items():
        for word in sorted(right - arrows.keys() - {"public"}):
            findings.append(f"docs/map.md: the arrow {room} → {word} leads to no row")
    left = dict(arrows)
    while free := [room for room, right in left.items() if not right & left.keys()]:
        for room in free:
            del left[room]
    if left:
        findings.append("docs/map.md: the arrows go round among " + ", ".join(sorted(left)))
    return findings


def third_party_finding(header, room, is_test, libraries):
    for name, prefixes, rooms in libraries:
        if header.startswith(prefixes):
            if "any" in rooms or room in rooms or (is_test and "tests" in rooms):
                return ""
            return f"{name} belongs to {', '.join(sorted(rooms))}"
    return "this header belongs to no row of libraries in docs/map.md"


def quoted_finding(header, room, arrows):
    right = arrows.get(room, set())
    first = header.split("/")[0]
    if header in EVERYWHERE or first == room:
        return ""
    if first == "whinchat":
        return "" if "public" in right else f"{room} has no arrow to public"
    if first in arrows:
        return "" if first in right else f"{first} does not stand to the right of {room}"
    return None


def include_finding(argument, room, is_test, arrows, libraries):
    """What is wrong with one include, or an empty string."""
    if argument[:1] not in ('"', "<"):
        return "an include by macro cannot be checked"
    header = re.split(r'[">]', argument[1:])[0]
    if argument[0] == '"':
        finding = quoted_finding(header, room, arrows)
        if finding is not None:
            return finding
    elif STANDARD.match(header):
        return ""
    return third_party_finding(header, room, is_test, libraries)


def find_all(root):
    text = (root / "docs" / "map.md").read_text(encoding="utf-8")
    arrows, libraries = read_arrows(text), read_libraries(text)
    files = [p for top in ("src", "include") for p in sorted((root / top).rglob("*"))]
    files = [p for p in files if p.suffix in (".h", ".cpp", ".inc") and p.is_file()]
    findings, rooms = [], set()
    for path in files:
        place = path.relative_to(root)
        room = "public" if place.parts[0] == "include" else place.parts[1]
        if place.parts[0] == "src" and len(place.parts) < 3:
            findings.append(f"{place}: a file stands in a room, not in src/ itself")
            continue
        if place.parts[0] == "src":
            rooms.add(room)
        seen = arrows if room != "public" else {"public": {"public"}, **arrows}
        is_test = path.name.endswith("_test.cpp") or path.name.startswith("test_")
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            match = INCLUDE.match(line)
            if not match:
                continue
            finding = include_finding(match.group(1), room, is_test, seen, libraries)
            if finding:
                findings.append(f"{place}:{number}: {match.group(1)}: {finding}")
    return table_findings(arrows, rooms) + findings, len(files)


def main(arguments):
    root = pathlib.Path(arguments[0] if arguments else ".")
    findings, files = find_all(root)
    for finding in findings:
        print("arrows: " + finding)
    print(f"arrows: {files} files, {len(findings)} findings")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
