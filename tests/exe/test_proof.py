"""Inlined programs against the modules they come from."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from support.mining import SLUG, counted, mine_all

from evalplus_lite.exe.running import proof
from evalplus_lite.exe.running.proof import Original, Sandboxes, prove
from evalplus_lite.exe.running.runs import CallableProgram, CallResult, Invocation, RunResult, run
from evalplus_lite.exe.sources import open_package
from evalplus_lite.sandbox import SandboxConfig


def test_a_wrong_inlining_is_caught(toys: Any, sandboxes: Sandboxes) -> None:
    """Code that differs from the original on one input is rejected with that input."""
    functions, _ = toys.mined({"toy.py": SLUG})
    function = functions["toy.slug"]
    broken = replace(function, code=function.code.replace("text.lower()", "text"))
    with (
        open_package(toys.wheel({"toy.py": SLUG})) as package,
        Original(package, sandboxes.plain.config) as original,
    ):
        calls = [Invocation(("abc",)), Invocation(("Abc",))]
        base = run(sandboxes.plain, CallableProgram("slug", broken.code), calls)
        verdict = prove(broken, calls, base, sandboxes, original)
    assert verdict.reason == "differs from the original"
    assert "Abc" in verdict.detail


def test_an_original_that_is_cut_short_proves_nothing(
    toys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Inputs that are not run after some slow ones are not compared: the function is rejected."""
    function = toys.mined({"toy.py": SLUG})[0]["toy.slug"]
    calls = [Invocation((word,)) for word in ("a", "b", "c", "d")]
    quick = RunResult(tuple(CallResult("value", value=call.args[0]) for call in calls))
    kinds: list[Any] = ["slow", "slow", "unfit"]
    cut = RunResult((quick.answers[0], *(CallResult(kind) for kind in kinds)))

    def judged(there: RunResult) -> str:
        original: Any = SimpleNamespace(run=lambda function, calls: there)
        alone: Any = SimpleNamespace(others=[])
        return prove(function, calls, quick, alone, original).reason

    assert judged(quick) == ""
    assert judged(cut) == "original takes too long"
    # Nor is every function of such a package tried: each takes half a minute.
    runs: list[RunResult] = []
    monkeypatch.setattr(Original, "_ready", lambda self: None)

    def cut_short(*args: Any, **options: Any) -> RunResult:
        runs.append(cut)
        return cut

    monkeypatch.setattr(proof, "run", cut_short)
    with open_package(toys.wheel({"toy.py": SLUG})) as package:
        original = Original(package, SandboxConfig())
        assert [original.run(function, calls).failure == "" for _ in range(6)].count(True) == 3
    assert len(runs) == 3


def test_the_original_loads_without_its_other_libraries(toys: Any, sandboxes: Sandboxes) -> None:
    """Missing third-party imports are stood in for; what is named like a test is imported."""
    files = {
        "toy/__init__.py": "import nowhere\n",
        "toy/unit_test.py": "MARK = 1\n",
        "toy/good.py": """
            from nowhere.deep import Base, decorate, thing
            from toy.unit_test import MARK
            HEADER = thing("x")["y"]
            class Mine(Base):
                @decorate
                def method(self=None): pass
            def triple(x: int) -> int:
                return 3 * x
            """,
    }
    tasks, rejects = mine_all(toys.wheel(files), sandboxes, rounds=2)
    assert rejects == {"*": "no tests were run", "toy.good.Mine.method": "returns None"}
    assert [task.id for task in tasks] == ["toy-pack/toy.good.triple"]
    assert tasks[0].facts["compared"] > 10


def test_the_original_knows_its_own_version(toys: Any, sandboxes: Sandboxes) -> None:
    """As ``importlib.metadata`` gives it where the package is installed; its plug-ins, too."""
    files = {
        "toy.py": """
            from importlib.metadata import entry_points, version
            MAJOR = int(version("toy-pack").partition(".")[0])
            (PLUGIN,) = entry_points(group="toys")
            def triple(x: int) -> int:
                return 3 * x
            """,
        "toy_pack-1.2.dist-info/entry_points.txt": "[toys]\nfirst = toy:triple\n",
    }
    tasks, _ = mine_all(toys.wheel(files), sandboxes, rounds=2)
    assert [task.id for task in tasks] == ["toy-pack/toy.triple"]


