"""Source archives of an index that is up to no good, or broken: they cost nobody but themselves."""

from __future__ import annotations

import io
import tarfile
import threading
import zipfile
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from evalplus_lite import Session
from evalplus_lite.errors import InputError
from evalplus_lite.exe import mine
from evalplus_lite.exe import sources as sdists
from evalplus_lite.exe.sources import source_archive
from evalplus_lite.exe.work import MiningSettings

FACTS = "Metadata-Version: 2.1\nName: toys\nVersion: 1.0\nLicense-Expression: MIT\n"
CODE = "def both(a: int, b: int) -> list[int]:\n    return [a, b, a + b]\n"


class Index:
    """A real HTTP server that is a package index; ``archive`` is what it says of the archive."""

    def __init__(self, wheel: bytes) -> None:
        self.archive = b""
        index = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                if self.path.endswith(".tar.gz"):
                    self.wfile.write(index.archive)
                    return
                page = "".join(
                    f'<a href="/files/{name}">{name}</a>'
                    for name in ("toys-1.0-py3-none-any.whl", "toys-1.0.tar.gz")
                ).encode()
                data = wheel if self.path.endswith(".whl") else page
                kind = "application/octet-stream" if data is wheel else "text/html"
                self.send_response(200)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}/simple"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))
        self._thread.start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


@pytest.fixture
def index(monkeypatch: pytest.MonkeyPatch) -> Iterator[Index]:
    """An index of this test's own, which pip asks and no other."""
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as archive:
        archive.writestr("toys/__init__.py", CODE)
        archive.writestr("toys-1.0.dist-info/METADATA", FACTS)
        archive.writestr("toys-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
    found = Index(held.getvalue())
    for name in ("FIND_LINKS", "EXTRA_INDEX_URL", "NO_INDEX"):
        monkeypatch.delenv(f"PIP_{name}", raising=False)
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv("PIP_INDEX_URL", found.url)
    monkeypatch.setenv("PIP_NO_CACHE_DIR", "1")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    yield found
    found.close()


def said(body: bytes, *, length: int | None = None) -> bytes:
    """Return what a server says that hands over a body, of a length that it may only claim."""
    claimed = len(body) if length is None else length
    return b"HTTP/1.0 200 OK\r\nContent-Length: %d\r\n\r\n" % claimed + body


BROKEN = {
    "not found": b"HTTP/1.0 404 Not Found\r\nContent-Length: 0\r\n\r\n",
    "no HTTP": b"garbage\r\n\r\n",
    "bad chunks": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nabc",
    "nowhere": b"HTTP/1.0 302 Found\r\nLocation: http://127.0.0.1:abc/toys-1.0.tar.gz\r\n\r\n",
    "cut off": said(b"abc", length=5000),
    "another page": said(b"<html>please log in</html>"),
    "empty": said(b""),
}


@pytest.mark.parametrize("how", BROKEN)
def test_a_broken_archive_costs_nothing_else(index: Index, how: str) -> None:
    """What the wheel gives is mined; that there are no tests is told, and why."""
    index.archive = BROKEN[how]
    settings = MiningSettings(types="known", observe=True, static_only=True)
    with Session(workers=1) as session:
        result = mine(["toys"], settings=settings, session=session)
    assert [row["function"] for row in result.to_rows()] == ["both"]
    assert not result.problems


def test_an_archive_comes_whole(index: Index, tmp_path: Path) -> None:
    """Byte by byte; more than is wanted of one is refused."""
    held = io.BytesIO()
    with tarfile.open(fileobj=held, mode="w:gz") as archive:
        archive.addfile(tarfile.TarInfo("toys-1.0/PKG-INFO"))
    index.archive = said(held.getvalue())
    found = source_archive("toys", "1.0", tmp_path / "a")
    assert found.read_bytes() == held.getvalue()
    with pytest.raises(InputError, match="pip knows no source archive"):
        source_archive("toys", "2.0", tmp_path / "b")


def test_an_archive_is_bounded(
    index: Index, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In bytes, and in time as a whole."""
    index.archive = said(b"x" * 5000)
    monkeypatch.setattr(sdists, "LARGEST", 4000)
    with pytest.raises(InputError, match="more than"):
        source_archive("toys", "1.0", tmp_path)
