"""Programs of ours that run other programs in a special way: plainly, or with another order."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from types import ModuleType

from evalplus_lite.sandbox.guest import harness, observing, ordering, plain, script
from evalplus_lite.sandbox.limits import Program
from evalplus_lite.sandbox.streams import Streams

# The code that invokes programs inside the sandbox, as a module for runs without a sandbox.


def module_text() -> str:
    """Return a module whose ``bind`` invokes a program on a case like the sandbox does."""
    texts = map(_source, (script, observing, harness))
    text = "\n\n".join(each.partition("from __future__ import annotations\n")[2] for each in texts)
    text = re.sub(r"if TYPE_CHECKING:.*\n(?:    .*\n)+", "", text)
    about = '"""How a program is invoked on a case, and what of it is observed."""'
    return f"{about}\n\nfrom __future__ import annotations\n{text}"


# Programs as they would be if Python chose another order where it promises none.

TIES, SETS = ordering.TIES, ordering.SETS
"""The ways to order equal elements, and the elements of sets."""


def reordered(program: Program, way: str) -> Program:
    """Return a program that answers as this one would with another order, or raises."""
    facts = program.source, program.entry_point, program.harness.row, way
    text = _source(ordering)
    return program.around(f"{text}\nanswer = Reordered(*{facts!r})\n", "answer")


def plain_program(streams: Streams) -> Program:
    """Return ``guest.plain`` with the streams for the program to run."""
    return Program(_source(plain), "run", pipes=streams)


@cache
def _source(module: ModuleType) -> str:
    return Path(module.__file__ or "").read_text(encoding="utf-8")
