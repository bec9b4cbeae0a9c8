"""Verdicts kept on disk: had again without a run, and never trusted if anything is wrong."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from support.tasks import make_task

from evalplus_lite import Dataset, Task, Verdict, Verifier
from evalplus_lite.store import rows
from evalplus_lite.store.rows import NAME, RowStore

DRAWN = "import os\ndef f(x): return os.urandom(16)"
RIGHT = "def f(x): return x + x"
RAISES = "def f(x):\n    raise ValueError('\\ud800')"
TASK = make_task([(1,)], [(2,)], id="Tiny/0")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "store"


@pytest.fixture(scope="module", autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("EVALPLUS_LITE_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Verdict]:
    """A store with the verdict on a program that answers by chance, and that verdict."""
    folder = tmp_path_factory.mktemp("drawn") / "store"
    (before,) = verdicts(folder, DRAWN)
    assert verdicts(folder, DRAWN)[0] == before
    return folder, before


def verdicts(
    folder: Path | None, *programs: str, task: Task = TASK, **options: Any
) -> list[Verdict]:
    """Return what a Verifier of its own, with processes of its own, says of programs."""
    with Verifier(Dataset("tiny", (task,)), workers=1, store=folder, **options) as one:
        return [one.verify(task.id, program) for program in programs]


def test_a_known_program_is_not_run_again(folder: Path) -> None:
    """What it answered by chance is there again; so are all fields, of passes and failures."""
    first = verdicts(folder, DRAWN, RIGHT, RAISES, details=True)
    assert [verdict.plus for verdict in first] == ["fail", "pass", "error"]
    assert verdicts(folder, DRAWN, RIGHT, RAISES, details=True) == first
    assert verdicts(None, DRAWN)[0] != first[0]
    (one,) = verdicts(folder, DRAWN)  # without details it is another question
    assert one.details is None
    assert one.failure != first[0].failure


@pytest.mark.parametrize(
    "change",
    [
        {"limits": "paper"},
        {"memory": "512MiB"},
        {"total": 7.0},
        {"packages": ["coverage"]},
        {"task": make_task([(1,)], [(3,)], id="Tiny/0")},
        {"task": make_task([(1,)], [(2,)], reference="def f(x): return 2 * x", id="Tiny/0")},
        {"task": make_task([(1,), (2,)], [(3,)], id="Tiny/0")},
    ],
    ids=lambda change: next(iter(change)),
)
def test_whatever_decides_a_verdict_tells_it_apart(
    drawn: tuple[Path, Verdict], change: dict[str, Any]
) -> None:
    """Another limit, sandbox or task content: the program is run."""
    folder, before = drawn
    assert verdicts(folder, DRAWN, **change)[0].failure != before.failure


def test_a_package_that_is_installed_anew_is_another(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a program imports decides its answers, too: by where it is and when it was written."""
    package = tmp_path / "own_package" / "__init__.py"
    package.parent.mkdir()
    package.write_text("")
    monkeypatch.syspath_prepend(tmp_path)
    (before,) = verdicts(folder, DRAWN, packages=["own_package"])
    assert verdicts(folder, DRAWN, packages=["own_package"]) == [before]
    os.utime(package, (1, 1))
    assert verdicts(folder, DRAWN, packages=["own_package"])[0].failure != before.failure


ENDLESS = "with recursive n(x) as (select 1 union all select x + 1 from n) select"


@pytest.mark.parametrize(
    "statements",
    [
        [f"create view rows as {ENDLESS} x as key, x as used, 'a' as text, x'00' as seal from n"],
        ["create table rows (key, used, text, seal, check (length(hex(zeroblob(400000000)))))"],
        ["create table rows (key blob, text text)"],
        [
            f"create table {rows._TABLE}",
            f"create trigger t after insert on rows begin insert into rows {ENDLESS}"
            " randomblob(8), x, 'a', x'00' from n; end",
        ],
    ],
    ids=["view", "check", "older", "trigger"],
)
def test_a_store_of_others_runs_nothing(folder: Path, statements: list[str]) -> None:
    """Views, triggers and checks of a file that somebody gave us; nor does it keep us from ours."""
    folder.mkdir()
    with closing(sqlite3.connect(folder / NAME, isolation_level=None)) as file:
        for statement in statements:
            file.execute(statement)
    store = RowStore(folder, 1 << 20)
    assert store.get(b"key") is None
    store.put(b"key", "text")
    assert store.get(b"key") == "text"
    store.close()
    assert (folder / "verdicts.damaged").exists()


