"""A task's matrix: what it holds, what is cached, what is chosen from it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from evalplus_lite.errors import InputError
from evalplus_lite.grading.oracle import answer
from evalplus_lite.programs import program_key
from evalplus_lite.reduction.kills import MOST_SLOW, MUTANT_STEPS, KillSuite
from evalplus_lite.reduction.policy import Policy, choose
from evalplus_lite.reduction.requirements import (
    CachedRows,
    CoverSubject,
    Matrix,
    Requirement,
    build,
)
from evalplus_lite.reduction.set_cover import members
from evalplus_lite.reduction.survivors import survivors
from evalplus_lite.sandbox import Limits, Sandbox
from evalplus_lite.types import Case, Rule, Suite, Task

REFERENCE = '''
def grade(x):
    """Name a mark."""
    if x >= 90:
        return "A"
    return "B" if x >= 50 else "C"
'''
MARKS = [10, 70, 95, 90, 50, 49, 89]
OFF_BY_ONE = REFERENCE.replace(">= 90", "> 90")


@pytest.fixture(scope="module")
def task() -> Task:
    cases = tuple(Case((mark,)) for mark in MARKS)
    return Task("T/0", "", "grade", REFERENCE, cases[:2], cases[2:])


@pytest.fixture(scope="module")
def suite(sandbox: Sandbox, task: Task) -> Suite:
    return answer(sandbox, task, task.cases, base_count=2, limits=Limits(cpu=10.0)).suite


@pytest.fixture(scope="module")
def matrix(sandbox: Sandbox, task: Task, suite: Suite) -> Matrix:
    return build(sandbox, CoverSubject(task, suite, {program_key(OFF_BY_ONE): OFF_BY_ONE}))


def test_every_kind_of_requirement_has_its_cases(matrix: Matrix) -> None:
    """Decisions, mutants, variants and samples, which are named by their syntax trees."""
    by_key = {(req.kind, req.key): members(row) for req, row in matrix.rows.items()}
    assert by_key["decision", "0004:007:if=true"] == [2, 3]
    assert by_key["decision", "0006:018:ternary=false"] == [0, 5]
    assert by_key["sample", program_key(OFF_BY_ONE)] == [3]
    assert sum(req.kind == "mutant" for req in matrix.rows) > 20
    assert by_key["variant", "in: int at most zero"]
    assert (matrix.count, matrix.base_count) == (7, 2)
    assert program_key("x = 1  # one\n") == program_key("x=1")
    assert program_key("x = 1") != program_key("x = 2")
    assert program_key("x = ") != program_key("y = ")


def test_a_chosen_suite_keeps_what_the_base_cases_lack(matrix: Matrix) -> None:
    """Base cases are never chosen; what is left out is not looked at; a budget is an average."""
    (choice,) = choose([matrix], Policy("samples", 1))
    assert choice.cases == (3,)
    (full,) = choose([matrix], Policy("full", 1))
    assert set(full.cases) >= {3}
    assert not set(full.cases) & {0, 1}
    without = {"T/0": {Requirement("sample", program_key(OFF_BY_ONE))}}
    assert choose([matrix], Policy("samples", 1), without=without)[0].cases == ()
    choices = choose([matrix, matrix], Policy("full", budget=1.5))
    assert sum(len(choice.cases) for choice in choices) == 3


def test_what_the_contract_refuses_is_marked(sandbox: Sandbox, task: Task, suite: Suite) -> None:
    """It counts as other inputs do; base cases show whose contract it is."""
    contract = "def precondition(x):\n    assert x != {}"
    subject = CoverSubject(task, suite, {}, contract.format(MARKS[2]))
    found = build(sandbox, subject, kinds=("decision",))
    assert members(found.refused) == [2]
    assert found.rows[Requirement("decision", "0004:007:if=true")] == 0b1100
    other = replace(subject, contract=contract.format(MARKS[0]))
    assert build(sandbox, other, kinds=("decision",)).refused == 0


@pytest.mark.parametrize("policy", [{"mode": "all"}, {"multiplicity": 0}, {"budget": -1.0}])
def test_no_policy_is_refused(policy: dict[str, object]) -> None:
    """A policy that cannot be is the user's mistake, said in one line."""
    with pytest.raises(InputError):
        Policy(**policy)  # type: ignore[arg-type]


