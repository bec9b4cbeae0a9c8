"""Lists of packages, repositories at a commit, and runs after an earlier one."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from evalplus_lite import InputError, Session
from evalplus_lite.exe.mining import MiningSettings, mine
from evalplus_lite.exe.sources import _parts, fetched, listed_packages, open_package

ONE = """def cut(text: str, length: int) -> str:
    if length < 3:
        raise ValueError("length is below 3")
    if len(text) <= length:
        return text
    return text[: length - 3].rstrip() + "..."
"""
OTHER = "def twice(text: str) -> str:\n    return text + text if text else '-'\n"
IDENTITY = {
    f"GIT_{role}_{key}": value
    for role in ("AUTHOR", "COMMITTER")
    for key, value in (("NAME", "someone"), ("EMAIL", "one@example.org"))
}


def git(folder: Path, *words: str) -> str:
    done = subprocess.run(
        ["git", "-C", str(folder), *words],
        env={**os.environ, **IDENTITY},
        check=True,
        capture_output=True,
        text=True,
    )
    return done.stdout.strip()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository of two commits; its hook and its attributes would leave a file if they ran."""
    if shutil.which("git") is None:
        pytest.skip("needs git")
    folder = tmp_path / "numbers"
    folder.mkdir()
    git(folder, "init", "--quiet")
    (folder / "numbers_kit.py").write_text(ONE)
    (folder / "pyproject.toml").write_text(
        '[project]\nname = "numbers-kit"\nversion = "2.1"\nlicense = "MIT"\n'
    )
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message=one")
    (folder / "numbers_kit.py").write_text(ONE + "\n\n" + OTHER)
    (folder / ".gitattributes").write_text("* filter=mark\n")
    git(folder, "config", "filter.mark.smudge", f"touch {tmp_path}/ran")
    hook = folder / ".git" / "hooks" / "post-checkout"
    hook.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n")
    hook.chmod(0o755)
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message=two")
    return folder


def test_a_list_has_a_package_on_each_line(tmp_path: Path) -> None:
    """Comments, markers, extras and hashes count nothing."""
    path = tmp_path / "packages.txt"
    path.write_text(
        "# chosen\nidna==3.20 ; python_version > '3'\n\nrich[all] # one\nidna==3.20\n"
        f"attrs==26.1 \\\n  --hash=sha256:a1 \\\n  --hash=sha256:b2\n    # via rich\n"
        f"{tmp_path}\ngit+https://example.org/a#b@c1\n"
    )
    assert listed_packages(path) == [
        "idna==3.20",
        "rich",
        "attrs==26.1",
        str(tmp_path),
        "git+https://example.org/a#b@c1",
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "lists no package"),
        ("idna\n--hash=x\n", ":2: '--hash=x' is an option"),
        ("idna>=3\n", ":1: 'idna>=3' leaves the version open"),
        ("idna==3.*\n", ":1: 'idna==3.*' leaves the version open"),
        ("a b\n", ":1: 'a b' is no package"),
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


def test_a_repository_is_read_at_a_commit(repository: Path, tmp_path: Path) -> None:
    """Nothing that it holds or says is run; a commit, a tag, a branch, or the newest."""
    first = git(repository, "rev-parse", "HEAD~1")
    git(repository, "tag", "v1", first)
    for number, asked in enumerate((f"@{first}", "@v1", f"@{first[:10]}", "")):
        folder = tmp_path / str(number)
        folder.mkdir()
        archive, commit = fetched(f"git+file://{repository}{asked}", folder)
        assert commit.id == (first if asked else git(repository, "rev-parse", "HEAD"))
        with open_package(archive) as package:
            origin = commit.of(package.origin)
            assert ("twice" in package.text(package.files["numbers_kit"])) == (not asked)
        assert (origin.package, origin.version, origin.commit) == ("numbers-kit", "2.1", commit.id)
        assert origin.url == f"file://{repository}"
        assert len(origin.date) == len("2026-01-31")
    assert not (tmp_path / "ran").exists()
    for wrong in ("@nowhere", "/gone", "@--output=x", "#subdirectory=gone", "#subdirectory=../x"):
        with pytest.raises(InputError, match="git"):
            fetched(f"git+file://{repository}{wrong}", tmp_path)


