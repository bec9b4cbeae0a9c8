"""Which inputs become a task's cases, and what limits looking for them."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from evalplus_lite.exe.inputs import search
from evalplus_lite.exe.inputs.known import PackageValues
from evalplus_lite.exe.inputs.search import (
    CASE_STEPS,
    Explorer,
    Runner,
    documentation,
    find_cases,
    gives_away,
)
from evalplus_lite.exe.inputs.validators import Executed, judge, select
from evalplus_lite.exe.running.proof import Sandboxes
from evalplus_lite.exe.running.runs import CallResult, Invocation
from evalplus_lite.exe.statistics.counting import instrument


def ran(given: object, said: object, **facts: Any) -> Executed:
    """Return a case that gave a value, or raised where ``said`` is an exception."""
    if isinstance(said, Exception):
        answer = CallResult("error", type=type(said).__name__, message=str(said))
    else:
        answer = CallResult("value", value=said)
    return Executed(Invocation((given,)), answer, **facts)


def test_what_only_one_case_reaches_is_reached() -> None:
    """A long input with a dull answer comes before short ones if it alone takes a branch."""
    common = [ran(f"a{n}", n, reached=frozenset({1, 2})) for n in range(40)]
    rare = ran("b" * 900, 0, reached=frozenset({1, 3}))
    chosen = select([*common, rare])
    assert rare in chosen
    assert len(chosen) == 15


def test_a_share_of_errors_of_every_kind_is_kept() -> None:
    """Where inputs raise, a fifth of the cases do, each kind among them; never half of them."""
    values = [ran(f"a{n}", n) for n in range(40)]
    errors = [ran(f"e{n}", ValueError(f"no {n}")) for n in range(30)] + [ran("k", KeyError("x"))]
    chosen = select([*values, *errors])
    raised = [case for case in chosen if case.is_error]
    assert {case.answer.type for case in raised} == {"ValueError", "KeyError"}
    assert 3 <= len(raised) <= 6
    assert not judge(chosen)


def test_runs_of_every_length_are_chosen() -> None:
    """Of many short runs and few long ones, each doubling of the length has a case."""
    pool = [ran(f"a{n}", n, steps=2) for n in range(60)]
    pool += [ran(f"b{n}", -n, steps=2**n) for n in range(2, 9)]
    lengths = {case.steps for case in select(pool)}
    assert lengths == {2**n for n in range(1, 9)}


def test_a_task_is_hard_where_enough_of_its_runs_are() -> None:
    """More than half of the cases then do what a hard task asks, whatever else is short."""
    light = [ran(f"a{n}", n, steps=5, depth=1, source="tests") for n in range(40)]
    heavy = [ran(f"b{n}" * 40, -n - 1, steps=80, depth=2) for n in range(9)]
    assert sum(case.is_hard for case in select([*light, *heavy])) >= 8
    assert sum(case.is_hard for case in select([*light, *heavy[:7]])) < 8


def test_known_values_come_first_and_literals_of_other_tasks_last() -> None:
    """Errors that no statement of the program raises are no cases."""
    drawn = [ran(f"drawn {n}", n) for n in range(30)]
    known = [ran(f"known {n}", -n - 1, source="tests") for n in range(10)]
    accidents = [ran(f"x{n}", TypeError(f"{n}"), is_accident=True) for n in range(20)]
    chosen = select([*drawn, *known, *accidents])
    assert sum(case.source == "tests" for case in chosen) == 10
    assert not any(case.is_error for case in chosen)
    used = {case.call.args[0]: 3 for case in drawn[:20]}
    others = select([*drawn, *known], used=used)
    assert not {case.call.args[0] for case in others} & used.keys()


DOCUMENTED = '''
def f(text: str, limit: int = 3) -> str:
    """Cut a text: f("abcdef", 2) is 'ab'. Raises ValueError: below zero for -1."""
    # an empty one ("") stays ''
    return text[:limit]
'''


@pytest.mark.parametrize(
    ("call", "answer", "is_told"),
    [
        (("abcdef", 2), "ab", True),
        (("abcdef", 3), "abc", False),
        (("abcdef", 2), "a", False),
        (("bcd", 2), "bc", False),
        (("",), "", True),
        ((-1,), ValueError("below zero"), True),
        ((-1,), ValueError("zero"), True),
        ((-2,), ValueError("below zero"), False),
        (("abcdef", 10**5000), "ab", False),
    ],
)
def test_answers_that_the_documentation_holds_are_known(
    call: tuple[Any, ...], answer: Any, is_told: bool
) -> None:
    case = ran("", answer)
    assert gives_away(documentation(DOCUMENTED), Invocation(call), case.answer) == is_told


def test_arms_tell_which_sides_of_which_tests_ran(toys: Any, sandboxes: Sandboxes) -> None:
    """Each operand of a condition has two sides; what the entry point calls is apart."""
    body = """
        def low(n: int) -> bool:
            return n < 0
        def f(n: int, s: str) -> int:
            if low(n) or not s:
                return 1
            return len([c for c in s if c == "a"])
        """
    functions, _ = toys.mined({"toy.py": body})
    subject = Runner(functions["toy.f"], sandboxes)
    calls = [Invocation(given) for given in ((-1, ""), (1, ""), (1, "ab"), (1, "aab"))]
    low, empty, both, again = subject.execute(calls)
    assert low.reached != empty.reached != both.reached
    assert both.reached == again.reached
    assert low.beyond == both.beyond
    assert not low.beyond & low.reached
    assert subject.instrumented is not None
    wanted = subject.instrumented.wanted
    assert wanted > low.reached & wanted
    assert wanted <= low.reached | empty.reached | both.reached
    assert (both.depth, both.steps) == (2, 3)


def test_long_runs_are_left_out_by_their_steps(toys: Any, sandboxes: Sandboxes) -> None:
    """What takes too many steps is slow on every machine, in a library too."""
    body = """
        import textwrap
        def f(n: int) -> int:
            return sum(1 for _ in range(n))
        def g(n: int) -> int:
            return len(textwrap.wrap("a b " * n, 4))
        """
    functions, _ = toys.mined({"toy.py": body})
    short, long = Invocation((9,)), Invocation((CASE_STEPS + 1,))
    subject = Runner(functions["toy.f"], sandboxes)
    found = {case.call.key: case.answer for case in subject.execute([short, long])}
    assert found[short.key].kind == "value"
    assert found[long.key].kind == "slow"
    assert str(CASE_STEPS) in found[long.key].message
    assert subject.slow == 0
    wrapped = Runner(functions["toy.g"], sandboxes).execute([Invocation((1,)), Invocation((9999,))])
    assert sorted(case.answer.kind for case in wrapped) == ["slow", "value"]


@pytest.mark.parametrize(
    "body",
    ["return 3 ** n % 10", "return (1 << n) % 10", "return len('ab' * n)", "return len(n * [1])",
     "x = 3; x **= n; return x % 10", "x = 3; x <<= n; return x % 10",
     "x = 3; [x := x * x for _ in range(n % 60)]; return x % 10",
     "x = 3\n    for _ in range(n % 60): x *= x\n    return x % 10"],
)  # fmt: skip
def test_numbers_too_long_to_work_with_are_slow_on_every_machine(
    toys: Any, sandboxes: Sandboxes, body: str
) -> None:
    """By their length and by no clock, so that the same inputs are left out everywhere."""
    functions, _ = toys.mined({"toy.py": f"def f(n: int) -> int:\n    {body}\n"})
    subject = Runner(functions["toy.f"], sandboxes)
    found = subject.execute([Invocation((3,)), Invocation((10**9 + 19,))])
    kinds = {case.call.args[0]: case.answer for case in found}
    assert kinds[3].kind == "value"
    assert str(CASE_STEPS) in kinds[10**9 + 19].message
    assert subject.slow == 0


def test_a_function_whose_runs_are_long_ends(
    toys: Any, sandboxes: Sandboxes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Looking for inputs stops once they have taken the steps of a function; the row says so."""
    monkeypatch.setattr(search, "CASE_STEPS", 1000)
    monkeypatch.setattr(search, "FUNCTION_STEPS", 20_000)
    body = """
        def f(n: int) -> int:
            total = 0
            for number in range(500):
                total += number % (abs(n) + 2)
            return total
        """
    functions, _ = toys.mined({"toy.py": body})
    function = functions["toy.f"]
    found = find_cases(function, Runner(function, sandboxes), seed=0, rounds=6)
    assert found is not None
    _, chosen, facts = found
    assert facts["generation"]["cut"] == {"spent": "steps"}
    assert facts["generation"]["rounds"] <= 2
    assert not chosen  # nobody follows so many steps


