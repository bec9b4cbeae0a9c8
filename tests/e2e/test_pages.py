"""The README and docs/guide/comparing.md do what they say; what a newcomer copies keeps to them."""

from __future__ import annotations

import fnmatch
import json
import re
import shlex
import shutil
import tomllib
from collections.abc import Iterable
from pathlib import Path

import pytest
from support.commands import ROOT, run, write_rows

from evalplus_lite.tasks import load_dataset

PAGE = (ROOT / "docs" / "guide" / "comparing.md").read_text(encoding="utf-8")
README = (ROOT / "README.md").read_text(encoding="utf-8")
STEPS = README.partition("## Your own tasks")[2].partition("\n## ")[0]
ACTIONS = ROOT / "docs" / "examples" / "github-actions.yml"


def commands(lines: Iterable[str]) -> list[list[str]]:
    """Return our commands among lines of a shell, by words."""
    found = [shlex.split(line.strip(), comments=True) for line in lines if "evalplus-lite " in line]
    return [words for words in found if words and words[0] == "evalplus-lite"]


def shown(page: str) -> list[list[str]]:
    return commands(line for line in page.splitlines() if line.startswith("    "))


def ran(page: str, folder: Path) -> list[str]:
    """Return what a page's commands say, each of which ends well."""
    shutil.copytree(ROOT / "docs" / "examples", folder / "docs" / "examples")
    said = []
    for _, *command in shown(page):
        done = run(*command, folder=folder, variables={"COLUMNS": "200"})
        assert done.returncode == 0, (command, done.stderr)
        said.append(done.stdout)
    return said


def test_comparing(tmp_path: Path) -> None:
    """Every command of the page runs, and says what the page says that it does."""
    said = ran(PAGE, tmp_path)
    assert "80.0 [37.6, 96.4]" in said[0]
    assert "60.0 [23.1, 88.2]" in said[1]
    row = re.search(r"^\| base \|.*$", PAGE, re.MULTILINE)
    cells = [cell.strip() for cell in row[0].strip("|").split("|")]
    assert any(
        [cell.strip() for cell in line.strip("│").split("│")][1:] == cells
        for line in said[2].splitlines()
    )
    again = next(text for text in said if "judged twice" in text)
    assert "2 verdicts changed" in again
    for text in (again, PAGE):
        assert "input [121]: got (1, 121), expected (11, 11)" in text
    assert (tmp_path / "out" / "leaderboard.html").is_file()


@pytest.mark.slow
def test_the_first_steps(tmp_path: Path) -> None:
    """The README's commands find what it promises, in a fresh checkout."""
    steps = "evaluate augment evaluate reduce export".split()
    assert [words[1] for words in shown(STEPS)] == steps
    said = ran(STEPS, tmp_path)
    assert "70.0" in said[0]
    assert "50.0" in said[2]
    assert (tmp_path / "out" / "pytest").is_dir()


def test_the_ci_job_runs_what_the_readme_shows() -> None:
    """GitHub would read it, and each of its commands is one of the README's."""
    yaml = pytest.importorskip("yaml")
    job = yaml.safe_load(ACTIONS.read_text(encoding="utf-8"))
    assert job[True] == ["push"]  # YAML 1.1 takes the key "on" for a truth value
    (steps,) = (each["steps"] for each in job["jobs"].values())
    assert all(("uses" in step) != ("run" in step) for step in steps)
    found = commands(step["run"] for step in steps if "run" in step)
    assert [words[1] for words in found] == ["doctor", "evaluate", "report", "compare"]
    for words in found:
        assert [each for each in shown(README) if set(each) <= set(words)], words


def test_the_image_is_made_of_what_the_wheel_needs() -> None:
    """What is sent to the build is what pyproject.toml names, and the user is not root."""
    rules = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    kept = {rule[1:] for rule in rules if rule.startswith("!")}
    assert "*" in rules
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    wheel = project["tool"]["hatch"]["build"]["targets"]["wheel"]
    needed = {*wheel["packages"], *wheel["force-include"], project["project"]["readme"]}
    needed |= {"pyproject.toml", *project["project"]["license-files"]}
    assert {name.partition("/")[0] for name in needed} <= kept
    assert not any(fnmatch.fnmatch(name, ".git*") for name in kept)
    file = (ROOT / "scripts" / "Dockerfile").read_text(encoding="utf-8")
    last = file.rpartition("\nFROM ")[2]
    (user,) = re.findall(r"^USER (\S+)$", last, re.MULTILINE)
    assert user not in ("root", "0")
    (extras,) = re.findall(r"^ARG EXTRAS=(\S+)$", file, re.MULTILINE)
    assert set(extras.split(",")) <= project["project"]["optional-dependencies"].keys()


# The ten script tasks of the examples, and wrong programs for them, through the commands.

EXAMPLES = Path(__file__).resolve().parents[2] / "docs" / "examples"
TASKS, WRONG = EXAMPLES / "scripts.toml", EXAMPLES / "scripts-wrong.jsonl"


def rows(path: Path) -> list[dict[str, str]]:
    return [row for line in path.read_text().splitlines() if "plus" in (row := json.loads(line))]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which the inputs of some tasks were augmented and reduced."""
    folder = tmp_path_factory.mktemp("scripts")
    some = ("--tasks", "stdin/stack,stdin/split")
    lines = WRONG.read_text().splitlines(keepends=True)
    wrong = [line for line in lines if '"stdin/stack"' in line or '"stdin/split"' in line]
    (folder / "wrong.jsonl").write_text("".join(wrong))
    for command in (
        ("augment", "-d", str(TASKS), *some, "--inputs", "200", "-o", "large"),
        ("reduce", "-d", "large/suite.jsonl.gz", "-s", "wrong.jsonl", "-o", "small"),
        ("evaluate", "-d", "small/suite.jsonl.gz", "-s", "wrong.jsonl", "-o", "judged"),
        ("evaluate", "-d", str(TASKS), "-s", str(WRONG), "-o", "base"),
    ):
        done = run(*command, folder=folder)
        assert done.returncode == 0, done.stdout + done.stderr
    return folder


@pytest.mark.slow
def test_a_small_suite_rejects_wrong_programs(folder: Path) -> None:
    """Those that pass the examples of a statement; references pass by every rule."""
    found = rows(folder / "base" / "results.jsonl")
    assert len(found) == 21
    assert {row["base"] for row in found} == {"pass"}
    found = rows(folder / "judged" / "results.jsonl")
    assert len(found) == 3
    assert [row["model"] for row in found if row["plus"] == "pass"] == []
    tasks = load_dataset(TASKS, strict=True).only(["stdin/stack", "stdin/split"])
    samples = [{"task_id": task.id, "solution": task.reference} for task in tasks.tasks]
    even = "n = int(input())\nprint(n - 1, 1)\n"
    samples.append({"task_id": "stdin/split", "solution": even})
    write_rows(folder / "right.jsonl", samples)
    done = run(
        "evaluate", "-d", "small/suite.jsonl.gz", "-s", "right.jsonl", "-o", "right", folder=folder
    )
    assert done.returncode == 0, done.stderr
    assert {row["plus"] for row in rows(folder / "right" / "results.jsonl")} == {"pass"}
