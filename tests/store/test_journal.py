"""A journal loses nothing that was written, however its process ends."""

from __future__ import annotations

import contextlib
import json
import os
import random
import resource
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from evalplus_lite.errors import InfrastructureError, InputError
from evalplus_lite.store import Journal

APPENDER = """
import sys
from evalplus_lite.store import Journal
with Journal(sys.argv[1], batch=7) as journal:
    start = sum(1 for _ in journal.rows())
    print("open", flush=True)
    for i in range(start, int(sys.argv[2])):
        journal.append({"i": i, "padding": "x" * (i % 300)})
"""


def indices(path: Path) -> list[int]:
    with Journal(path) as journal:
        return [row.data["i"] for row in journal.rows()]


def test_rows_come_back_in_a_later_run(tmp_path: Path) -> None:
    """Rows appended by one run are there for the next, which goes on after them."""
    path = tmp_path / "new" / "j.jsonl"
    for start in (0, 3):
        with Journal(path, batch=2) as journal:
            assert [row.data["i"] for row in journal.rows()] == list(range(start))
            for i in range(start, start + 3):
                journal.append({"i": i})
            assert [row.data["i"] for row in journal.rows()] == list(range(start + 3))
    assert indices(path) == list(range(6))


@pytest.mark.parametrize("cut", [1, 5, 8, 9, 16])
def test_a_torn_last_line_is_cut_off(tmp_path: Path, cut: int) -> None:
    """Of a file cut anywhere the whole lines remain, and the next row starts a line of its own."""
    path = tmp_path / "j.jsonl"
    with Journal(path) as journal:
        journal.append({"i": 0})
        journal.append({"i": 1})
    path.write_bytes(path.read_bytes()[:-cut])
    kept = 2 - -(-cut // 8)
    with Journal(path) as journal:
        journal.append({"i": 7})
    assert indices(path) == [*range(kept), 7]


def test_torn_and_damaged_lines(tmp_path: Path) -> None:
    """However long the torn one is, it is cut off; damage that no kill explains is named."""
    path = tmp_path / "j.jsonl"
    path.write_bytes(b'{"i":0}\n' + b'{"i":"' + b"x" * 300_000)
    assert indices(path) == [0]
    assert path.read_bytes() == b'{"i":0}\n'
    path = tmp_path / "j.jsonl"
    path.write_bytes(b'{"i":0}\n{"i":\n{"i":2}\n')
    with Journal(path) as journal, pytest.raises(InputError, match=r"j\.jsonl:2: is not valid"):
        list(journal.rows())


def test_a_kill_loses_at_most_what_was_not_yet_written(tmp_path: Path) -> None:
    """Killed again and again at random moments, the runs together write each row once, in order."""
    path, rng = tmp_path / "j.jsonl", random.Random(0)
    command = [sys.executable, "-c", APPENDER, str(path)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    for _ in range(3):
        with subprocess.Popen(
            [*command, str(10**9)], stdout=subprocess.PIPE, env=environment
        ) as process:
            assert process.stdout.readline() == b"open\n"
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(rng.random() / 20)
            process.send_signal(signal.SIGKILL)
        assert indices(path) == list(range(len(indices(path))))
    total = len(indices(path)) + 10
    subprocess.run([*command, str(total)], check=True, env=environment, stdout=subprocess.DEVNULL)
    assert indices(path) == list(range(total))


def test_a_second_run_on_the_same_file_is_refused(tmp_path: Path) -> None:
    """Also with force; the first goes on, and takes no row once it is closed."""
    path = tmp_path / "j.jsonl"
    with Journal(path, batch=1) as journal:
        journal.append({"i": 0})
        for force in (False, True):
            with pytest.raises(InputError, match="is being written by another run"):
                Journal(path, force=force)
        assert path.read_text() == '{"i":0}\n'
    journal.close()  # once more
    with pytest.raises(ValueError, match="closed"):
        journal.append({"i": 0})


def test_a_full_disk_loses_nothing(tmp_path: Path) -> None:
    """With no room left a flush fails clearly, leaves whole lines, and works once there is room."""
    path = tmp_path / "j.jsonl"
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    with Journal(path, batch=1_000) as journal:
        for i in range(100):
            journal.append({"i": i})
        journal.flush()
        for i in range(100, 200):
            journal.append({"i": i})
        resource.setrlimit(resource.RLIMIT_FSIZE, (path.stat().st_size + 50, hard))
        try:
            with pytest.raises(InfrastructureError, match="run the same command again"):
                journal.flush()
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        assert path.read_bytes().endswith(b'{"i":99}\n')
        journal.flush()
    assert indices(path) == list(range(200))


def test_other_settings_do_not_resume(tmp_path: Path) -> None:
    """They are named, and stand beside the rows; a file that has none is left as it is."""
    path = tmp_path / "j.jsonl"
    with Journal(path, identity={"seed": 0, "tasks": ("a",)}) as journal:
        journal.append({"i": 0})
    assert path.read_text() == '{"i":0}\n'
    assert json.loads((tmp_path / "j.settings.json").read_text()) == {"seed": 0, "tasks": ["a"]}
    with pytest.raises(InputError, match="begun with other settings: seed 0, now 1"):
        Journal(path, identity={"seed": 1, "tasks": ("a",)})
    for other in ({"tasks": ("a",)}, {"seed": 0, "tasks": ("a",), "total": 9.0}):
        with pytest.raises(InputError, match=r"begun with other settings: (seed|total)"):
            Journal(path, identity=other)
    with Journal(path, identity={"tasks": ("a",), "seed": 0}) as journal:
        assert [row.data for row in journal.rows()] == [{"i": 0}]
    path = tmp_path / "j2.jsonl"
    for text in ('{"task_id":"a"}\n', '{"task_id":"a"}\n{"task_id":"b"}', '{"task_id":"a"}'):
        path.write_text(text)
        with pytest.raises(InputError, match=r"j2\.settings\.json.* is missing .*--force"):
            Journal(path, identity={"seed": 0})
        assert path.read_text() == text


@pytest.mark.parametrize("left", [b"", b'{"i'])
def test_a_kill_before_the_first_row_binds_no_one(tmp_path: Path, left: bytes) -> None:
    """A journal without a whole row is begun anew, with whatever settings."""
    path = tmp_path / "j.jsonl"
    Journal(path, identity={"seed": 0}).close()
    path.write_bytes(left)
    with Journal(path, identity={"seed": 1}) as journal:
        journal.append({"i": 0})
    with Journal(path, identity={"seed": 1}) as journal:
        assert [row.data for row in journal.rows()] == [{"i": 0}]


@pytest.mark.parametrize("settings", ["", "[]", '{"seed":'])
def test_damaged_settings_are_named(tmp_path: Path, settings: str) -> None:
    """A settings file that cannot be read is an error that names it, and no row is lost."""
    path = tmp_path / "j.jsonl"
    with Journal(path, identity={"seed": 0}) as journal:
        journal.append({"i": 0})
    (tmp_path / "j.settings.json").write_text(settings)
    with pytest.raises(InputError, match=r"j\.settings\.json"):
        Journal(path, identity={"seed": 0})
    assert path.read_text() == '{"i":0}\n'


@pytest.mark.parametrize("left", ['{"i":0}\n', '{"other":1}\n{"i', "\x00\xff"])
def test_force_begins_anew(tmp_path: Path, left: str) -> None:
    """With force whatever an earlier run left is dropped, other settings included."""
    path = tmp_path / "j.jsonl"
    with Journal(path, identity={"seed": 0}) as journal:
        journal.append({"i": 0})
    path.write_text(left)
    with Journal(path, identity={"seed": 1}, force=True) as journal:
        assert list(journal.rows()) == []
        journal.append({"i": 5})
    with Journal(path, identity={"seed": 1}) as journal:
        assert [row.data for row in journal.rows()] == [{"i": 5}]