def test_a_folder_of_a_repository_is_read_alone(repository: Path, tmp_path: Path) -> None:
    """As pip names it; the rows say which."""
    inner = repository / "kits" / "one"
    inner.mkdir(parents=True)
    (inner / "pyproject.toml").write_text('[project]\nname = "kit-one"\nversion = "3"\n')
    (inner / "kit_one.py").write_text("def one(n: int) -> int:\n    return n + 1\n")
    git(repository, "add", "-A")
    git(repository, "commit", "--quiet", "-m", "a kit of its own")
    archive, commit = fetched(f"git+file://{repository}@HEAD#subdirectory=kits/one", tmp_path)
    with open_package(archive) as package:
        assert (package.name, list(package.files)) == ("kit-one", ["kit_one"])
    assert commit.url == f"file://{repository}#subdirectory=kits/one"


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("git+ssh://git@example.org/a", ("ssh://git@example.org/a", "")),
        ("git+https://one:secret@example.org/a", ("https://one:secret@example.org/a", "")),
        ("git+ssh://git@example.org/a@v1", ("ssh://git@example.org/a", "v1")),
        ("git+git@example.org:b/a@one/two", ("git@example.org:b/a", "one/two")),
        ("git+./a@v1", ("./a", "v1")),
    ],
)
def test_who_asks_a_host_is_no_commit(name: str, parts: tuple[str, str]) -> None:
    """An ``@`` before the host belongs to the address."""
    assert _parts(name) == parts


@pytest.mark.parametrize("row", ['{"task_id": "a"}', '{"task_id": "a", "shape": [1]}'])
def test_earlier_tasks_that_cannot_be_used_are_named(tmp_path: Path, row: str) -> None:
    """Before any work, with their line; tasks that the output would replace are refused too."""
    earlier = tmp_path / "earlier.jsonl"
    earlier.write_text(f"{row}\n")
    (tmp_path / "kit").mkdir()
    (tmp_path / "kit" / "kit.py").write_text(ONE)
    with pytest.raises(InputError, match=f"{earlier}:1: is no mined task"):
        mine([str(tmp_path / "kit")], since=earlier, out=tmp_path / "tasks.jsonl")
    earlier.write_text('{"task_id": "a", "shape": ""}\n')
    with pytest.raises(InputError, match="earlier tasks of since"):
        mine([str(tmp_path / "kit")], since=earlier, out=earlier)
    assert earlier.read_text()


def test_two_versions_of_a_package_are_counted_as_what_is_written(tmp_path: Path) -> None:
    """Of a function of the same name the first counts; the other is a reject with its reason."""
    for version, code in (("1", ONE), ("2", ONE.replace("...", "--"))):
        folder = tmp_path / version
        folder.mkdir()
        (folder / "kit.py").write_text(code)
        (folder / "pyproject.toml").write_text(
            f'[project]\nname = "kit"\nversion = "{version}"\nlicense = "MIT"\n'
        )
    empty = tmp_path / "empty.jsonl"
    empty.touch()
    settings = MiningSettings(static_only=True)
    packages = [str(tmp_path / "1"), str(tmp_path / "2")]
    with Session(workers=1) as session:
        result = mine(packages, settings=settings, since=empty, session=session)
    assert [row["version"] for row in result.to_rows()] == ["1"]
    assert result.funnel.counts["mined"] == 1
    assert result.funnel.reasons["mined", "the id of another task"] == 1


def test_a_run_after_another(repository: Path, tmp_path: Path) -> None:
    """Only what is new since is written."""
    first = git(repository, "rev-parse", "HEAD~1")
    settings = MiningSettings(keep_all=True)
    with Session(workers=1) as session:
        old = mine(
            [f"git+file://{repository}@{first}"],
            settings=settings,
            out=tmp_path / "old.jsonl",
            session=session,
        )
        new = mine(
            [f"git+file://{repository}"],
            settings=settings,
            since=tmp_path / "old.jsonl",
            out=tmp_path / "new.jsonl",
            session=session,
        )
    (before,) = old.to_rows()
    assert before["task_id"] == "numbers-kit/numbers_kit.cut"
    assert before["origins"][0]["commit"] == first
    assert [row["function"] for row in new.to_rows()] == ["twice"]
    assert new.funnel.reasons["mined", "in the earlier tasks"] == 1


def test_so_many_functions_of_a_package_at_most(repository: Path, tmp_path: Path) -> None:
    """The others are counted among the rejects."""
    with Session(workers=1) as session:
        result = mine(
            [str(repository)],
            settings=MiningSettings(functions=1, keep_all=True),
            out=tmp_path / "tasks.jsonl",
            session=session,
        )
    assert len(result.to_rows()) == 1
    assert (
        sum(count for (stage, _), count in result.funnel.reasons.items() if stage == "loads") == 1
    )


@pytest.mark.parametrize(
    "address", ["https://me:secret@example.org/a", "https://secret@example.org/a@v1"]
)
def test_a_password_is_not_written_anywhere(tmp_path: Path, address: str) -> None:
    """Before any work, and not in the words of the error either."""
    with pytest.raises(InputError) as caught:
        mine([f"git+{address}"], out=tmp_path / "tasks.jsonl")
    assert "secret" not in str(caught.value)
    assert list(tmp_path.iterdir()) == []