def test_a_store_that_cannot_be_trusted_costs_time_only(folder: Path) -> None:
    """Rows changed behind our back, a file of something else, a folder that is none."""
    (before,) = verdicts(folder, RIGHT)
    with closing(sqlite3.connect(folder / NAME)) as file, file:
        file.execute("update rows set text = replace(text, 'pass', 'fail')")
    assert verdicts(folder, RIGHT)[0].passed
    (folder / NAME).write_bytes(b"This is no database at all." * 100)
    for end in ("-wal", "-shm"):
        (folder / (NAME + end)).unlink(missing_ok=True)
    assert verdicts(folder, RIGHT)[0].passed
    assert (folder / "verdicts.damaged").read_bytes().startswith(b"This is no")
    again = verdicts(folder, RIGHT)[0]
    assert again == verdicts(folder, RIGHT)[0] != before  # its CPU seconds are of the new run
    (folder.parent / "file").write_text("")
    assert verdicts(folder.parent / "file", RIGHT)[0].passed


def test_a_locked_store_costs_time_only(folder: Path) -> None:
    """Another process may hold it for as long as it likes."""
    (before,) = verdicts(folder, DRAWN)
    with closing(sqlite3.connect(folder / NAME, isolation_level=None)) as file:
        file.execute("pragma locking_mode = exclusive")
        file.execute("begin exclusive")
        found = verdicts(folder, DRAWN, RIGHT)
    assert [verdict.plus for verdict in found] == ["fail", "pass"]
    assert verdicts(folder, DRAWN)[0] == before


def test_size_is_bounded_and_what_is_used_stays(folder: Path, monkeypatch: Any) -> None:
    """However much is put in; what was used lately goes last."""
    hour = 100
    monkeypatch.setattr(rows, "_now", lambda: hour)
    store = RowStore(folder, 1 << 20)
    store.put(b"used", "kept")
    for number in range(10_000):
        hour = 100 + number // 100
        store.put(b"%d" % number, "x" * 100)
        assert number % 100 or store.get(b"used") == "kept"
    kept = sum(store.get(b"%d" % number) is not None for number in range(10_000))
    assert 1_000 < kept < 6_000
    assert store.get(b"9999") is not None
    store.put(b"long", "x" * (1 << 20))
    assert store.get(b"long") is None
    store.close()


WRITER = """
import sys
from pathlib import Path
from evalplus_lite.store.rows import RowStore
store = RowStore(Path(sys.argv[1]), 1 << 30)
for number in range(300):
    store.put(b"%d" % (number % 50), "text of %d" % (number % 50))
    got = store.get(b"%d" % (number * 7 % 50))
    assert got in (None, "text of %d" % (number * 7 % 50)), got
"""


@pytest.fixture
def writers(folder: Path) -> Iterator[list[subprocess.Popen[bytes]]]:
    started = [subprocess.Popen([sys.executable, "-c", WRITER, folder]) for _ in range(4)]
    yield started
    for each in started:
        each.kill()
        each.wait()


def test_several_processes_share_it(folder: Path, writers: list[subprocess.Popen[bytes]]) -> None:
    """They write at once, and one is killed amid it: whatever is there is right."""
    victim = writers[0]
    victim.kill()
    assert [each.wait() for each in writers[1:]] == [0, 0, 0]
    store = RowStore(folder, 1 << 30)
    found = [store.get(b"%d" % number) for number in range(50)]
    assert found == [f"text of {number}" for number in range(50)]
    store.close()
