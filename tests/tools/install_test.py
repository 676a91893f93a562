"""./dev install: what it writes, what it leaves alone, what it takes away."""

import shutil
import unittest

from machine import Machine


class Install(Machine):
    """./dev install with a build of three files and a link in it."""

    TREE = ("bin/whinchat", "lib/whinchat/libmlx.so", "share/man/man1/whinchat.1")

    def setUp(self):
        super().setUp()
        self.build_tree = self.root / "stands for the build"
        self.write_program(self.build_tree / "bin" / "whinchat", "#!/bin/sh\necho it starts\n")
        for path in self.TREE[1:]:
            (self.build_tree / path).parent.mkdir(parents=True, exist_ok=True)
            (self.build_tree / path).write_text(path)
        (self.build_tree / "lib" / "libwhinchat.so").symlink_to("whinchat/libmlx.so")
        self.write_program(
            self.fakes / "cmake",
            "#!/bin/sh\ncase $1 in --install)\n"
            '[ -z "${FAKE_CMAKE:-}" ] || { echo "$FAKE_CMAKE"; exit 1; }\n'
            'rm -rf "$4" && cp -a "$FAKE_TREE" "$4" ;;\n'
            "*) mkdir -p build/release/bin; touch build/release/build.ninja ;; esac\n",
        )
        for name in ("strip", "ldconfig"):
            self.write_program(self.fakes / name, "#!/bin/sh\n")
        (self.root / "rust" / "textcore").mkdir(parents=True)
        (self.root / "rust" / "textcore" / "Cargo.lock").write_text(
            '[[package]]\nname = "some-crate"\nversion = "1.2"\n'
        )
        crate = self.root / "home" / ".cargo" / "registry" / "src" / "index" / "some-crate-1.2"
        crate.mkdir(parents=True)
        (crate / "LICENSE-MIT").write_text("licence")
        self.prefix = self.root / "a prefix"

    def install(self, *arguments, **environment):
        return self.dev("install", *arguments, FAKE_TREE=str(self.build_tree), **environment)

    def files(self, folder):
        """All but the licences of headers, which are this machine's own."""
        return sorted(
            str(path.relative_to(folder))
            for path in folder.rglob("*")
            if (path.is_symlink() or not path.is_dir()) and not path.name.endswith("-dev")
        )

    def test_it_writes_the_tree_and_takes_away_just_that(self):
        before = self.prefix / "share" / "man" / "man1" / "other.1"
        before.parent.mkdir(parents=True)
        before.write_text("mine")
        (self.prefix / "bin").mkdir()  # empty, and not ours either
        done = self.install(self.prefix)
        self.assertEqual(done.returncode, 0, done.stderr)
        licence = "share/doc/whinchat/licences/crates/some-crate-1.2/LICENSE-MIT"
        written = [*self.TREE, "lib/libwhinchat.so", "lib/whinchat/installed", licence]
        self.assertEqual(self.files(self.prefix), sorted([*written, "share/man/man1/other.1"]))
        self.assertTrue((self.prefix / "lib" / "libwhinchat.so").is_symlink())
        self.assertIn("it starts", done.stderr)
        for line in ("  bin/whinchat", "  lib/whinchat/", "  share/man/man1/whinchat.1"):
            self.assertIn(line, done.stderr.splitlines())
        done = self.install("--remove", self.prefix)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.files(self.prefix), ["share/man/man1/other.1"])
        self.assertEqual(sorted(path.name for path in self.prefix.iterdir()), ["bin", "share"])

    def test_it_overwrites_nothing_that_is_not_its_own(self):
        other = self.prefix / "bin" / "whinchat"
        other.parent.mkdir(parents=True)
        other.symlink_to("nowhere")  # a link that leads nowhere is somebody's too
        done = self.install(self.prefix)
        self.assert_stops(done, f"not ours, and in the way: {other}; nothing was written")
        self.assertEqual(self.files(self.prefix), ["bin/whinchat"])

    def test_a_second_installation_replaces_the_first(self):
        self.install(self.prefix)
        shutil.rmtree(self.build_tree / "share")
        (self.build_tree / self.TREE[1]).write_text("newer")
        self.assertEqual(self.install(self.prefix).returncode, 0)
        self.assertEqual((self.prefix / self.TREE[1]).read_text(), "newer")
        self.assertFalse((self.prefix / "share" / "man").exists())
        self.assertEqual(self.install("--remove", self.prefix).returncode, 0)
        self.assertEqual(self.files(self.prefix), [])

    def test_what_was_cut_off_can_be_removed(self):
        self.install(self.prefix)
        (self.prefix / self.TREE[0]).unlink()
        self.assertEqual(self.install("--remove", self.prefix).returncode, 0)
        self.assertEqual(self.files(self.prefix), [])

    def test_a_list_that_leads_elsewhere_takes_nothing_away(self):
        self.install(self.prefix)
        (self.root / "precious").touch()
        with open(self.prefix / "lib" / "whinchat" / "installed", "a") as manifest:
            manifest.write(f"../precious\n{self.root}/precious\n")
        done = self.install("--remove", self.prefix)
        self.assertTrue((self.root / "precious").exists(), done.stderr)
        self.assertIn("left alone", done.stderr)

    def test_nothing_of_ours_means_nothing_to_remove(self):
        self.assert_stops(self.install("--remove", self.prefix), "nothing was removed")

    def test_a_users_default_is_the_home(self):
        done = self.install(FAKE_ID="1000")
        self.assertEqual(done.returncode, 0, done.stderr)
        home = self.root / "home" / ".local"
        self.assertTrue((home / "bin" / "whinchat").exists())
        self.assertIn(f"{home}/bin is not on the PATH", done.stderr)

    def test_wrong_usage_and_a_failed_step_are_sentences(self):
        self.assert_stops(self.install("--prefix=/x"), "there is no option '--prefix=/x'", 2)
        self.assert_stops(self.install("a", "b"), "expected one PREFIX, got 2", 2)
        self.assert_stops(self.install(self.prefix, FAKE_CMAKE="no space"), "cmake could not write")
        self.assertFalse(self.prefix.exists())
        self.prefix.write_text("a file")
        self.assert_stops(self.install(self.prefix), "cannot be written")


if __name__ == "__main__":
    unittest.main()
