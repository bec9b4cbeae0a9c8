"""Mutants in Stryker's form: what its published schema asks for, and what its viewers rely on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from support.commands import run, write_rows, write_tasks

from evalplus_lite.jobs.mutants import changed_part, stryker_report
from evalplus_lite.programs.mutation.mutants import Mutant
from evalplus_lite.reduction.survivors import Fate, Report

SCHEMA = json.loads(
    (Path(__file__).parent / "stryker" / "mutation-testing-report-schema.json").read_text()
)


def holds(document: Any) -> None:
    jsonschema.Draft7Validator(SCHEMA).validate(document)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Mutants of three small tasks, and of one whose second branch no case takes."""
    found = tmp_path_factory.mktemp("stryker")
    write_tasks(found)
    rows = [json.loads(line) for line in (found / "tasks.jsonl").read_text().splitlines()]
    half = "def f(x):\n    if x > 100:\n        return x + 1\n    return 'é' if x < 2 else x\n"
    task = {"id": "../Own/3", "prompt": "", "entry_point": "f", "reference": half}
    rows.append({**task, "inputs": [[1], [5]]})
    write_rows(found / "tasks.jsonl", rows)
    done = run("quality", "--survivors", "-d", "tasks.jsonl", "-o", "m", folder=found)
    assert done.returncode == 0, done.stderr + done.stdout[-500:]
    return found


def test_what_the_command_writes_is_of_the_schema(folder: Path) -> None:
    """The file is valid, and all mutants are in it."""
    document = json.loads((folder / "m" / "mutants.stryker.json").read_text())
    holds(document)
    summary = json.loads((folder / "m" / "mutants.json").read_text())
    made = {name: file["mutants"] for name, file in document["files"].items()}
    assert sum(map(len, made.values())) == summary["mutants"]
    for id, task in summary["by_task"].items():
        mutants = made[f"{id}.py"]
        assert sum(each["status"] == "Killed" for each in mutants) == task["killed"]
        assert [len(each.get("killedBy", ())) for each in mutants] == task["killers"]
        assert sum(task["kills"]) == sum(task["killers"])
        assert len(document["testFiles"][f"{id}.py"]["tests"]) == task["cases"]


def test_ids_are_unique_and_lead_somewhere(folder: Path) -> None:
    """Every case that kills or runs a mutant is a test of the same task."""
    document = json.loads((folder / "m" / "mutants.stryker.json").read_text())
    ids = [each["id"] for file in document["files"].values() for each in file["mutants"]]
    assert len(set(ids)) == len(ids)
    for name, file in document["files"].items():
        tests = {test["id"] for test in document["testFiles"][name]["tests"]}
        for each in file["mutants"]:
            assert {*each.get("killedBy", ()), *each.get("coveredBy", ())} <= tests


def test_statuses(folder: Path) -> None:
    """What no case runs is not covered; what some run and none rejects survives, with these."""
    document = json.loads((folder / "m" / "mutants.stryker.json").read_text())
    mutants = document["files"]["../Own/3.py"]["mutants"]
    lines = document["files"]["../Own/3.py"]["source"].split("\n")
    inside = lines.index("        return x + 1") + 1
    assert {each["status"] for each in mutants if each["location"]["start"]["line"] == inside} == {
        "NoCoverage"
    }
    assert {"Killed", "Survived"} <= {each["status"] for each in mutants}
    assert all(each["coveredBy"] for each in mutants if each["status"] == "Survived")


def test_replacements_make_the_mutants() -> None:
    """Putting a replacement in a location's place gives the mutant, in whole tokens."""
    source = "def f(x):\n    return x < 10 or 'ab' == x\n"
    for mutated, old, new in (
        (source.replace("<", "<="), "<", "<="),
        (source.replace("10", "100"), "10", "100"),
        (source.replace("x < 10 or ", ""), "x < 10 or ", ""),
        (source.replace("return x", "return not x"), "x", "not x"),
        (source.replace("'ab'", "'XXabXX'"), "'ab'", "'XXabXX'"),
        (source.replace("    return x < 10 or 'ab' == x", "    pass"), source[14:-1], "pass"),
    ):
        start, end, replacement = changed_part(source, mutated)
        assert source[:start] + replacement + source[end:] == mutated
        assert (source[start:end].strip(), replacement.strip()) == (old.strip(), new.strip())


def test_tasks_with_one_reference_keep_their_mutants_apart() -> None:
    """Equal mutants of two tasks have two ids; texts with lone surrogates can be written."""
    source = "def f(x):\n    return x\n"
    fates = (Fate(Mutant(source.replace("return x", "pass"), "drop", 2), 0b01, 0b11),)
    reports = [Report(id, source, ("0", "\ud800"), 1, fates) for id in ("T/0", "T/1")]
    document = json.loads(json.dumps(stryker_report(reports)))
    holds(document)
    (first,), (second,) = (file["mutants"] for file in document["files"].values())
    assert first["id"] != second["id"]
    assert (first["killedBy"], second["killedBy"]) == (["0"], ["2"])
