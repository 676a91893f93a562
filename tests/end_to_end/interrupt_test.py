"""What comes between: signals, full disks, files that change or vanish while they are heard."""

import json
import os
import pathlib
import pty
import resource
import select
import signal
import subprocess
import tempfile
import time
import unittest

from program import (
    PATIENCE_S,
    PROGRAM,
    SAMPLE_WORDS,
    EndToEnd,
    read_wav,
    transcribe,
    words,
    write_wav,
)

LONG = 8  # times the sample: three windows
LONG_S = LONG * 11.0


class Running:
    """The program at work; its output so far."""

    def __init__(self, *arguments, model="tiny.en", **options):
        options.setdefault("stdin", subprocess.DEVNULL)
        self.errors = tempfile.TemporaryFile()  # noqa: SIM115 # lives as long as this
        self.process = subprocess.Popen(
            # The same words again and again would be tried at every temperature.
            [PROGRAM, "transcribe", "--no-fallback", "--model", model, *map(str, arguments)],
            stdout=subprocess.PIPE,
            stderr=self.errors,
            **options,
        )
        self.out = b""

    def wait_for_words(self):
        """Until the first segment is printed."""
        while b"country" not in self.out:
            ready, _, _ = select.select([self.process.stdout], [], [], PATIENCE_S)
            piece = os.read(self.process.stdout.fileno(), 65536) if ready else b""
            if not piece:
                raise AssertionError("no words came: " + self.finish())
            self.out += piece

    def cpu_s(self):
        """Processor time so far, in whole ticks."""
        stat = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text()
        fields = stat.rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def send(self, number):
        self.process.send_signal(number)

    def finish(self):
        """Waits for the end; standard error."""
        rest, _ = self.process.communicate(timeout=PATIENCE_S)
        self.out += rest
        self.errors.seek(0)
        err = self.errors.read().decode()
        self.errors.close()
        return err

    @property
    def status(self):
        return self.process.returncode


