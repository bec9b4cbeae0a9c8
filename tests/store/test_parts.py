"""Rows in parts: the same files whatever comes between, and each fault named by its part."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from evalplus_lite.errors import InputError
from evalplus_lite.store import Journal, parts
from evalplus_lite.store.parts import Parts, read_parts, written_rows
from evalplus_lite.store.resuming import open_rows

ROWS = [{"n": number, "text": "x" * (number % 5)} for number in range(10)]
SIZE = 4


class Killed(BaseException):
    """What stands for a kill: nothing is written after it."""


def fill(folder: Path, rows: list[dict[str, Any]] = ROWS) -> None:
    """Do what a job does: take up what is there, append what is missing, and finish."""
    with Parts(folder / "rows.jsonl", size=SIZE, identity={"seed": 1}) as found:
        there = [row.data for row in found.rows()]
        assert there == rows[: len(there)]
        for row in rows[len(there) :]:
            found.append(row)
        found.finish()


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    folder = tmp_path_factory.mktemp("parts")
    fill(folder)
    return files(folder)


def test_each_part_has_so_many_rows(expected: dict[str, bytes]) -> None:
    """They are packed and named in a list, and a job that is done adds nothing."""
    texts = [gzip.decompress(expected[f"rows-{n:05}.jsonl.gz"]).splitlines() for n in (1, 2, 3)]
    assert [json.loads(line) for text in texts for line in text] == ROWS
    assert list(map(len, texts)) == [4, 4, 2]
    named = [json.loads(line) for line in expected["rows.parts.jsonl"].splitlines()]
    assert [row["rows"] for row in named] == [4, 4, 2]
    assert set(expected) == {
        *(f"rows-{n:05}.jsonl.gz" for n in (1, 2, 3)),
        "rows.parts.jsonl",
        "rows.parts.settings.json",
    }


@pytest.mark.parametrize("end", range(11))
def test_a_job_goes_on_with_the_same_files(
    end: int, tmp_path: Path, expected: dict[str, bytes]
) -> None:
    """Also one that was finished with fewer rows: its last part is filled."""
    fill(tmp_path, ROWS[:end])
    fill(tmp_path)
    assert files(tmp_path) == expected


def test_a_kill_at_any_step_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, expected: dict[str, bytes]
) -> None:
    """Before or after any file is made, named or removed, while filling and while going on."""
    steps = 0
    for kill_at in range(1, 100):
        folder = tmp_path / str(kill_at)
        fill(folder, ROWS[:6])
        steps = 0

        def step(function: Any, kill_at: int = kill_at) -> Any:
            def stepped(*arguments: Any, **options: Any) -> Any:
                nonlocal steps
                steps += 1
                if steps == kill_at:
                    raise Killed
                return function(*arguments, **options)

            return stepped

        with monkeypatch.context() as patch:
            patch.setattr(Journal, "flush", step(Journal.flush))
            patch.setattr(Journal, "keep", step(Journal.keep))
            patch.setattr(Path, "unlink", step(Path.unlink))
            patch.setattr(parts, "replacing", step(parts.replacing))
            patch.setattr(Journal, "close", lambda journal: journal._release())
            try:
                fill(folder)
            except Killed:
                pass
            else:
                break
        fill(folder)
        assert files(folder) == expected, kill_at
    assert 15 < steps < 99


@pytest.mark.parametrize("count", [10, 9, 8, 7, 4, 1, 0])
def test_rows_that_are_dropped_are_gone(count: int, tmp_path: Path) -> None:
    """Whole parts, too; what is appended then follows the last one kept."""
    fill(tmp_path)
    with Parts(tmp_path / "rows.jsonl", size=SIZE) as found:
        assert found.keep(count) == found.count() == count
        found.append({"n": "new"})
        rows = read_parts(found.finish())
        assert [row.data for _, row in rows] == [*ROWS[:count], {"n": "new"}]


def test_a_part_that_is_missing_damaged_or_short_is_named(tmp_path: Path) -> None:
    """With the line, as far as there is one."""
    fill(tmp_path)
    part = tmp_path / "rows-00002.jsonl.gz"
    for data, line in [
        (gzip.compress(b'{"n": 4}\n'), 1),
        (gzip.compress(b'{"n": 4}\n{"n"\n{"n": 6}\n{"n": 7}\n'), 2),
        (part.read_bytes()[:-5], None),
        (None, None),
    ]:
        part.unlink() if data is None else part.write_bytes(data)
        with pytest.raises(InputError) as caught:
            list(written_rows(tmp_path / "rows.jsonl"))
        assert caught.value.path == part
        assert line is None or caught.value.line == line


def test_one_file_and_parts_are_not_mixed(tmp_path: Path) -> None:
    """A folder that was begun in the other way is refused; force begins anew."""
    path, identity = tmp_path / "rows.jsonl", {"seed": 1}
    fill(tmp_path)
    with pytest.raises(InputError, match="in parts"):
        open_rows(path, identity=identity)
    with pytest.raises(InputError, match="part_rows"):
        open_rows(path, identity=identity, part_rows=5).close()
    with open_rows(path, identity=identity, force=True) as whole:
        whole.append({"n": 1})
    assert set(files(tmp_path)) == {"rows.jsonl", "rows.settings.json"}
    with pytest.raises(InputError, match="in one file"):
        open_rows(path, identity=identity, part_rows=5)
    open_rows(path, identity=identity, part_rows=5, force=True).__exit__()
    assert "rows.jsonl" not in files(tmp_path)
