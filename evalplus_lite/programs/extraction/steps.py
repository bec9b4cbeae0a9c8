"""What extraction did to an answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

Kind: TypeAlias = Literal["solution", "completion"]
Step: TypeAlias = Literal[
    "left out the thinking",
    "removed terminal escapes",
    "removed model tokens",
    "replaced odd characters",
    "expanded tabs",
    "unescaped HTML",
    "took the text out of JSON",
    "took what was typed in a session",
    "applied a diff",
    "removed line numbers",
    "took a fenced block",
    "joined blocks",
    "cut what does not compile",
    "continued the prompt",
    "mended the indentation",
    "took definitions from the prompt",
    "made a function of a method",
    "made a coroutine a function",
    "dropped examples",
    "found no program",
    "too large to look into",
]
# All that may be done to an answer, in the order in which it is reported.
STEPS: tuple[Step, ...] = get_args(Step)


@dataclass(frozen=True, slots=True)
class Extraction:
    """A program, and what was done to the answer to get it; no steps: it is the answer itself."""

    source: str
    steps: tuple[Step, ...] = ()
