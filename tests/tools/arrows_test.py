"""What tools/arrows.py says of right and wrong includes, in a small copy of the tree."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
MAP = """
```arrows
base  →
ops   → base
audio → base
cli   → base public
```
```libraries
FFmpeg     | libavformat/ | audio
MLX        | mlx/         | ops
GoogleTest | gtest/       | tests
POSIX      | sys/         | any
```
"""


class Arrows(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        self.write("docs/map.md", MAP)
        self.write("src/audio/wav.h", '#include <cstdint>\n#include "base/bytes.h"\n')

    def write(self, path, text):
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_text(text, encoding="utf-8")

    def findings(self):
        command = [sys.executable, str(ROOT / "tools" / "arrows.py"), str(self.root)]
        done = subprocess.run(command, capture_output=True, text=True)
        lines = done.stdout.splitlines()[:-1] + done.stderr.splitlines()
        self.assertEqual(done.returncode, 1 if lines else 0, done.stderr)
        return lines

    def assert_finds(self, words):
        found = self.findings()
        self.assertEqual(len(found), 1, found)
        self.assertIn(words, found[0])

    def test_right_includes_pass(self):
        self.write("src/audio/wav.cpp", '#include "audio/wav.h"\n#include <libavformat/avio.h>\n')
        self.write("src/audio/wav_test.cpp", "#include <gtest/gtest.h>\n#include <sys/stat.h>\n")
        self.write("src/cli/main.cpp", '#include "whinchat/transcription.h"\n')
        self.write("src/base/error.h", '#include "whinchat/error.h"\n')
        self.write("include/whinchat/transcription.h", '#include "whinchat/error.h"\n')
        self.assertEqual(self.findings(), [])

    def test_an_include_to_the_left_fails(self):
        self.write("src/base/bytes.h", '#include "audio/wav.h"\n')
        self.assert_finds('src/base/bytes.h:1: "audio/wav.h": audio does not stand to the right')

    def test_an_include_of_a_neighbour_without_an_arrow_fails(self):
        self.write("src/audio/pcm.h", '  #  include  "ops/mlp.h"\n')
        self.assert_finds("ops does not stand to the right of audio")

    def test_public_headers_need_an_arrow(self):
        self.write("src/audio/pcm.h", '#include "whinchat/transcription.h"\n')
        self.assert_finds("audio has no arrow to public")

    def test_a_public_header_includes_no_room(self):
        self.write("include/whinchat/x.h", '#include "base/bytes.h"\n')
        self.assert_finds("base does not stand to the right of public")

    def test_a_third_party_stays_in_its_room(self):
        self.write("src/audio/pcm.h", "#include <mlx/array.h>\n")
        self.assert_finds("MLX belongs to ops")

    def test_quotes_do_not_hide_a_third_party(self):
        self.write("src/audio/pcm.h", '#include "mlx/array.h"\n')
        self.assert_finds("MLX belongs to ops")

    def test_a_test_library_stays_in_tests(self):
        self.write("src/audio/pcm.h", "#include <gtest/gtest.h>\n")
        self.assert_finds("GoogleTest belongs to tests")

    def test_an_unknown_header_needs_a_row(self):
        self.write("src/audio/pcm.h", "#include <boost/asio.hpp>\n")
        self.assert_finds("no row of libraries")

    def test_a_room_needs_a_row(self):
        self.write("src/attic/x.h", "")
        self.assert_finds("src/attic has no row")

    def test_arrows_do_not_go_round(self):
        self.write("docs/map.md", MAP.replace("base  →", "base  → cli"))
        self.assert_finds("go round among audio, base, cli, ops")


if __name__ == "__main__":
    unittest.main()
