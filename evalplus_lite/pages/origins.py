"""Where an input comes from, in words."""

from __future__ import annotations

from collections.abc import Sequence

from evalplus_lite.types import Case

WORDS = {
    "base": "the task's own",
    "plus": "came with the data set",
    "llm": "asked of a model",
    "docstring": "example in the prompt",
    "constant": "made of a constant in the reference",
    "boundary": "boundary value",
    "hypothesis": "drawn by type",
    "generator": "made by the task's generator",
    "mutation": "mutation",
    "targeted": "aimed at a wrong program",
    "magnitude": "very large or small numbers",
    "length": "very long or short",
    "letters": "other letters",
    "types": "another type of number",
    "cancellation": "numbers that cancel out",
    "ties": "equal keys",
}


def origin(cases: Sequence[Case], number: int, base_count: int) -> str:
    """Return where a case of a suite comes from: ``mutation of base 3 by swap``."""
    case = cases[number]
    text = WORDS.get(case.source, case.source)
    if case.parent is not None and 0 <= case.parent < len(cases):
        text += f" of {'base' if case.parent < base_count else 'input'} {case.parent}"
    if case.operators:
        text += f" by {', '.join(name.rpartition('.')[2] for name in case.operators)}"
    return f"{text}: {case.reason}" if case.reason else text
