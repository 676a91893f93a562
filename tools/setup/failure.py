"""What ends set-up: one sentence that says what to do."""

import contextlib
import errno
import sys


class Failure(Exception):
    """Its text is the sentence that the user reads."""


def say(line):
    print("set-up: " + line, file=sys.stderr, flush=True)


def full_disk(folder):
    return Failure(
        f"the disk that holds {folder} is full: free some space there, or set WHINCHAT_CACHE to "
        "a folder on another disk, and call the same command again"
    )


@contextlib.contextmanager
def disk_errors_named(folder):
    """Turns what the system says of a disk into a Failure that names the folder."""
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            raise full_disk(folder) from error
        where = error.filename or folder
        raise Failure(
            f"{where} cannot be used ({error.strerror}): see to it and call again"
        ) from error
