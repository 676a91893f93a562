"""python3 tools/setup CACHE GROUP…: fetches what the groups of tools/pins.ini need.

Prints one line for each thing that it fetches, all on standard error; status 1 after one sentence
that says what to do."""

import pathlib
import signal
import sys

from failure import Failure, say
from pins import read_places
from place import fill_all


def main(arguments):
    cache = pathlib.Path(arguments[0])
    root = pathlib.Path(__file__).resolve().parent.parent.parent
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        places = read_places(root / "tools" / "pins.ini", arguments[1:])
        fill_all(places, cache, root)
    except (Failure, LookupError) as failure:
        say(str(failure.args[0]))
        return 1
    except KeyboardInterrupt:
        say("stopped; nothing half-written is left")
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
