"""The cache is bounded, holds what was used last, and nothing but what it wrote is removed."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from evalplus_lite.errors import InputError
from evalplus_lite.store import cache
from evalplus_lite.store.cache import COMPUTED, KINDS, Keeper, entries, parse_size, remove, trim


def filled(folder: Path, sizes: dict[str, int]) -> Path:
    """Fill a cache; files later in the order were used later."""
    for number, (name, size) in enumerate(sizes.items()):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"x" * size)
        os.utime(path, (1_000_000 + number, 1_000_000 + number))
    return folder


def names(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if not path.is_dir()}


def test_what_was_unused_longest_goes_first(tmp_path: Path) -> None:
    """Of whatever kind; what is not the cache's own stays, as what links point to does."""
    sizes = {"expected/a/1": 40, "requirements/b/2": 40, "expected/a/3": 40, "hypothesis/4": 40}
    filled(tmp_path, sizes)
    assert trim(tmp_path, 160) == (0, 0)
    assert trim(tmp_path, 110) == (2, 80)
    assert names(tmp_path) == {"expected/a/3", "hypothesis/4"}
    assert not (tmp_path / "requirements" / "b").exists()
    used = filled(tmp_path / "used", {"expected/a/2": 50})
    path = used / "expected" / "a" / "1"
    cache.write_cached(path, [b"x"])
    os.utime(path, (1, 1))
    assert cache.read_cached(path, lambda file: file.read()) == b"x"
    trim(used, 110)
    assert names(used) == {"expected/a/1"}
    foreign = {"notes.txt": 9, "thesis/main.tex": 9, "expected-not/x": 9}
    mixed = {"v1-Set.jsonl.gz": 900, **foreign, "expected/a/1": 900}
    mixed_folder = filled(tmp_path / "mixed", mixed)
    trim(mixed_folder, 10)
    assert names(mixed_folder) == {"v1-Set.jsonl.gz", *foreign}
    assert [entry.kind for entry in entries(mixed_folder)] == ["datasets"]
    remove(entries(mixed_folder))
    assert names(mixed_folder) == set(foreign)
    assert set(COMPUTED) == set(KINDS) - {"datasets"}
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "file").write_text("mine")
    (tmp_path / "cache" / "expected").mkdir(parents=True)
    (tmp_path / "cache" / "expected" / "link").symlink_to(tmp_path / "home")
    (tmp_path / "cache" / "expected" / "file").symlink_to(tmp_path / "home" / "file")
    remove(entries(tmp_path / "cache"))
    assert (tmp_path / "home" / "file").read_text() == "mine"


def test_a_damaged_file_is_never_believed(tmp_path: Path) -> None:
    """Whatever was changed, added or lost; one that parses into nonsense is no error."""
    path = tmp_path / "expected" / "a" / "1"
    content = [b'{"answer": 12}\n', b'{"answer": 34}\n']
    cache.write_cached(path, content)
    assert cache.read_cached(path, lambda file: file.read()) == b"".join(content)
    whole = path.read_bytes()
    for damaged in (whole.replace(b"12", b"13"), whole + b" ", whole[:-1], whole[65:], b""):
        path.write_bytes(damaged)
        assert cache.read_cached(path, lambda file: file.read()) is None
    cache.write_cached(path, [b"9" * 400])
    assert cache.read_cached(path, lambda file: float(json.load(file))) is None


def test_writing_keeps_the_bound(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """At the first file that a process writes, and now and then; what is no size is refused."""
    looked: list[int] = []
    monkeypatch.setenv(cache.SIZE_VARIABLE, "2000")
    monkeypatch.setattr(cache, "trim", lambda folder, limit: looked.append(limit))
    keeper = Keeper()
    path = filled(tmp_path, {"expected/a/1": 40}) / "expected/a/1"
    for _ in range(1 + 6):
        keeper.wrote(tmp_path, path)
    assert looked == [2000] * 3  # at once, and after each 100 bytes
    monkeypatch.setenv(cache.SIZE_VARIABLE, "lots")
    with pytest.raises(InputError, match=cache.SIZE_VARIABLE):
        cache.write_cached(path, [b"x"])


@pytest.mark.parametrize(
    ("text", "size"), [("0", 0), ("4096", 4096), ("1.5KiB", 1536), ("2 gb", 2 * 10**9)]
)
def test_sizes(text: str, size: int) -> None:
    """A size is a number of bytes, or has a unit."""
    assert parse_size(text, named="X") == size


@pytest.mark.parametrize("text", ["", "lots", "-1", "1e9", "1 parsec", "9" * 99, "nan"])
def test_no_sizes(text: str) -> None:
    """What is not a size is an error that names the setting."""
    with pytest.raises(InputError, match="EVALPLUS_LITE_CACHE_SIZE"):
        parse_size(text, named="EVALPLUS_LITE_CACHE_SIZE")
