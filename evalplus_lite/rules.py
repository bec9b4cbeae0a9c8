"""How an output is compared with the expected one: data of the task, never of a dataset.

What a rule means is in ``values.equality``; docs/reference/formats.md has the table.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

RuleKind: TypeAlias = Literal[
    "python", "strict", "unordered", "truthiness", "lines", "tokens", "numbers"
]


@dataclass(frozen=True, slots=True)
class Rule:
    """How an output is compared with the expected one; data of the task, never of a dataset.

    ``kind``: ``python`` (Python equality on plain values, with a tolerance if the expected leaf is
    a float), ``strict`` (also the same type at every leaf), ``unordered`` (as sets of elements) or
    ``truthiness`` (only whether the output is something, of any kind, rather than None or False;
    0 and "" count as something). For texts that were printed: ``lines`` (white space at the end of
    a line or of the text does not count), ``tokens`` (only what stands between white space counts)
    or ``numbers`` (as ``tokens``, with a tolerance if the expected token is a number with a
    fraction or an exponent). ``atol`` and ``rtol`` are the absolute and relative tolerance of a
    float leaf, and of such a token.
    """

    kind: RuleKind = "python"
    atol: float = 1e-6
    rtol: float = 1e-7


PYTHON = Rule()
