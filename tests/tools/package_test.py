"""The checks that ./dev package makes of what it packed, on small trees of real binaries."""

import pathlib
import subprocess
import tempfile
import unittest

from machine import ROOT

SCRIPT = """
say() { printf '%s\\n' "$*" >&2; }
stop() { say "$*"; exit 1; }
root=$1 cache=$1/cache out=$1 tree=$1/tree version=1
. "$2/tools/package.sh"
"""


class Checks(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        self.tree = self.root / "tree"
        (self.tree / "lib" / "whinchat").mkdir(parents=True)
        (self.tree / "bin").mkdir()
        self.build(
            "int part() { return 0; }",
            "lib/whinchat/libpart.so",
            "-shared",
            "-Wl,-soname,libpart.so",
        )
        self.link("$ORIGIN/../lib/whinchat")

    def build(self, source, path, *options):
        subprocess.run(
            ["c++", "-x", "c++", "-fPIC", "-o", self.tree / path, "-", *options],
            input=source.encode(),
            check=True,
        )

    def link(self, search_path):
        """The program and the library, which find libpart.so by this path."""
        call = "int part(); int main() { return part(); }"
        options = ("-x", "none", self.tree / "lib/whinchat/libpart.so")
        self.build(call, "bin/whinchat", *options, f"-Wl,-rpath,{search_path}")
        here = search_path.replace("../lib/", "")
        self.build(call, "lib/libwhinchat.so.1", "-shared", *options, f"-Wl,-rpath,{here}")

    def check(self, name, *arguments):
        script = f'{SCRIPT}shift 2\n{name} "$@"\necho passed'
        done = subprocess.run(
            ["sh", "-eu", "-c", script, "sh", self.root, ROOT, *arguments],
            capture_output=True,
            text=True,
        )
        return done.stdout.strip() or done.stderr.strip()

    def test_a_tree_that_knows_no_machine_passes(self):
        self.assertEqual(self.check("check_tree", self.tree), "passed")
        self.assertEqual(self.check("check_closure"), "passed")

    def test_a_file_that_names_the_checkout_is_found(self):
        (self.tree / "notes").write_bytes(b"\0built in " + str(self.root).encode() + b"\0")
        self.assertIn(f"name {self.root}: {self.tree}/notes", self.check("check_tree", self.tree))

    def test_an_absolute_search_path_is_found(self):
        self.link("$ORIGIN/../lib/whinchat:/opt/elsewhere")
        said = self.check("check_tree", self.tree)
        self.assertIn("a library path that is not below $ORIGIN", said)
        self.assertIn(f"{self.tree}/bin/whinchat", said)

    def test_a_library_that_is_left_behind_is_found(self):
        (self.tree / "lib" / "whinchat" / "libpart.so").unlink()
        self.assertIn("look outside of it for:", self.check("check_closure"))
        self.assertTrue(self.tree.is_dir())

    def test_a_library_outside_of_the_tree_is_found(self):
        outside = self.root / "elsewhere"
        outside.mkdir()
        (self.tree / "lib/whinchat/libpart.so").rename(outside / "libpart.so")
        (self.tree / "lib/whinchat/libpart.so").symlink_to(outside / "libpart.so")
        self.link(str(outside))
        self.assertIn(f"libpart.so {outside}/libpart.so", self.check("check_closure"))


if __name__ == "__main__":
    unittest.main()
