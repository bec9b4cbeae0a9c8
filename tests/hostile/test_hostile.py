"""Hostile and honest programs, through the real evaluator, in every tier that holds here."""

from __future__ import annotations

import contextlib
import importlib.util
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from types import FrameType

import pytest
from hostile import arena

from evalplus_lite.grading.evaluator import PreparedSuite, evaluate_program
from evalplus_lite.sandbox import Expected, Inputs, Limits, Sandbox, SandboxConfig
from evalplus_lite.sandbox.probe import examine as probe
from evalplus_lite.tasks.contracts import parse
from evalplus_lite.types import Case, Suite, Task, Verdict
from evalplus_lite.values import wire

SHARED = Path(os.environ.get("EVALPLUS_LITE_SHARED", arena.PROJECT.parent / "shared")) / "attacks"
PROGRAMS = [*arena.own_programs(), *arena.shared_programs(SHARED)]
TIERS = ("namespaces", "landlock")
STUCK_SECONDS = 40
LIMITS = {"cpu": 0.25, "load": 0.8, "wait": 0.5, "memory": 256 << 20}


def prepared(name: str) -> PreparedSuite:
    """Return the prepared of a tiny problem, under tight limits."""
    problem = arena.PROBLEMS[name]
    cases = tuple(Case(tuple(row)) for row in problem.inputs)
    expected = tuple(wire.encode(value) for value in problem.expected)
    task = Task(name, "", name, "", cases, rule=problem.rule, contract=problem.contract)
    suite = Suite(name, cases, expected, len(cases))
    inputs = Inputs.of(case.arguments for case in cases)
    return PreparedSuite(task, suite, inputs, Expected.of(expected), Limits(**LIMITS))


SUITES = {name: prepared(name) for name in arena.PROBLEMS}


class Stuck(BaseException):
    """A verdict took so long that the supervisor must hang; no handler of ours catches it."""


def give_up(number: int, frame: FrameType | None) -> None:
    raise Stuck


@contextlib.contextmanager
def bounded(seconds: int) -> Iterator[None]:
    """End a test that hangs, whatever it waits for."""
    before = signal.signal(signal.SIGALRM, give_up)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


@pytest.fixture(scope="module")
def canary() -> Iterator[object]:
    """What the programs might harm."""
    with arena.canary() as found:
        yield found


@pytest.fixture(scope="module", params=TIERS)
def sandbox(request: pytest.FixtureRequest) -> Iterator[Sandbox]:
    """One sandbox for all programs of a tier: what one leaves, the next would meet."""
    report = probe(request.param)
    if not report.holds:
        pytest.skip(f"{request.param} does not hold here: {report.problem or report.missing}")
    for problem in arena.PROBLEMS.values():
        if problem.contract is not None:
            parse(problem.contract)  # starts the process that reads programs: it is no leftover
    with Sandbox(SandboxConfig(tier=request.param)) as found:
        yield found


def verdict(sandbox: Sandbox, problem: str, source: str) -> Verdict:
    """Return what the evaluator says, within bounds."""
    with bounded(STUCK_SECONDS):
        return evaluate_program(sandbox, SUITES[problem], source)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_program(sandbox: Sandbox, canary: arena.Canary, program: arena.Program) -> None:
    """A program gets a sound verdict, harms nothing, leaves nothing, and the next one is judged
    as if it had never been."""
    if program.needs and importlib.util.find_spec(program.needs) is None:
        pytest.skip(f"needs {program.needs}")
    before, around = canary.state(), arena.descendants(os.getpid())
    source = program.source(canary.places(os.getpid()))
    found = verdict(sandbox, program.problem, source)
    if program.name in arena.BY_THE_WALL_CLOCK and found.cpu < LIMITS["cpu"]:
        pytest.skip("the machine is too busy for this program to use up its limit")
    assert found.plus in program.sound, found
    assert canary.state() == before
    assert canary.reached() == []
    if found.failure is not None:
        text = found.failure.detail
        assert text.isprintable()
        assert len(text) < 2000
        text.encode()
    worker = sandbox._worker
    if worker is not None:
        inside = arena.descendants(os.getpid()) - around - {worker.pid, worker.process.pid}
        assert inside == set()
    assert verdict(sandbox, "add", arena.HONEST).plus == "pass"


def test_corpus_is_large() -> None:
    """There are at least a hundred programs of our own, with usable headers."""
    own = [program for program in PROGRAMS if not program.shared]
    assert len(own) >= 100
    for program in own:
        assert program.problem in arena.PROBLEMS
        assert program.sound <= arena.ANY
