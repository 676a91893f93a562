"""Writes the seeds of the targets hub and zip into tests/fuzz/corpus.

python3 tests/fuzz/hub_seeds.py
"""

import io
import json
import zipfile
from pathlib import Path

CORPUS = Path(__file__).parent / "corpus"
WHEEL = "a_b-1.0.whl"


def file(name, size, large=False):
    entry = {"rfilename": name, "size": size, "blobId": "b" * 40}
    if large:
        entry["lfs"] = {"size": size, "sha256": "5" * 64, "pointerSize": 135}
    return entry


def listing():
    names = ["config.json", "tokenizer.json", "onnx/model.onnx", ".gitattributes"]
    files = [*(file(name, 7) for name in names), file("model.safetensors", 5 * 10**9, True)]
    return json.dumps({"id": "a/b", "sha": "c" * 40, "siblings": files})


def page_json():
    found = {"filename": WHEEL, "url": f"../f/{WHEEL}", "hashes": {"sha256": "00"}}
    return json.dumps({"files": [{"filename": "a_b-0.9.whl", "url": "x", "hashes": {}}, found]})


def archive(method, **options):
    """Two members with fixed times."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method, **options) as zipped:
        for name, content in {"data/model.bin": bytes(3000), "a.txt": b"words"}.items():
            info = zipfile.ZipInfo(name, (2024, 1, 1, 0, 0, 0))
            info.compress_type = method
            zipped.writestr(info, content)
        zipped.comment = b"a comment"
    return buffer.getvalue()


def save(target, name, content):
    folder = CORPUS / target
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())


def main():
    save("hub", "listing.json", listing())
    save("hub", "page.json", page_json())
    link = f"<a data-x='1' href='https://f/x/{WHEEL}?k=1&amp;l=2#sha256=00'>{WHEEL}</a>"
    save("hub", "page.html", f'<a href="https://f/x/a_b-0.9.whl#sha256=99">a</a>\n{link}')
    for number, name in enumerate(["tiny.en", "large-v3-turbo", "owner/name@v1.0", "../x/y"]):
        save("hub", f"name{number}", name)
    save("zip", "stored.zip", archive(zipfile.ZIP_STORED))
    save("zip", "deflated.zip", archive(zipfile.ZIP_DEFLATED))


if __name__ == "__main__":
    main()
