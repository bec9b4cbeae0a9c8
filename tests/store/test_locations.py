"""Folders at URLs: they are read by way of copies, and never written to."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("fsspec")

from evalplus_lite.errors import InputError, shown_path
from evalplus_lite.store.locations import Folder, copied, local_folder


def test_a_folder_is_copied_to_be_read(tmp_path: Path) -> None:
    """Chosen files are copied with their paths, and errors show them as they are at the URL."""
    (tmp_path / "out" / "inner").mkdir(parents=True)
    (tmp_path / "out" / "inner" / "given").write_text("text")
    (tmp_path / "out" / "other").write_text("not needed")
    url = f"file://{tmp_path}/out"
    assert Folder(url).below() == ["inner/given", "other"]
    found = copied(url, lambda names: [name for name in names if name != "other"])
    assert (found / "inner" / "given").read_text() == "text"
    assert not (found / "other").exists()
    assert shown_path(found / "given") == f"{url}/given"
    with pytest.raises(InputError, match="no command"):
        copied(f"file://{tmp_path}/none", iter)


def test_nothing_is_written_to_a_url() -> None:
    """A URL for results is refused with the remedy; a path is taken as it is."""
    with pytest.raises(InputError, match="local folders only"):
        local_folder("s3://bucket/results")
    assert local_folder("out/results") == Path("out/results")
