"""Contracts: read from text, run in the sandbox, found wherever the project is installed."""

from __future__ import annotations

import pytest
from support.tasks import make_task

from evalplus_lite.errors import ContractError
from evalplus_lite.sandbox import Limits, Sandbox
from evalplus_lite.tasks.contracts import Violation, bundled, load_contracts, parse, violations
from evalplus_lite.types import Case


def test_what_a_contract_defines() -> None:
    """It is read from the text, which is never run; those that ship here are found by stem."""
    contract = parse("raise SystemExit\ndef precondition(x): pass\ndef helper(): pass\n")
    assert contract.has_precondition
    assert not contract.has_check
    assert contract.functions == {"precondition", "helper"}
    assert parse("def check(i, o, e): pass").has_check
    contracts = load_contracts("humaneval")
    assert len(contracts) >= 40
    assert list(contracts) == sorted(contracts)
    assert parse(contracts["032_find_zero"]).has_check
    assert bundled("data").is_dir()
    assert load_contracts("nothing") == {}


@pytest.mark.parametrize(
    ("source", "problem"),
    [
        ("def precondition(:", "is not Python"),
        ("x = '\0'", "is not Python"),
        ("", "defines neither `precondition` nor `check`"),
        ("class A:\n    def check(self): pass\n", "defines neither"),
        ("(" * 10_000, "is not Python"),
    ],
)
def test_malformed_contracts(source: str, problem: str) -> None:
    """A text that can be no contract is refused with what it lacks."""
    with pytest.raises(ContractError, match=problem):
        parse(source)


def test_violations_say_why(sandbox: Sandbox) -> None:
    """By the assertion's message or what else happened; a loop is not tried on and on."""
    source = (
        "def precondition(x):\n"
        "    assert type(x) is int, 'not an int'\n"
        "    assert x != 0\n"
        "    if x < 0: raise KeyError(x)\n"
        "    while x > 100: pass\n"
        "    return True\n"
    )
    cases = [Case((value,)) for value in (1, "a", 0, -1, 101, 2)]
    found = violations(sandbox, source, cases)
    assert found[:3] == [None, Violation("not an int"), Violation("an assertion without a message")]
    assert found[3] == Violation("KeyError: -1", faulty=True)
    assert found[4].faulty
    assert found[5] is None
    case = Case(([1],))
    assert violations(sandbox, "def precondition(x): x.clear()", [case, case]) == [None, None]
    assert case.arguments == ([1],)
    (reason,) = violations(sandbox, "def precondition(a, b): pass", [Case((1,))])
    assert reason.faulty
    assert "TypeError" in reason.reason
    assert violations(sandbox, "def check(i, o, e): pass", [Case((1,))] * 2) == [None, None]
    with pytest.raises(ContractError, match="does not load"):
        violations(sandbox, "def precondition(x): pass\nimport nowhere\n", make_task().base)
    limits = Limits(cpu=0.4, wait=0.4)
    cases = [Case((number,)) for number in range(40)]
    found = violations(sandbox, "def precondition(x):\n  while x: pass\n", cases, limits=limits)
    assert found[0] is None
    assert all(each is not None and each.faulty for each in found[1:])
    assert len({each.reason for each in found[1:] if each}) == 2


@pytest.mark.parametrize("text", ["return x > 0", "if x < 1: return False\n    return True"])
def test_a_precondition_asserts(sandbox: Sandbox, text: str) -> None:
    """One that returns whether an input is valid is an error, on inputs that are valid, too."""
    found = violations(sandbox, f"def precondition(x):\n    {text}\n", [Case((1,)), Case((0,))])
    assert all(each is not None and each.faulty and "assert" in each.reason for each in found)
