"""Folders at URLs: what a job writes is there when it is whole, and taken up by the next."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import fsspec
import pytest

from evalplus_lite.errors import InputError, shown_path
from evalplus_lite.store import publishing
from evalplus_lite.store.locations import Folder
from evalplus_lite.store.publishing import copied, published

URL = "memory://some/results"


@pytest.fixture
def memory() -> Iterator[Any]:
    files = fsspec.filesystem("memory")
    yield files
    files.store.clear()
    files.pseudo_dirs[:] = [""]


def ours(name: str) -> bool:
    return not name.endswith(".md")


def write(folder: Path, **texts: str) -> None:
    for name, text in texts.items():
        (folder / f"{name}.json").write_text(text)


def contents(url: str = URL) -> dict[str, str]:
    folder = copied(url, iter)
    return {path.name: path.read_text() for path in folder.rglob("*") if path.is_file()}


def test_what_was_changed_is_published(memory: Any) -> None:
    """The summary last; what is as it was is not written again, what was removed is."""
    with published(URL, ours) as found:
        write(found.folder, a="1", b="1", summary="1")
        (found.folder / "inner").mkdir()
        (found.folder / "inner" / "c.txt").write_text("c")
    assert contents() == {"a.json": "1", "b.json": "1", "summary.json": "1", "c.txt": "c"}
    before = memory.modified("/some/results/a.json")
    with published(URL, ours) as found:
        assert (found.folder / "b.json").read_text() == "1"
        assert shown_path(found.folder / "b.json") == f"{URL}/b.json"
        write(found.folder, summary="2")
        (found.folder / "b.json").unlink()
    assert contents() == {"a.json": "1", "summary.json": "2", "c.txt": "c"}
    assert memory.modified("/some/results/a.json") == before


def test_a_run_that_ends_early_leaves_no_summary(memory: Any) -> None:
    """Whatever ends it: what was written is there for the next, and nobody takes it for whole."""
    with published(URL, ours) as found:
        write(found.folder, a="1", summary="1")

    def interrupted() -> None:
        with published(URL, ours) as found:
            write(found.folder, b="2", summary="2")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert contents() == {"a.json": "1", "b.json": "2"}


def test_a_file_is_published_at_once(memory: Any) -> None:
    """What is at the URL is no whole from then on: a kill leaves it so."""
    with published(URL, ours) as found:
        write(found.folder, summary="1")
    with published(URL, ours) as found:
        write(found.folder, part="2")
        found.put(found.folder / "part.json")
        assert contents() == {"part.json": "2"}


def test_force_takes_up_nothing_and_leaves_nothing(memory: Any) -> None:
    """Files of an earlier run that this one does not write are removed."""
    with published(URL, ours) as found:
        write(found.folder, a="1", summary="1")
    with published(URL, ours, force=True) as found:
        assert not list(found.folder.iterdir())
        assert not memory.find("/some/results")
        write(found.folder, summary="2")
    assert contents() == {"summary.json": "2"}


def test_what_is_not_ours_is_let_be(memory: Any) -> None:
    """Neither copied nor removed; and a name that leads out of the folder is refused."""
    memory.pipe_file("/some/results/README.md", b"others'")
    for force in (False, True):
        with published(URL, ours, force=force) as found:
            assert not (found.folder / "README.md").exists()
            write(found.folder, summary="1")
    assert contents() == {"summary.json": "1", "README.md": "others'"}
    with pytest.raises(InputError, match="no name of a file"):
        copied(URL, lambda _: ["../../x.json"])


def test_what_cannot_be_published_is_kept(memory: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The error names the copy, which stays; nothing is begun where nothing can be written."""

    def denied(*_: object) -> None:
        raise PermissionError("Access Denied")

    def changed() -> Iterator[Path]:
        with published(URL, ours) as found:
            write(found.folder, summary="1")
            monkeypatch.setattr(type(memory), "put_file", denied)
            yield found.folder

    work = changed()
    folder = next(work)
    with pytest.raises(InputError, match="may not be written") as caught:
        next(work)
    assert str(folder) in str(caught.value)
    publishing._remove(folder.parent)
    assert (folder / "summary.json").read_text() == "1"
    shutil.rmtree(folder.parent)
    with pytest.raises(InputError, match="Access Denied"), published(f"{URL}/other", ours):
        pytest.fail("was begun")


def test_a_local_file_takes_its_name_when_it_is_whole(tmp_path: Path) -> None:
    """By ``file://`` as by path."""
    (tmp_path / "given").write_text("text")
    folder = Folder(f"file://{tmp_path}/out")
    folder.put(tmp_path / "given", "inner/given")
    assert folder.below() == ["inner/given"]
    assert (tmp_path / "out" / "inner" / "given").read_text() == "text"
    with pytest.raises(InputError, match="nothing"):
        copied(f"file://{tmp_path}/none", iter)
