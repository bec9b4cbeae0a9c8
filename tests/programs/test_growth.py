"""Extraction's work grows with the text, not with its square: counted, not timed."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

import pytest

from evalplus_lite.programs import parsing
from evalplus_lite.programs.extraction.extraction import extract, plain, without_escapes
from evalplus_lite.types import Task

FUNCTION = "def total(numbers):\n    return a0\n"
PROMPT = 'from typing import List\n\n\ndef total(numbers: List[int]) -> int:\n    """Add."""\n'
TASKS = {
    "completion": Task("t", PROMPT, "total", "", style="completion"),
    "solution": Task("m", "", "total", "", style="solution"),
}
SIZE = 100
UNTIL_THE_BUDGET = {"starts": 400, "indented starts": 400}
"""Texts with many places to try: up to the budget the work is the places times what follows."""
TEXTS = {
    "escaped quotes": lambda n: "Here is total\n\u2018" + "\\\u2019" * n,
    "open quotes": lambda n: "total " + "\u201c " * n,
    "open triples": lambda n: "total \u201c\u201c\u201c" + "x\u201c\u201d\\" * n,
    "escaped triples": lambda n: "total " + 'x\\"""' * n + "\u201c",
    "chain": lambda n: FUNCTION + "".join(f"a{i} = a{i + 1}\n" for i in range(n)) + "total\n",
    "fenced chain": lambda n: (
        f"```\n{FUNCTION}" + "".join(f"a{i} = a{i + 1}\n" for i in range(n)) + "print(total)\n```"
    ),
    "one line": lambda n: f"```\n{FUNCTION}" + ";".join(["total(1)", "x = 1"] * n) + "\n```",
    "bare names": lambda n: FUNCTION + "x\n" * n,
    "fences": lambda n: "```python\ntotal(1)\n" * n,
    "starts": lambda n: "import total\nprose here\n" * n,
    "indented starts": lambda n: "prose\n" + "    import total\n    prose here\n" * n,
    "definitions": lambda n: "def total(a):\n  return (\n" * n,
    "numbered": lambda n: "".join(f"{i}. total\n" for i in range(n)),
    "session": lambda n: ">>> total(1)\n" * n,
    "diff": lambda n: "+ total\n- total\n" * n,
    "escapes": lambda n: "total\x1b[2D\x1b[K" * n,
}


@contextmanager
def counted() -> Iterator[list[int]]:
    """Count the lines of Python that run."""
    work = [0]

    def trace(frame: FrameType, event: str, argument: Any) -> Any:
        work[0] += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        yield work
    finally:
        sys.settrace(before)


@pytest.mark.parametrize("style", TASKS)
@pytest.mark.parametrize("name", TEXTS)
def test_work_grows_with_the_text(name: str, style: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Four times the text is at most some five times the work, for lines run and text compiled."""
    lines, characters = [], []
    least = UNTIL_THE_BUDGET.get(name, SIZE)
    for size in (least, 4 * least):
        compiled = [0]

        def guard(source: str, *, mode: str = "exec", compiled: list[int] = compiled) -> bool:
            compiled[0] += len(source)
            return True

        monkeypatch.setattr(parsing, "guard", guard)
        with counted() as work:
            extract(TEXTS[name](size), TASKS[style])
        lines.append(work[0])
        characters.append(compiled[0])
    assert lines[1] <= 5.5 * lines[0] + 1_000
    # The budget is what bounds tries at many places: it is the same for any text.
    assert characters[1] <= max(5.5 * characters[0], 1_000_000)


@pytest.mark.parametrize("name", TEXTS)
def test_characters_are_looked_at_once(name: str) -> None:
    """Odd characters and escapes are mended in one pass, also where a mark is never closed."""
    lines = []
    for size in (SIZE, 4 * SIZE):
        text = TEXTS[name](size)
        with counted() as work:
            plain(text)
            without_escapes(text)
        lines.append(work[0])
    assert lines[1] <= 4.5 * lines[0] + 200
