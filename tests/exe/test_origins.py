"""Where mined code came from: under which license, of whom, and whether it has changed since."""

from __future__ import annotations

import hashlib
import io
import json
import tarfile
import zipfile
from datetime import UTC, datetime
from pathlib import Path

import pytest
from support.mining import tree

from evalplus_lite import Session
from evalplus_lite.exe import MiningSettings, mine
from evalplus_lite.exe.selecting.static import MinedFunction, Reject, StaticMine
from evalplus_lite.exe.sources import open_package

CALLER = "from helper import twice\n\ndef f(x: int) -> int:\n    return twice(x) + 1\n"
HELPER = "def twice(x: int) -> int:\n    return x * 2\n"
NOTICE = "MIT License\n\nCopyright (c) 2020-2024 A. Author\n   (c) 2025 Others\nCopyright holders\n"


def write(path: Path, licence: str, files: dict[str, str], *, day: int = 3) -> Path:
    name, version = path.name.split("-")[:2]
    metadata = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
    metadata += f"License-Expression: {licence}\nHome-page: https://example.org/home\n"
    metadata += "Project-URL: Changes, https://example.org/log\n"
    metadata += "Project-URL: Source Code, https://example.org/code\n"
    info = f"{name}-{version}.dist-info"
    with zipfile.ZipFile(path, "w") as archive:
        for inner, text in {
            f"{info}/METADATA": metadata,
            f"{info}/LICENSE": NOTICE,
            **files,
        }.items():
            archive.writestr(zipfile.ZipInfo(inner, (2024, 2, day, 0, 0, 0)), text)
    return path


@pytest.fixture
def wheels(tmp_path: Path) -> list[Path]:
    """A package under MIT, and two that it takes code from."""
    return [
        write(tmp_path / "caller-1-py3-none-any.whl", "MIT", {"caller.py": CALLER}),
        write(tmp_path / "helper-2-py3-none-any.whl", "GPL-3.0-only", {"helper.py": HELPER}),
        write(tmp_path / "helper-3-py3-none-any.whl", "Apache-2.0", {"helper.py": HELPER}, day=9),
    ]


def mined(
    wheel: Path, library: Path, *, any_license: bool = False
) -> tuple[list[MinedFunction], list[Reject]]:
    with open_package(wheel) as package, open_package(library) as helper:
        found = StaticMine(package, [helper], any_license=any_license)
        return list(found.functions()), found.rejects


def test_a_helper_under_another_licence_filters(wheels: list[Path]) -> None:
    caller, closed, free = wheels
    functions, (reject,) = mined(caller, closed)
    assert not functions
    assert reject.reason == "license not permissive"
    assert "helper" in reject.problems[0].detail
    (kept,), _ = mined(caller, closed, any_license=True)
    assert kept.licence == "MIT AND GPL-3.0-only"
    (kept,), _ = mined(caller, free)
    assert kept.licence == "MIT AND Apache-2.0"
    own, helper = (origin.to_json() for origin in kept.origins)
    assert helper == {
        "package": "helper",
        "version": "3",
        "licence": "Apache-2.0",
        "url": "https://example.org/code",
        "sha256": hashlib.sha256(free.read_bytes()).hexdigest(),
        "date": "2024-02-09",
        "notice": ["Copyright (c) 2020-2024 A. Author", "(c) 2025 Others"],
    }
    assert (own["package"], own["version"]) == ("caller", "1")


def test_a_source_archive_has_the_day_of_its_newest_file(tmp_path: Path) -> None:
    """None where the archive was made to be the same on every day; odd times are no error."""
    noon = datetime(2025, 3, 4, 12, tzinfo=UTC).timestamp()
    fixed = datetime(2020, 2, 2, tzinfo=UTC).timestamp()
    days = ["2025-03-04", "", "", "9999-12-31"]
    for times, day in zip(((noon, 1e9), (0, 1), (fixed, 0), (-1e18, 1e18)), days, strict=True):
        path = tmp_path / "own-1.tar.gz"
        with tarfile.open(path, "w:gz", format=tarfile.PAX_FORMAT) as archive:
            for name, when in zip(("PKG-INFO", "own.py"), times, strict=True):
                info = tarfile.TarInfo(f"own-1/{name}")
                info.mtime = when
                text = b"Name: own\nVersion: 1\n"
                info.size = len(text)
                archive.addfile(info, io.BytesIO(text))
        with open_package(path) as package:
            assert package.origin.date == day
            assert "folder" not in package.origin.to_json()


def test_a_changed_folder_is_mined_anew_and_a_broken_module_is_told(
    tmp_path: Path, session: Session
) -> None:
    files = {
        "PKG-INFO": "Name: own\nVersion: 1\nLicense-Expression: MIT\n",
        "one.py": "def f(x: int) -> int:\n    return x + 1\n",
        "broken.py": "def g(x: int) -> int\n    return x\n",
    }
    folder = tree(tmp_path / "own", files)
    settings = MiningSettings(static_only=True)
    out = tmp_path / "out" / "tasks.jsonl"
    first = mine([str(folder)], settings=settings, out=out, session=session)
    assert [row["function"] for row in first.to_rows()] == ["f"]
    reasons = {row["reason"]: row["count"] for row in first.summary["rejects"]}
    assert reasons["module cannot be read"] == 1
    rejects = (out.parent / "tasks.rejects.jsonl").read_text().splitlines()
    (broken,) = [row for row in map(json.loads, rejects) if row["function"] == "broken.*"]
    assert broken["details"] == ["module cannot be read: line 1: expected ':'"]
    (folder / "one.py").write_text("def h(x: int) -> int:\n    return x + 2\n")
    again = mine([str(folder)], settings=settings, out=out, session=session)
    assert [row["function"] for row in again.to_rows()] == ["h"]
