"""What every command does first."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from support.commands import (
    COMMAND,
    captured,
    environment,
    sample_rows,
    write_rows,
    write_tasks,
)

from evalplus_lite import Session
from evalplus_lite.cli import app
from evalplus_lite.errors import InputError
from evalplus_lite.sandbox import config_of
from evalplus_lite.tasks import Dataset
from evalplus_lite.tasks.samples import read_responses


@pytest.mark.parametrize("name", ["no_such_package", "", "no.such", "."])
def test_packages_asked_for_must_be_there(name: str) -> None:
    """A package that is not installed is named, not passed over."""
    with pytest.raises(InputError, match=r"no package '.*' is installed"):
        Session(packages=[name])


@pytest.mark.parametrize("name", ["evalplus_lite", "evalplus_lite.tasks", "with_rows"])
def test_packages_with_references_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """Programs could read the answers there."""
    package = tmp_path / "with_rows"
    package.mkdir()
    (package / "__init__.py").write_text("")
    with gzip.open(package / "rows.jsonl.gz", "wt") as file:
        file.write(json.dumps({"task_id": "A/0", "canonical_solution": "return 1"}) + "\n")
    (tmp_path / "without.py").write_text("")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(InputError, match="holds references or contracts"):
        Session(packages=[name])
    assert config_of("auto", ["without"]).packages == ("numpy", "without")


def test_a_limit_on_file_sizes_is_one_line(tmp_path: Path) -> None:
    """ulimit -f 1: a sandbox cannot start, and the line says why and what to do."""
    write_tasks(tmp_path)
    write_rows(tmp_path / "samples.jsonl", sample_rows(1))
    words = "evaluate -d tasks.jsonl -s samples.jsonl -o out".split()
    done = captured(
        ["bash", "-c", 'ulimit -f 1; exec "$@"', "bash", *COMMAND, *words],
        cwd=tmp_path,
        env=environment(tmp_path / "cache"),
    )
    assert done.returncode == 2
    assert "ulimit -f" in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("key", ["index", "task_id"])
def test_numbers_beyond_all_showing(tmp_path: Path, key: str) -> None:
    """A number of thousands of digits, where none can be, is told in a few words."""
    path = tmp_path / "samples.jsonl"
    row = {"task_id": "T/0", "solution": "", key: 0}
    path.write_text(json.dumps(row).replace(f'"{key}": 0', f'"{key}": {"9" * 6000}') + "\n")
    with pytest.raises(InputError, match=f"{key}.* a huge number|{key}.*'a huge number'"):
        list(read_responses(path, Dataset("none", (), of=("T/0",))))


# The list of commands, and options that go together or not.


@pytest.mark.parametrize("name", app.COMMANDS)
def test_the_list_says_what_the_help_says(name: str) -> None:
    """A command's line in the list is the first paragraph of its help."""
    found = app.command(name)
    assert found.help.split("\n\n")[0] == app.COMMANDS[name]
    assert found.name == name


@pytest.mark.parametrize(
    ("words", "named"),
    [
        ("reduce -d t.jsonl --curve 2", ("--curve", "--cross-validate")),
        ("reduce -d t.jsonl --cross-validate --budget 3", ("--budget", "--cross-validate")),
        ("quality -d t.jsonl --survivors --seed 1", ("--seed", "--survivors")),
        ("quality -d t.jsonl -d u.jsonl --survivors", ("--survivors", "one --dataset")),
        ("compare a --rank --fail-if-worse", ("--fail-if-worse", "--rank")),
        ("compare a b -o board.txt", ("board.txt", ".html")),
        ("compare a b --fail-if-worse-by 120", ("--fail-if-worse-by", "120")),
        ("init --module a.py", ("--module", "--from-pytest")),
        ("init --from-module a.py --from-pytest b.py", ("--from-module", "--from-pytest")),
        ("export out --strict -o r.xml", ("--strict", "suite")),
        ("export -o r.xml", ("-d SUITE", "results")),
    ],
)
def test_options_of_another_form_are_refused(
    words: str, named: tuple[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """An option that the form asked for would ignore is a mistake, and the line names both."""
    assert app.run(words.split()) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert all(each in line for each in named), line
