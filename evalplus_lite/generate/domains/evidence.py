"""Evidence: which examples support a constraint on inputs, and how many are enough.

Only an *informative* example, one that could have violated a constraint, supports it. A list of one
element is sorted whatever the task demands, so it says nothing about order. Examples with the same
value at the slot in question count once.

Each kind of constraint has a *habit*: how often an informative example satisfies it although the
task does not demand it, since people write ``[1, 2, 3]`` where any list would do. A constraint is
required if the probability that all examples satisfy it by habit alone is at most ``CHANCE``.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from evalplus_lite.errors import InputError
from evalplus_lite.generate.domains.words import is_denied, is_stated, said_of
from evalplus_lite.tasks.stated_constraints import LONGEST

CHANCE = 0.05
DOUBT = 0.24
"""The same probability for doubt: inputs that violate such a constraint are doubtful."""
HARDLY_MEANT = ("distinct", "size", "no-longer", "less", "at-most")
"""Kinds that cause no doubt: of 102 such constraints on HumanEval with too few supporting inputs,
only nine are in the contracts (``scripts/benchmarks/constraints.py``)."""
HABITS: Mapping[str, float] = {
    kind: habit
    for habit, kinds in {
        0.05: "fields",
        0.2: "dates days times escapes known-words",
        0.35: "rectangular square widths layout brackets quotes decimals same-keys equal-lines"
        " tree",
        0.48: "proper-pairs",
        0.5: "distinct-first ordered-times sorted descending size ordered-pairs uniform"
        " choices within inner-length equal-width",
        0.6: "single-blanks alphabet words index count at-most-length element part",
        0.7: "distinct equal-length",
        0.75: "shorter no-longer",
        0.8: "month-days less at-most",
    }.items()
    for kind in kinds.split()
}
"""Measured on HumanEval's inputs against its contracts (``scripts/benchmarks/constraints.py``) for
``rectangular``, ``square``, ``sorted``, ``descending``, ``size``, ``uniform``, ``alphabet``,
``words``, ``index``, ``count``, ``at-most-length``, ``element``, ``part``, ``distinct``,
``equal-length``, ``shorter``, ``no-longer``, ``less`` and ``at-most``. The others are guesses."""
LIMITS = "not-negative not-positive not-zero not-empty record reach length letters".split()
"""Kinds that limit how far inputs may be from the examples, rather than state a shared property.
One example is enough, since without a contract, inputs far from the examples are rarely valid."""


@dataclass(frozen=True, slots=True)
class Constraint:
    """A constraint that every example satisfies; its ``name`` consists of positions and its kind.

    ``seen`` distinct informative examples support it, ``needed`` are enough. ``is_on`` means that
    it applies to generated inputs, ``is_chosen`` that the user decided, ``is_stated`` that the
    task's text states it; if that was not understood, it is not on.
    """

    name: str
    text: str
    seen: int
    needed: int
    is_on: bool
    is_chosen: bool = False
    is_stated: bool = False

    @property
    def kind(self) -> str:
        """The kind of constraint: a key of ``HABITS`` or ``LIMITS``."""
        return next((part for part in self.name.split(".")[::-1] if not part.isdigit()), "")

    @property
    def is_limit(self) -> bool:
        """Whether it limits how far inputs may be from the examples (``LIMITS``)."""
        return self.needed <= 1

    def to_json(self) -> dict[str, Any]:
        """Return the constraint as stored in a suite's provenance."""
        return asdict(self)

    @property
    def support(self) -> str:
        """A description of its support."""
        if self.is_chosen:
            return "chosen by the task"
        if self.is_stated:
            return "stated by the task"
        if self.is_on:
            return f"seen in {self.seen} of {self.seen} informative examples"
        return f"seen in {self.seen} informative examples, {self.needed} are needed"


class Ledger:
    """Decides which inferred constraints are required, and records all of them.

    ``choices`` are the user's, by constraint name: True requires one whatever its support.
    ``chance`` is the largest probability that habit alone explains the support of a required one.
    If the task's ``text`` mentions a kind, one example is enough.
    """

    def __init__(
        self,
        choices: Mapping[str, bool] | None = None,
        *,
        text: str = "",
        parameters: Sequence[str] = (),
        chance: float = CHANCE,
    ) -> None:
        self._choices, self._text, self._chance = choices or {}, text[:LONGEST], chance
        self._parameters = tuple(parameters)
        self._constraints: dict[str, Constraint] = {}
        self._about = [said_of(name, parameters, text) for name in parameters]

    def about(self, position: int | None) -> str:
        """Return the parts of the text that may be about a parameter; all of it for None."""
        if position is None or position >= len(self._about):
            return self._text
        return self._about[position]

    def takes(
        self,
        name: str,
        text: str,
        *,
        kind: str,
        seen: int,
        position: int | None = None,
        is_said: bool = False,
    ) -> bool:
        """Record a constraint with its support; return whether it is required.

        ``position`` is None if it is about several. ``is_said`` means that the text states it.
        """
        # The user's choice decides first, then the task's text, then the number of examples.
        enough, about = needed(kind, chance=self._chance), self.about(position)
        chosen, denied = self._choices.get(name), is_denied(kind, about)
        # "The mail is never empty" is about one field of several.
        is_field = kind in LIMITS and "[" in name
        stated = not denied and (
            is_said or (is_stated(kind, about, self._parameters) and not is_field)
        )
        is_on = stated or (seen >= enough and not denied) if chosen is None else chosen
        # Constraints that are not required are recorded as well: the user sees them with their
        # support, and can require them by name.
        self._constraints[name] = Constraint(
            name, text, seen, enough, is_on, chosen is not None, stated
        )
        return is_on

    def finished(self) -> tuple[Constraint, ...]:
        """Return all constraints; InputError if the user named one that was not inferred."""
        for name in self._choices:
            # Otherwise a misspelled choice would silently have no effect.
            if name not in self._constraints:
                known = ", ".join(sorted(self._constraints)) or "none"
                raise InputError(f"no constraint {name!r} was inferred", remedy=f"one of: {known}")
        return tuple(self._constraints.values())


def needed(kind: str, *, chance: float = CHANCE) -> int:
    """Return the number of informative examples that a kind of constraint needs."""
    if kind in LIMITS:
        return 1
    # For these the strict filter needs as many examples as the usual one, so they cause no doubt.
    if kind in HARDLY_MEANT:
        chance = CHANCE
    # By habit alone, n examples all satisfy the constraint with probability habit ** n. Return the
    # smallest n for which that is at most ``chance``: 5 for a habit of 0.5 and a chance of 0.05.
    return math.ceil(math.log(chance) / math.log(HABITS[kind]))