def test_a_call_that_needs_a_missing_library_is_not_proved(toys: Any, sandboxes: Sandboxes) -> None:
    """What a stand-in answers is no evidence, even if it answers the same."""
    files = {
        "toy/__init__.py": "",
        "toy/good.py": """
            import needed
            try:
                from toy.fast import speed
            except ImportError:
                def speed(x: int) -> int:
                    return x * 3 + 1
            def used(x: int) -> int:
                return speed(x) % 17
            def alone(x: int) -> int:
                return x * 5 % 13
            """,
        "toy/fast.py": "import needed\ndef speed(x): return needed.fast(x) and x * 3 + 1\n",
    }
    wheel = toys.wheel(files)
    tasks, rejects = mine_all(wheel, sandboxes, rounds=2)
    assert [task.id for task in tasks] == ["toy-pack/toy.good.alone"]
    assert rejects["toy.good.used"] in ("third-party library", "cannot be proved without a library")


def test_optional_libraries_stay_absent_from_the_original(toys: Any, sandboxes: Sandboxes) -> None:
    """A library that is merely tried for is not stood in for; one that must be there is."""
    files = {
        "toy/__init__.py": "",
        "toy/good.py": """
            import needed
            from needed.deep import Base
            try:
                from optional import speed, __version__
            except ImportError:
                speed = None
            else:
                major, minor, micro, extra = __version__.split(".")
            class Mine(Base): pass
            def halved(x: int) -> int:
                return x // 2 + (0 if x else 1)
            """,
    }
    tasks, rejects = mine_all(toys.wheel(files), sandboxes, rounds=2)
    assert not rejects
    assert [task.id for task in tasks] == ["toy-pack/toy.good.halved"]


def test_an_answer_that_hangs_on_the_stacks_depth_is_no_case(
    toys: Any, sandboxes: Sandboxes
) -> None:
    """Nor is a number that Python does not write."""
    body = """
        def depth(n: int) -> int:
            try:
                return 1 + depth(n + 1)
            except RecursionError:
                return n % 7
        def power(n: int) -> int:
            return 7 ** (6000 + n % 50)
        def steady(n: int) -> int:
            return n * 3 % 11
        """
    tasks, rejects = mine_all(toys.wheel({"toy.py": body}), sandboxes, rounds=2)
    assert [task.entry_point for task in tasks] == ["steady"]
    assert {*rejects} == {"toy.depth", "toy.power"}


READ = """
from dataclasses import dataclass, field
from fractions import Fraction

@dataclass(frozen=True)
class Span:
    start: int

@dataclass
class Half:
    late: int = field(init=False)

def keys(n):
    return {Span(n): 1}

def ranges(n):
    return {range(n): 1}

def half(n):
    return [Half()]

def alike(n):
    return {Fraction(n), str(n), n}

def long(n):
    raise ValueError("x" * n)

def odd(n):
    class Odd(Exception):
        def __str__(self):
            raise TypeError("no text")
    raise Odd

def lazily(n):
    yield n
    raise KeyError(n)

def stopped(n):
    raise KeyboardInterrupt("enough")
"""


def test_what_reading_an_answer_raises_is_no_answer(sandboxes: Sandboxes) -> None:
    """Nor is a message that cannot be kept whole; what an iterator raises is the function's own."""

    def kind(name: str, given: int) -> str:
        subject = CallableProgram(name, code=READ)
        return run(sandboxes.plain, subject, [Invocation((given,))]).answers[0].kind

    names = ("keys", "ranges", "half", "alike", "odd")
    assert {name: kind(name, 3) for name in names} == dict.fromkeys(names, "unfit")
    assert (kind("long", 2000), kind("long", 2001)) == ("error", "unfit")
    assert (kind("lazily", 3), kind("stopped", 3)) == ("error", "error")
    (counts,) = counted(sandboxes, READ, 3, name="stopped")
    assert counts["lines"] == 1
