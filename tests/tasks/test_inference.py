"""What the text of a reference says of how it is to be invoked."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import pytest
from support.tasks import own_task

from evalplus_lite.errors import UnusableTask
from evalplus_lite.grading.evidence import notes
from evalplus_lite.jobs.expected import SuiteSource
from evalplus_lite.sandbox import Limits, Sandbox
from evalplus_lite.tasks import load_dataset, write_suites
from evalplus_lite.tasks.harnesses import ITEMS, inferred
from evalplus_lite.types import CALL, Case, Harness, Task


def of(source: str, harness: Harness = CALL, **given: Any) -> dict[str, Any]:
    """Return the row of what is inferred for ``f``, but that it was."""
    row = inferred(harness, ast.parse(source), "f", given=given).row
    row.pop("inferred", None)
    return row


@pytest.mark.parametrize(
    ("source", "row"),
    [
        ("def f(x): return x", {}),
        ("def f(x):\n    def g(): yield 1\n    return list(g())", {}),
        ("def f(x): x.sort()", {"observe": ["arguments"]}),
        (
            "def f(x):\n    if x: return\n    x.append(1)\n    return None",
            {"observe": ["arguments"]},
        ),
        ("def f(x): print(x)", {"observe": ["printed"]}),
        ("def f(x):\n    x[0] = 1\n    print(x)", {"observe": ["arguments", "printed"]}),
        ("def f(x):\n    while x: print(x.pop())", {"observe": ["arguments", "printed"]}),
        ("import sys\ndef f(): sys.stdout.write('a')", {"observe": ["printed"]}),
        ("def f(): pass", {}),
        (
            "def f(x):\n    if x < 0: raise ValueError('x')",
            {"observe": ["arguments", "exception"], "exceptions": ["ValueError"]},
        ),
        ("def f(x): raise ValueError('to do')", {"observe": ["arguments"]}),
        ("async def f(x): return x", {"awaited": True}),
        ("async def f(x): x.clear()", {"awaited": True, "observe": ["arguments"]}),
        ("async def f(x): yield x", {"items": ITEMS}),
        ("def f(x): yield from x", {"items": ITEMS}),
        ("@contextmanager\ndef f(x): yield x", {}),
        ("import functools\n@functools.cache\ndef f(x): yield x", {"items": ITEMS}),
        ("f = lambda x: x", {}),
    ],
)
def test_what_a_reference_says(source: str, row: dict[str, Any]) -> None:
    """Generators give items, coroutines are awaited, what returns nothing is observed otherwise."""
    assert of(source) == row


CHECKED = "def f(x):\n    if x < 0: raise ValueError('x')\n    return x"


@pytest.mark.parametrize("kind", ["call", "sequence"])
def test_an_exception_that_the_prompt_names_is_an_answer(kind: str) -> None:
    """If the reference raises it by that name, and the task says nothing else."""
    harness, tree = Harness(kind), ast.parse(CHECKED)
    found = inferred(harness, tree, "f", given=(), prompt="ValueError if x is negative.")
    assert (found.observe, found.exceptions) == (("value", "exception"), ("ValueError",))
    assert found.inferred
    for prompt, given in (("Negative x: KeyError.", ()), ("ValueError ...", ("observe",))):
        assert inferred(harness, tree, "f", given=given, prompt=prompt) == harness


def test_what_a_task_says_goes_before() -> None:
    """Neither items nor what is observed is inferred where the task has them."""
    assert of("def f(x): yield x", Harness(items=3), items=3) == {"items": 3}
    assert of("def f(x): x.sort()", observe=["value"]) == {}
    assert of("class A(Exception): pass\ndef f(x): raise A", exceptions=["A"]) == {
        "observe": ["value", "exception"]
    }
    raising = Harness(observe=("value", "exception"))
    source = "def f(x):\n    if x: raise KeyError(x)\n    raise Exception"
    assert of(source, raising, observe=[])["exceptions"] == ["KeyError"]


def test_methods_and_nothing(sandbox: Sandbox, tmp_path: Path) -> None:
    """What a method does to its arguments is observed; returning None is an answer."""
    row = {
        "id": "m",
        "prompt": "",
        "entry_point": "S.f",
        "harness": "method",
        "reference": "class S:\n    def f(self, x): x.reverse()",
        "inputs": [[[1, 2]]],
    }
    task = own_task(tmp_path, **row)
    assert task.harness == Harness("method", ("arguments",), inferred=True)
    source = SuiteSource(cache=None)
    suite = source.usable(sandbox, task).suite
    assert any("the arguments after the call" in note for note in notes(source.evidence["m"]))
    write_suites(tmp_path / "suite.jsonl", [task], [suite])
    assert load_dataset(tmp_path / "suite.jsonl").tasks[0].harness == task.harness
    finds = "def f(items):\n    return next((item for item in items if item > 9), None)"
    task = Task("t", "", "f", finds, base=(Case(([1, 2],)),))
    source = SuiteSource(cache=None, limits=Limits(cpu=2.0))
    source.usable(sandbox, task)
    assert "returns None" in source.evidence["t"].blind


IDLE = [
    ("f = lambda items: items.sort()", ([2, 1],), "arguments"),
    ("def f(n): return print(n)", (1,), "printed"),
    ("def f(items): items.sort()", ([1, 2],), "unchanged"),
]


@pytest.mark.parametrize(("source", "arguments", "what"), IDLE)
def test_no_program_passes_by_doing_nothing(
    sandbox: Sandbox, tmp_path: Path, source: str, arguments: tuple[Any, ...], what: str
) -> None:
    """Where what a reference does is not observed, or does not show, its task cannot be used."""
    row = {"id": "t", "prompt": "", "entry_point": "f", "reference": source, "inputs": [arguments]}
    task = own_task(tmp_path, **row)
    with pytest.raises(UnusableTask) as refusal:
        SuiteSource(cache=None, limits=Limits(cpu=2.0)).usable(sandbox, task)
    assert refusal.value.cause == "unobserved"
    assert (f'"{what}"' in refusal.value.detail) == (what != "unchanged")


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ("return map(abs, [x])", '"items"'),
        ("return lambda: x", '"factory"'),
        ("return __import__('argparse').Namespace(x=x)", '"attributes"'),
        ("return asyncio.sleep(x)", '"awaited"'),
        ("return [][x]", '"exceptions": ["IndexError"]'),
    ],
)
def test_what_a_task_could_say_is_told(sandbox: Sandbox, body: str, field: str) -> None:
    """Where no input can be a test, the error names the part of a harness that would help."""
    reference = f"import asyncio\ndef f(x):\n    {body}\n"
    task = Task("t", "", "f", reference, base=(Case((1,)), Case((2,))))
    with pytest.raises(UnusableTask) as refusal:
        SuiteSource(cache=None, limits=Limits(cpu=2.0)).usable(sandbox, task)
    assert field in refusal.value.detail
