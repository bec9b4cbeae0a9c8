"""Published files are fetched once and used only with the content that was released."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import http.server
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from evalplus_lite.errors import InputError
from evalplus_lite.tasks import loading
from evalplus_lite.tasks.published.format import Release, fetched, registry

CONTENT = b'{"a": 1}\n'
DIGEST = hashlib.sha256(CONTENT).hexdigest()


class QuietHandler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@contextlib.contextmanager
def serving(folder: Path) -> Iterator[str]:
    handler = functools.partial(QuietHandler, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()
            thread.join()


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("EVALPLUS_LITE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    return tmp_path / "cache"


@pytest.fixture
def released(tmp_path: Path) -> Path:
    folder = tmp_path / "site" / "v1.0"
    folder.mkdir(parents=True)
    (folder / "Set.jsonl.gz").write_bytes(CONTENT)
    return tmp_path / "site"


def test_a_file_is_fetched_once(cache: Path, released: Path) -> None:
    """The first use downloads into the chosen cache; later ones need no network."""
    with serving(released) as site:
        release = Release(f"{site}/v1.0/Set.jsonl.gz", DIGEST)
        path = fetched(release)
    assert path == cache / "v1.0-Set.jsonl.gz"
    assert path.read_bytes() == CONTENT
    assert fetched(release) == path


def test_other_content_is_not_used(cache: Path, released: Path) -> None:
    """A file that is not the released one is refused and does not stay in the cache."""
    (released / "v1.0" / "Set.jsonl.gz").write_bytes(b"tampered")
    with serving(released) as site:
        release = Release(f"{site}/v1.0/Set.jsonl.gz", DIGEST)
        with pytest.raises(InputError, match="is not the file that was released"):
            fetched(release)
    assert not [path for path in cache.rglob("*") if path.is_file()]


def test_a_changed_file_in_the_cache_is_fetched_again(cache: Path, released: Path) -> None:
    """What someone changed in the cache is replaced by the released content."""
    cache.mkdir()
    (cache / "v1.0-Set.jsonl.gz").write_bytes(b"changed")
    with serving(released) as site:
        path = fetched(Release(f"{site}/v1.0/Set.jsonl.gz", DIGEST))
    assert path.read_bytes() == CONTENT


def test_without_a_network_the_ways_out_are_named(cache: Path, released: Path) -> None:
    """Offline, or where the file is gone, the error says where a copy could be put."""
    with serving(released) as site, pytest.raises(InputError, match=r"cannot be .*: 404"):
        fetched(Release(f"{site}/v1.0/None.jsonl.gz", DIGEST))
    with pytest.raises(
        InputError, match=r"cannot be downloaded: .*save it as .*v1\.0-Set"
    ) as error:
        fetched(Release(f"{site}/v1.0/Set.jsonl.gz", DIGEST))
    assert "\n" not in str(error.value)


def test_a_name_loads_what_was_released(
    cache: Path, shared: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A published name loads the released file from the cache, and takes the name."""
    cache.mkdir()
    release = registry().sources["humaneval+-mini"]
    assert isinstance(release, Release)
    source = shared / "datasets" / "HumanEvalPlus-Mini.jsonl.gz"
    (cache / release.file_name).write_bytes(source.read_bytes())
    dataset = loading.load_dataset("humaneval+-mini", only=["HumanEval/3"])
    assert (dataset.name, dataset.ids) == ("humaneval+-mini", ("HumanEval/3",))


def test_checksums_are_those_of_the_published_files(shared: Path) -> None:
    """Each registered checksum is that of the file of the same name."""
    releases = [each for each in registry().sources.values() if isinstance(each, Release)]
    assert releases
    for release in releases:
        name = release.url.rsplit("/", 1)[1]
        content = (shared / "datasets" / name).read_bytes()
        assert hashlib.sha256(content).hexdigest() == release.sha256
