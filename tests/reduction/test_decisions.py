"""Every decision's way is seen, nothing else is changed, and coverage.py tells the same story."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from evalplus_lite.errors import ReferenceSolutionError
from evalplus_lite.reduction.decisions import decisions, instrument
from evalplus_lite.reduction.requirements import PACKAGES, branches, branching_lines
from evalplus_lite.reduction.set_cover import members
from evalplus_lite.sandbox import Inputs, Limits, Program, Sandbox, SandboxConfig
from evalplus_lite.types import Value


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox(SandboxConfig(packages=PACKAGES)) as sandbox:
        yield sandbox


def seen(sandbox: Sandbox, source: str, cases: list[tuple[Value, ...]]) -> dict[str, list[int]]:
    """Decisions without their places, and the numbers of the cases that show them."""
    found = decisions(sandbox, Program(source, "f"), Inputs.of(cases))
    return {key.split(":", 2)[2]: members(row) for key, row in found.items()}


@pytest.mark.parametrize(
    ("body", "cases", "expected"),
    [
        ("return 1 if x else 2", [0, 5], {"ternary=false": [0], "ternary=true": [1]}),
        (
            "return [y for y in x if y > 1]",
            [[], [0], [2, 3]],
            {
                "comprehension-if=false": [1],
                "comprehension-if=true": [2],
                "comprehension=zero": [0],
                "comprehension=one": [1],
                "comprehension=many": [2],
                "comprehension=finished": [0, 1, 2],
            },
        ),
        ("return x and x[0]", ["", "a"], {"operand=false": [0], "operand=true": [1]}),
        (
            "for y in x:\n        return y",
            [[], [4, 5]],
            {"for=zero": [0], "for=finished": [0], "for=one": [1], "for=left": [1]},
        ),
        (
            "while x:\n        x -= 1",
            [0, 2],
            {"while=false": [0, 1], "while=true": [1]},
        ),
        (
            "try:\n        return 1 / x\n    except ZeroDivisionError:\n        return 0",
            [0, 2],
            {"except=entered": [0]},
        ),
        (
            "match x:\n        case [_]:\n            return 1\n        case _:\n            pass",
            [[1], 3],
            {"case=entered": [1]},
        ),
    ],
)
def test_each_kind_of_decision_is_seen(
    sandbox: Sandbox, body: str, cases: list[Value], expected: dict[str, list[int]]
) -> None:
    """A decision's outcomes are reported for exactly the cases that show them."""
    found = seen(sandbox, f"def f(x):\n    {body}\n", [(case,) for case in cases])
    if body.startswith("match"):  # both arms are named alike: the last one is kept
        assert set(found) == set(expected)
    else:
        assert found == expected


def test_decisions_and_branches(sandbox: Sandbox) -> None:
    """Also before an exception and after future imports; they tell coverage.py's story."""
    with pytest.raises(ReferenceSolutionError, match="does not parse"):
        instrument(Program("def f(:", "f"))
    source = "def f(x):\n    if x:\n        raise ValueError\n    return x\n"
    assert seen(sandbox, source, [(0,), (1,)]) == {"if=false": [0], "if=true": [1]}
    program = Program("def f(x):\n    return x + 1\n", "f")
    assert decisions(sandbox, program, Inputs.of([(1,)])) == {}
    assert branches(sandbox, program, [(1,)]) == {}
    source = "from __future__ import annotations\n\ndef f(x: Unknown):\n    return 1 if x else 2\n"
    for head in ("", '"""Says what it is."""\n'):
        assert seen(sandbox, head + source, [(1,)]) == {"ternary=true": [0]}
    source = "def f(x):\n    if x:\n        return 1\n    return 2\n"
    assert branching_lines(source) == {2}
    found = branches(sandbox, Program(source, "f"), [(0,), (1,), (2,)])
    assert {key: members(row) for key, row in found.items()} == {
        "0002->3": [1, 2],
        "0002->4": [0],
    }
    program = Program("def f(x):\n    if x:\n        return 1\n    return 2\n", "f")
    cases = [(0,), (1,), (2,)]
    found = decisions(sandbox, program, Inputs.of(cases))
    taken = branches(sandbox, program, cases)
    assert disagreements(found, taken) == ()
    assert disagreements({key: row ^ 4 for key, row in found.items()}, taken) == ("0002:007:if",)


def disagreements(found: Mapping[str, int], branches: Mapping[str, int]) -> tuple[str, ...]:
    """Return where these decisions and coverage.py's branches tell a different story of the cases.

    Compared is each line with exactly one statement that decides, on which both report: the rows
    of its truth, or of a loop's entry and exhaustion, must be among those of its branches.
    """
    rows: dict[int, dict[str, dict[str, int]]] = {}
    for key, row in found.items():
        place, _, outcome = key.partition("=")
        line, _, what = place.split(":")
        if what in ("if", "while", "for"):
            rows.setdefault(int(line), {}).setdefault(place, {})[outcome] = row
    taken: dict[int, set[int]] = {}
    for key, row in branches.items():
        start, _, _ = key.partition("->")
        taken.setdefault(int(start), set()).add(row)
    different = []
    for number, statements in sorted(rows.items()):
        if number not in taken or len(statements) != 1:
            continue
        ((place, seen),) = statements.items()
        if place.endswith(":for"):
            sides = {seen.get("one", 0) | seen.get("many", 0), seen.get("finished", 0)}
        else:
            sides = {seen.get("true", 0), seen.get("false", 0)}
        # A comprehension or lambda on the line has branches of its own there.
        if not sides - {0} <= taken[number]:
            different.append(place)
    return tuple(different)


def _humaneval(shared: Path) -> list[dict[str, Value]]:
    with gzip.open(shared / "datasets" / "HumanEvalPlus.jsonl.gz", "rt") as file:
        return [json.loads(line) for line in file]


@pytest.mark.slow
def test_both_measures_agree_on_real_references(sandbox: Sandbox, shared: Path) -> None:
    """On every HumanEval+ reference that branches, probes and coverage.py agree; on the others,
    which are 63, the probes see decisions in at least a third."""
    silent = 0
    probed = 0
    for row in _humaneval(shared):
        program = Program(row["prompt"] + row["canonical_solution"], row["entry_point"])
        cases = [tuple(case) for case in row["base_input"]]
        limits = Limits(cpu=10.0, load=10.0)
        taken = branches(sandbox, program, cases, limits)
        found = decisions(sandbox, program, Inputs.of(cases), limits)
        assert disagreements(found, taken) == (), row["task_id"]
        if not branching_lines(program.source):
            silent += 1
            probed += bool(found)
    assert silent == 63
    assert probed >= 21


@pytest.mark.slow
def test_probes_change_no_answer(sandbox: Sandbox, shared: Path) -> None:
    """The rewritten reference answers every base case as the reference does."""
    for row in _humaneval(shared):
        name = row["entry_point"]
        program = Program(row["prompt"] + row["canonical_solution"], name)
        inputs = Inputs.of(tuple(case) for case in row["base_input"])
        rewritten = Program(instrument(program)[0], name)
        limits = Limits(cpu=10.0)
        plain = sandbox.run(program, inputs, limits).outcomes
        assert sandbox.run(rewritten, inputs, limits).outcomes == plain, row["task_id"]