def test_time_ends_what_no_step_shows(
    toys: Any, sandboxes: Sandboxes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A function that is slow within the interpreter ends, and what it touched is still known."""
    monkeypatch.setattr(search, "FUNCTION_CPU", 0.6)
    body = """
        def f(n: int) -> int:
            return sum(range(abs(n) % 3 + 500_000))
        """
    functions, _ = toys.mined({"toy.py": body})
    subject = Runner(functions["toy.f"], sandboxes)
    found = subject.execute([Invocation((n,)) for n in range(250)])
    assert subject.is_spent
    assert subject.cut == {"spent": "time", "slow": subject.slow}
    kinds = Counter(case.answer.kind for case in found)
    assert kinds["value"] > 0 < kinds["slow"]
    assert sum(kinds.values()) == 250


def test_tests_ask_a_value_for_its_truth_once() -> None:
    """Marks of what is true change nothing: not how often a value is asked, nor its answer."""
    written = instrument("def f(x):\n    if x and not x.y or x[0]:\n        return 1\n", "f")
    assert written is not None
    asked: list[str] = []

    class Value:
        y = 0

        def __bool__(self) -> bool:
            asked.append("asked")
            return True

    class Count:
        def __getattr__(self, name: str) -> Any:
            return lambda *given: bool(given[-1]) if name == "decide" else given[-1]

    space: dict[str, Any] = {"_count": Count()}
    exec(written.code, space)
    assert space["f"](Value()) == 1
    assert asked == ["asked"]


def test_what_a_made_entry_point_calls_is_what_inputs_should_reach(toys: Any) -> None:
    """Methods, and functions of dates: the branches are theirs, not those of what calls them."""
    body = """
        import datetime
        class Scale:
            def __init__(self, top: int) -> None:
                self.top = top if top > 0 else 1
            @property
            def half(self) -> float:
                return self.top / 2 if self.top > 2 else 1.0
            @half.setter
            def half(self, value: float) -> None:
                self.top = 2 * value
        def late(day: datetime.date) -> bool:
            if day.month > 6:
                return True
            return day.day > 20
        """
    functions, _ = toys.mined({"toy.py": body})
    sides = {}
    for name, function in functions.items():
        written = instrument(function.code, function.subject)
        assert written is not None
        sides[name] = len(written.wanted)
    # Statements, and both sides of tests: a return of one of two; if, return, return.
    assert sides == {"toy.Scale_half": 1 + 2, "toy.call_late": 3 + 2}


def test_half_of_the_cases_are_of_the_annotated_type() -> None:
    """Where some are; otherwise all may be of another one. Both signs are among the known."""
    others = [ran(str(n), n, source="tests", is_typed=False) for n in (*range(-40, 0), 7, 8)]
    typed = [ran(n, -n, source="mutated") for n in range(100, 120)]
    chosen = select([*others, *typed])
    assert sum(case.is_typed for case in chosen) == 8
    assert {case.call.args[0][:1] for case in chosen if not case.is_typed} > {"-"}
    assert len(select(others)) == 15


def test_calls_of_other_types_have_twins(toys: Any) -> None:
    """A function that is annotated with int, and tested with texts, is given ints too."""
    text = "def f(number: int, *more: float) -> int:\n    return int(number) + len(more)\n"
    function = toys.mined({"toy.py": text})[0]["toy.f"]
    calls = [("-1",), ("12", 3, "0.5"), ("odd",)]
    values = PackageValues(calls={"f": [("tests", call, {}) for call in calls]})
    explorer = Explorer(function, seed="", values=values)

    def execute(given: list[Invocation]) -> list[Executed]:
        return [Executed(call, CallResult("value", value=call.key)) for call in given]

    found = explorer.step(execute, 60)
    args = {case.call.args: case for case in found}
    assert not args["-1",].is_typed
    assert args[-1,].is_typed
    assert args[12, 3, 0.5].is_typed
    assert sum(type(case.call.args[0]) is str for case in found) == 3
