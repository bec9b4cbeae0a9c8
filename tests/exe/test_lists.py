"""Lists of packages, and runs after an earlier one."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.mining import project, tree

from evalplus_lite import InputError, Session
from evalplus_lite.exe.mining import MiningSettings, mine
from evalplus_lite.exe.sources import listed_packages

ONE = """def cut(text: str, length: int) -> str:
    if length < 3:
        raise ValueError("length is below 3")
    if len(text) <= length:
        return text
    return text[: length - 3].rstrip() + "..."
"""
OTHER = "def twice(text: str) -> str:\n    return text + text if text else '-'\n"


@pytest.fixture
def kit(tmp_path: Path) -> Path:
    """A package of two functions, as a folder."""
    files = {"numbers_kit.py": f"{ONE}\n\n{OTHER}", "pyproject.toml": project("numbers-kit")}
    return tree(tmp_path / "numbers", files)


def test_a_list_has_a_package_on_each_line(tmp_path: Path) -> None:
    """Comments, markers, extras and hashes count nothing."""
    path = tmp_path / "packages.txt"
    path.write_text(
        "# chosen\nidna==3.20 ; python_version > '3'\n\nrich[all] # one\nidna==3.20\n"
        f"attrs==26.1 \\\n  --hash=sha256:a1 \\\n  --hash=sha256:b2\n    # via rich\n"
        f"{tmp_path}\n"
    )
    assert listed_packages(path) == ["idna==3.20", "rich", "attrs==26.1", str(tmp_path)]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "lists no package"),
        ("idna\n--hash=x\n", ":2: '--hash=x' is an option"),
        ("idna>=3\n", ":1: 'idna>=3' leaves the version open"),
        ("idna==3.*\n", ":1: 'idna==3.*' leaves the version open"),
        ("a b\n", ":1: 'a b' is not a package"),
        ("idna\n./gone\n", ":2: './gone': no such file"),
        ("a-1-py3-none-any.whl\n", ":1: 'a-1-py3-none-any.whl': no such file"),
        ("idna @ https://example.org/a.whl", ":1: 'idna @ https://example.org/a.whl': no such"),
        ("a" * 5000 + "/b", ":1: 'aaa"),
    ],
)
def test_a_list_that_cannot_be_used_is_named(tmp_path: Path, text: str, message: str) -> None:
    """With its file, and the line where there is one."""
    path = tmp_path / "packages.txt"
    path.write_text(text)
    with pytest.raises(InputError) as caught:
        listed_packages(path)
    assert str(path) in str(caught.value)
    assert message in str(caught.value)


@pytest.mark.parametrize("row", ['{"task_id": "a"}', '{"task_id": "a", "shape": [1]}'])
def test_earlier_tasks_that_cannot_be_used_are_named(tmp_path: Path, row: str) -> None:
    """Before any work, with their line; tasks that the output would replace are refused too."""
    earlier = tmp_path / "earlier.jsonl"
    earlier.write_text(f"{row}\n")
    tree(tmp_path / "kit", {"kit.py": ONE})
    with pytest.raises(InputError, match=f"{earlier}:1: is no mined task"):
        mine([str(tmp_path / "kit")], since=earlier, out=tmp_path / "tasks.jsonl")
    earlier.write_text('{"task_id": "a", "shape": ""}\n')
    with pytest.raises(InputError, match="earlier tasks of since"):
        mine([str(tmp_path / "kit")], since=earlier, out=earlier)
    assert earlier.read_text()


def test_two_versions_of_a_package_are_counted_as_what_is_written(
    tmp_path: Path, session: Session
) -> None:
    """Of a function of the same name the first counts; the other is a reject with its reason."""
    for version, code in (("1", ONE), ("2", ONE.replace("...", "--"))):
        files = {"kit.py": code, "pyproject.toml": project("kit", version)}
        tree(tmp_path / version, files)
    empty = tmp_path / "empty.jsonl"
    empty.touch()
    settings = MiningSettings(static_only=True)
    packages = [str(tmp_path / "1"), str(tmp_path / "2")]
    result = mine(packages, settings=settings, since=empty, session=session)
    assert [row["version"] for row in result.to_rows()] == ["1"]
    assert result.funnel.counts["mined"] == 1
    assert result.funnel.reasons["mined", "the id of another task"] == 1


def test_a_run_after_another(kit: Path, tmp_path: Path, session: Session) -> None:
    """Only what is new since is written."""
    (kit / "numbers_kit.py").write_text(ONE)
    settings = MiningSettings(keep_all=True)
    old = mine([str(kit)], settings=settings, out=tmp_path / "old.jsonl", session=session)
    (kit / "numbers_kit.py").write_text(ONE + "\n\n" + OTHER)
    new = mine(
        [str(kit)],
        settings=settings,
        since=tmp_path / "old.jsonl",
        out=tmp_path / "new.jsonl",
        session=session,
    )
    (before,) = old.to_rows()
    assert before["task_id"] == "numbers-kit/numbers_kit.cut"
    assert [row["function"] for row in new.to_rows()] == ["twice"]
    assert new.funnel.reasons["mined", "in the earlier tasks"] == 1


def test_so_many_functions_of_a_package_at_most(
    kit: Path, tmp_path: Path, session: Session
) -> None:
    """The others are counted among the rejects."""
    result = mine(
        [str(kit)],
        settings=MiningSettings(functions=1, keep_all=True),
        out=tmp_path / "tasks.jsonl",
        session=session,
    )
    assert len(result.to_rows()) == 1
    assert (
        sum(count for (stage, _), count in result.funnel.reasons.items() if stage == "loads") == 1
    )