class Signals(EndToEnd):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        write_wav(cls.folder / "long.wav", read_wav(cls.wav) * LONG)

    def test_ctrl_c_and_sigterm_end_after_the_window_with_what_is_decoded(self):
        for number, status in [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)]:
            with self.subTest(number):
                running = Running("long.wav", "talk.wav", cwd=self.folder)
                running.wait_for_words()
                running.send(number)
                err = running.finish()
                self.assertEqual(running.status, status, err)
                heard = words(running.out.decode().replace("==> long.wav <==", ""))
                self.assertTrue(heard.startswith(SAMPLE_WORDS), heard)
                self.assertLess(len(heard), (LONG - 1) * len(SAMPLE_WORDS))
                self.assertRegex(
                    err, r"(?m)^whinchat: long\.wav: interrupted: \d+\.\d s of 88\.0 s transcribed$"
                )
                self.assertRegex(err, r"(?m)^whinchat: interrupted: 1 of 2 files not begun$")

    def test_a_file_gets_what_is_decoded_and_no_scrap_is_left(self):
        output = self.folder / "transcripts"
        running = Running("-f", "json", "-o", output, "long.wav", "talk.wav", cwd=self.folder)
        self.wait_for_progress(running)
        running.send(signal.SIGINT)
        err = running.finish()
        self.assertEqual(running.status, 130, err)
        self.assertEqual(os.listdir(output), ["long.json"])
        document = json.loads((output / "long.json").read_text())
        self.assertTrue(words(document["text"]).startswith(SAMPLE_WORDS))
        self.assertLess(document["segments"][-1]["end"], LONG_S - 10)

    def wait_for_progress(self, running):
        """Until a second and more of processor time went by: it is inside the file."""
        begin_s = time.monotonic()
        while running.cpu_s() < 1.2:
            self.assertLess(time.monotonic() - begin_s, PATIENCE_S, "the program did not begin")
            time.sleep(0.02)

    def wait_for_idleness(self, running):
        """Until the model is loaded and nothing happens for half a second."""
        begin_s = still_s = time.monotonic()
        before = 0.0
        while time.monotonic() - still_s < 0.5:
            self.assertLess(time.monotonic() - begin_s, PATIENCE_S, "the program does not wait")
            now = running.cpu_s()
            if now > before or now < 0.1:
                before, still_s = now, time.monotonic()
            time.sleep(0.02)

    def test_ctrl_c_ends_the_wait_for_a_pipe(self):
        os.mkfifo(self.folder / "named")
        ours, theirs = os.pipe()
        for name, options in [("-", {"stdin": ours}), ("named", {})]:
            with self.subTest(name):
                running = Running(name, cwd=self.folder, **options)
                self.wait_for_idleness(running)
                self.assertIsNone(running.process.poll(), "it should wait for the pipe")
                running.send(signal.SIGINT)
                err = running.finish()
                self.assertEqual((running.status, running.out), (130, b""), err)
                self.assertRegex(err, r"interrupted: 0\.0 s of 0\.0 s transcribed$")
        os.close(ours)
        os.close(theirs)

    def test_the_second_ctrl_c_ends_at_once(self):
        running = Running("--faithful", "long.wav", cwd=self.folder, model="base")
        self.wait_for_progress(running)
        running.send(signal.SIGINT)
        time.sleep(0.3)
        self.assertIsNone(running.process.poll(), "the window in hand should take longer")
        begin_s = time.monotonic()
        running.send(signal.SIGINT)
        running.finish()
        self.assertEqual(running.status, -signal.SIGINT)
        self.assertLess(time.monotonic() - begin_s, 2.0)

    def test_what_was_ignored_from_the_start_stays_ignored(self):
        running = Running(
            "long.wav",
            cwd=self.folder,
            preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN),
        )
        running.wait_for_words()
        running.send(signal.SIGHUP)
        err = running.finish()
        self.assertEqual(running.status, 0, err)
        self.assertNotIn("interrupted", err)
        self.assertGreater(words(running.out.decode()).count("my fellow americans"), LONG // 2)

    def test_a_terminal_is_told_that_the_window_is_finished_first(self):
        ours, theirs = pty.openpty()
        process = subprocess.Popen(
            [PROGRAM, "transcribe", "--no-fallback", "--model", "tiny.en", "long.wav"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=theirs,
            cwd=self.folder,
        )
        os.close(theirs)
        shown = b""
        try:
            while select.select([ours], [], [], PATIENCE_S)[0]:
                before = b" of 1:28, " in shown
                shown += os.read(ours, 65536)
                if not before and b" of 1:28, " in shown:
                    process.send_signal(signal.SIGINT)
        except OSError:
            pass  # the other end was closed
        os.close(ours)
        self.assertEqual(process.wait(PATIENCE_S), 130)
        self.assertIn(b"whinchat: stopping after this window; once more ends at once\r\n", shown)


class ChangingFiles(EndToEnd):
    """The second file changes while the first is heard."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        write_wav(cls.folder / "long.wav", read_wav(cls.wav) * LONG)

    def heard_while(self, change):
        second = self.folder / "second.wav"
        second.write_bytes(self.wav.read_bytes())
        running = Running("long.wav", "second.wav", "talk.wav", cwd=self.folder)
        running.wait_for_words()
        change(second)
        err = running.finish()
        texts = running.out.decode().split("==> ")
        self.assertEqual(words(texts[-1]), "talk wav " + SAMPLE_WORDS)
        return running.status, err, running.out.decode()

    def test_one_that_vanishes_is_named_and_the_others_go_on(self):
        status, err, _ = self.heard_while(os.unlink)
        self.assertRegex(err, r"(?m)^whinchat: cannot open second\.wav: No such file or directory$")
        self.assertEqual(status, 1)

    def test_one_that_shrinks_gives_what_is_left_and_says_so(self):
        status, err, out = self.heard_while(lambda path: os.truncate(path, 250_000))
        self.assertRegex(err, r"second\.wav: warning: the file ends early: 7\.8 s of 11\.0 s")
        self.assertIn("==> second.wav <==", out)
        self.assertEqual(status, 0)

    def test_one_that_still_grows_gives_what_is_there(self):
        recording = self.folder / "recording.wav"
        whole = self.wav.read_bytes()
        data = whole.index(b"data") + 8
        header = bytearray(whole[:data])
        header[4:8] = header[data - 4 : data] = b"\xff\xff\xff\xff"
        with recording.open("wb") as file:
            file.write(header + whole[data:])
            file.flush()
            running = Running("recording.wav", cwd=self.folder)
            while running.process.poll() is None:
                file.write(bytes(3200))  # a tenth of a second of silence
                file.flush()
                time.sleep(0.02)
        err = running.finish()
        self.assertEqual(running.status, 0, err)
        self.assertEqual(words(running.out.decode()), SAMPLE_WORDS)


class FullDisk(EndToEnd):
    def test_a_disk_that_takes_no_more_is_a_sentence_and_leaves_no_scrap(self):
        def allow_little():
            resource.setrlimit(resource.RLIMIT_FSIZE, (300, 300))

        small = self.folder / "words"
        large = self.folder / "json"
        result = transcribe("-q", "-o", small, self.wav, preexec_fn=allow_little)
        self.assertEqual((result.status, result.err), (0, ""))
        result = transcribe(
            "-q", "-f", "json", "-o", large, self.wav, self.wav, preexec_fn=allow_little
        )
        self.assertEqual(result.status, 1)
        self.assertEqual(len(result.complaints), 2, "the second file is still tried")
        for complaint in result.complaints:
            self.assertRegex(complaint, r"talk\S*\.json cannot be written: File too large$")
        self.assertEqual(os.listdir(large), [])

    @unittest.skipUnless(os.geteuid() == 0, "mounting a small disk takes root")
    def test_a_really_full_disk_is_named(self):
        disk = self.folder / "disk"
        disk.mkdir()
        mounted = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=4k", "none", disk], check=False
        )
        if mounted.returncode != 0:
            self.skipTest("no tmpfs can be mounted here")
        try:
            (disk / "full").write_bytes(bytes(4096))
            result = transcribe("-q", "-o", disk, self.wav)
            self.assert_refused(
                result, 1, r".*talk\.txt cannot be written: No space left on device$"
            )
            self.assertEqual(os.listdir(disk), ["full"])
        finally:
            subprocess.run(["umount", disk], check=True)


if __name__ == "__main__":
    unittest.main()
