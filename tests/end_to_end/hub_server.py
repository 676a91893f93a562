"""A hub and an index of packages on this machine, for tests: they answer as told, and remember what
they were asked."""

import contextlib
import hashlib
import http.server
import json
import re
import threading
import time
import urllib.parse

COMMIT = "0123456789abcdef0123456789abcdef01234567"
# Larger files are stored as the hub stores them: named by their SHA-256.
LARGE_BYTES = 1 << 16


def blob_name(content):
    if len(content) > LARGE_BYTES:
        return hashlib.sha256(content).hexdigest()
    return hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()


def listing(files):
    """What the hub says of a repository that holds these files (name → bytes)."""
    siblings = []
    for name, content in files.items():
        entry = {"rfilename": name, "size": len(content), "blobId": "0" * 40}
        if len(content) > LARGE_BYTES:
            entry["lfs"] = {"size": len(content), "sha256": blob_name(content), "pointerSize": 134}
        else:
            entry["blobId"] = blob_name(content)
        siblings.append(entry)
    return {"id": "owner/name", "sha": COMMIT, "siblings": siblings}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        hub = self.server.hub
        path = urllib.parse.unquote(self.path.split("?")[0])
        with hub.lock:
            hub.requests.append((path, dict(self.headers)))
            acts = hub.acts.get(path.rsplit("/", 1)[-1], [])
            act = acts.pop(0) if acts else None
        if act is not None and act(self):
            return
        content = hub.content_of(path)
        if content is None:
            self.answer(404, b"Not here")
        else:
            self.send_content(content)

    def send_content(self, content, ranges=True, cut=None):
        """The file, or the range of it that was asked for; `cut`: so many bytes, then hang up."""
        begin = 0
        asked = re.fullmatch(r"bytes=(\d+)-", self.headers.get("Range", ""))
        if asked and ranges:
            begin = int(asked[1])
            self.send_response(206)
            self.send_header("Content-Range", f"bytes {begin}-{len(content) - 1}/{len(content)}")
        else:
            self.send_response(200)
        self.send_header("Content-Length", str(len(content) - begin))
        kind = "application/json" if content[:1] == b"{" else "text/html"
        self.send_header("Content-Type", kind)
        self.end_headers()
        if cut is not None:
            self.wfile.write(content[begin : begin + cut])
            self.close_connection = True
            return
        for at in range(begin, len(content), 1 << 18):
            self.wfile.write(content[at : at + (1 << 18)])
            time.sleep(self.server.hub.pause_s)

    def answer(self, status, body=b"", headers=()):
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        pass


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request, address):
        pass  # the other side hung up


class Hub:
    """Serves `files` as owner/name and as the repository of every short name, `pages` by path."""

    def __init__(self, files=None, pages=None):
        self.files = dict(files or {})
        self.pages = dict(pages or {})
        self.listing = None  # in place of the true one; bytes
        self.acts = {}  # last part of a path → what to do with its next requests
        self.requests = []
        self.pause_s = 0
        self.lock = threading.Lock()

    @contextlib.contextmanager
    def running(self):
        server = Server(("127.0.0.1", 0), Handler)
        server.hub = self
        self.url = f"http://127.0.0.1:{server.server_address[1]}"
        thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
        thread.start()
        try:
            yield self
        finally:
            server.shutdown()
            server.server_close()

    def content_of(self, path):
        if path in self.pages:
            return self.pages[path]
        if "/api/models/" in path:
            return self.listing or json.dumps(listing(self.files)).encode()
        return self.files.get(path.partition(f"/resolve/{COMMIT}/")[2])

    def asked_for(self, name):
        """The headers of each request for a file, in order."""
        return [headers for path, headers in self.requests if path.endswith("/" + name)]


# What a server may do with a request instead of answering it as it should.
def cut_after(count):
    def act(handler):
        handler.send_content(handler.server.hub.content_of(handler.path), cut=count)
        return True

    return act


def ignore_range(handler):
    handler.send_content(handler.server.hub.content_of(handler.path), ranges=False)
    return True


def wrong_range(handler):
    content = handler.server.hub.content_of(handler.path)
    handler.answer(206, content[:10], [("Content-Range", f"bytes 0-9/{len(content)}")])
    return True


def answer_with(code, *headers, body=b"<html>No</html>"):
    def act(handler):
        handler.answer(code, body, headers)
        return True

    return act


def redirect(url):
    return lambda handler: answer_with(302, ("Location", url + handler.path))(handler)


def stall(after, seconds=60):
    def act(handler):
        content = handler.server.hub.content_of(handler.path)
        handler.send_response(200)
        handler.send_header("Content-Length", str(len(content)))
        handler.end_headers()
        handler.wfile.write(content[:after])
        handler.wfile.flush()
        with contextlib.suppress(OSError):
            handler.connection.settimeout(seconds)
            handler.connection.recv(1)  # until the other side gives up
        handler.close_connection = True
        return True

    return act
