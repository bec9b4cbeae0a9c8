"""What a newcomer copies: the container's file and the CI job keep to what the README shows."""

from __future__ import annotations

import fnmatch
import re
import shlex
import tomllib

import pytest
from support.commands import ROOT

ACTIONS = ROOT / "docs" / "examples" / "github-actions.yml"


def commands(lines: list[str]) -> list[list[str]]:
    """Return our commands among lines of a shell, by words."""
    found = [shlex.split(line.strip(), comments=True) for line in lines if "evalplus-lite " in line]
    return [words for words in found if words and words[0] == "evalplus-lite"]


def shown() -> list[list[str]]:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    return commands([line for line in text.splitlines() if line.startswith("    ")])


def test_the_ci_job_runs_what_the_readme_shows() -> None:
    """GitHub would read it, and each of its commands is one of the README's."""
    yaml = pytest.importorskip("yaml")
    job = yaml.safe_load(ACTIONS.read_text(encoding="utf-8"))
    assert job[True] == ["push"]  # YAML 1.1 takes the key "on" for a truth value
    (steps,) = (each["steps"] for each in job["jobs"].values())
    assert all(("uses" in step) != ("run" in step) for step in steps)
    ran = commands([step["run"] for step in steps if "run" in step])
    assert [words[1] for words in ran] == ["doctor", "evaluate", "report", "compare"]
    for words in ran:
        known = [each for each in shown() if set(each) <= set(words)]
        assert known, words


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