def test_the_cache_gives_the_same_matrix_without_running(
    sandbox: Sandbox, task: Task, suite: Suite, matrix: Matrix, tmp_path: Path
) -> None:
    """A second build reads what the first one kept; a damaged file is computed again."""
    work = CoverSubject(task, suite, {program_key(OFF_BY_ONE): OFF_BY_ONE})
    assert build(sandbox, work, cache=tmp_path) == matrix
    (file,) = tmp_path.rglob("*.json")
    closed = Sandbox()  # never entered: building must not run anything
    closed.run = None  # type: ignore[method-assign, assignment]
    closed.watch = None  # type: ignore[method-assign, assignment]
    assert build(closed, work, cache=tmp_path) == matrix
    before = file.read_text()
    file.write_text(before[: len(before) // 2])
    assert build(sandbox, work, cache=tmp_path) == matrix
    assert file.read_text() == before


def test_a_cache_of_other_settings_is_not_used(
    sandbox: Sandbox, task: Task, suite: Suite, tmp_path: Path
) -> None:
    """What a rule or packages decide is decided anew."""
    source = f"import iniconfig\n{REFERENCE}"
    subject = CoverSubject(task, suite, {program_key(source): source})
    for packages, killed in (((), [*range(len(MARKS))]), (("iniconfig",), [])):
        with sandbox.sibling(packages=packages) as other:
            rows = build(other, subject, cache=tmp_path, kinds=("sample",)).rows
        assert members(rows.get(Requirement("sample", program_key(source)), 0)) == killed
    same = replace(task, reference="def grade(x):\n    return x\n")
    suite = answer(sandbox, same, same.cases, base_count=2, limits=Limits(cpu=10.0)).suite
    source = "def grade(x):\n    return float(x)\n"
    samples = {program_key(source): source}
    for kind, killed in (("python", []), ("strict", [*range(len(MARKS))])):
        subject = CoverSubject(replace(same, rule=Rule(kind)), suite, samples)
        rows = build(sandbox, subject, cache=tmp_path, kinds=("sample",)).rows
        assert members(rows.get(Requirement("sample", program_key(source)), 0)) == killed


@pytest.mark.parametrize(
    "text", ["", "null", '{"mutant": {"a": ["x"]}}', '{"mutant": {"a": ["1"]}}']
)
def test_a_foreign_file_is_an_empty_shelf(tmp_path: Path, text: str) -> None:
    """Whatever stands where our cache was is never believed, and never an error."""
    path = CachedRows.open(tmp_path, ["abc"]).path
    assert path is not None
    path.parent.mkdir(parents=True)
    path.write_text(text)
    assert "mutant" not in CachedRows.open(tmp_path, ["abc"]).sections


EVERY, FIRST = (1 << len(MARKS)) - 1, (1 << MOST_SLOW) - 1


@pytest.mark.parametrize(
    ("program", "killed", "run"),
    [
        ("def grade(x):\n    while True:\n        pass\n", FIRST, FIRST),  # given up early
        ("def grade(x):\n    return 'A' * (1 << 34)\n", EVERY, EVERY),
        ("def grade(x:", EVERY, EVERY),  # does not load
    ],
)
def test_a_program_without_answers_is_killed(
    sandbox: Sandbox, task: Task, suite: Suite, program: str, killed: int, run: int
) -> None:
    """No answer is no right answer; one that uses up its time is run on few cases only."""
    place = KillSuite.of_samples(task, suite, [1] * len(suite.cases))
    (kills,) = place.kills(sandbox, [program])
    assert (kills.killed, kills.run, kills.is_stopped) == (killed, run, run != EVERY)


def test_costly_cases(sandbox: Sandbox, task: Task, suite: Suite) -> None:
    """Mutants meet the cheap ones only, samples all where the cheap ones reject none."""
    steps = [1, 5_000_000, *[1] * (len(suite.cases) - 2)]
    place = KillSuite.of_samples(task, replace(suite, base_count=1), steps, most=MUTANT_STEPS)
    assert place.cases == (0, 2, 3, 4, 5, 6)
    (found,) = place.kills(sandbox, [OFF_BY_ONE])
    assert members(found.killed) == [3]
    assert members(found.run) == [0, 2, 3, 4, 5, 6]
    busy = "    if x == 90:\n        for _ in range(25_000_000): pass\n"
    begin = "    if x >= 90"
    slow = replace(task, reference=task.reference.replace(begin, busy + begin))
    elsewhere = REFERENCE.replace(">= 50", "> 50")
    samples = {program_key(text): text for text in (OFF_BY_ONE, elsewhere)}
    rows = build(sandbox, CoverSubject(slow, suite, samples), kinds=("sample",)).rows
    assert members(rows[Requirement("sample", program_key(OFF_BY_ONE))]) == [3]
    assert members(rows[Requirement("sample", program_key(elsewhere))]) == [4]


def test_survivors_are_reported_with_their_diff(sandbox: Sandbox, task: Task) -> None:
    """Base cases alone let the boundary's mutants live; the report shows each, and its reach."""
    base = answer(sandbox, task, task.base, base_count=2, limits=Limits(cpu=10.0)).suite
    matrix = build(sandbox, CoverSubject(task, base, {}), kinds=("mutant",))
    killed = {each.key for each in matrix.rows if each.kind == "mutant"}
    found = survivors(sandbox, task, base, killed)
    assert len(found) == len(matrix.unsatisfied)
    diffs = {each["diff"].split("\n", 3)[3]: each for each in found}
    (shifted,) = [each for text, each in diffs.items() if "+    if x > 90:" in text]
    assert shifted["reached"] == 2
    assert not shifted["suspected_equivalent"]
    assert any('return "A"' in each["diff"] or "'A'" in each["diff"] for each in found)
    assert all(each["reached"] == 0 for each in found if each["line"] == 3)
    assert killed
