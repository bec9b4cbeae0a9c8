"""The registry of mutation operators, and helpers for random choices.

An operator turns a value of one type into another of the same type (those of Table 1 of the
EvalPlus paper, and others that measurements suggested). Each is a small function that never changes
its argument, registered with a name and *examples*: pairs of a value and a possible result. An
operator that has nothing to do returns its argument itself.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypeVar

from evalplus_lite.types import Value

if TYPE_CHECKING:
    from evalplus_lite.generate.engine.slots import Slot

Family: TypeAlias = Literal["near", "constant", "either"]
"""What an operator uses: the value itself, constants of the task's text, or either, as its
elements' operators do."""
Apply = Callable[[Any, Any], Any]
Function = TypeVar("Function", bound=Apply)
Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class Operator:
    """One way to change a value of one type; ``weight`` is its weight in the choice among those of
    its type and family.

    One that ``resizes`` is not used where the length is fixed, one ``for_grids`` only on tables of
    equal rows. One that ``keeps_form`` keeps the kinds of token that a string consists of, and is
    preferred if strings share a pattern.
    """

    name: str
    kind: type
    apply: Apply
    examples: tuple[tuple[Value, Value], ...]
    weight: int
    family: Family
    resizes: bool
    for_grids: bool
    keeps_form: bool


OPERATORS: dict[type, list[Operator]] = {}
"""All operators by the type they change, in order of registration."""


def operator(
    name: str, kind: type, *examples: tuple[Value, Value], weight: int = 2, family: Family = "near",
    resizes: bool = False, for_grids: bool = False, keeps_form: bool = False,
) -> Callable[[Function], Function]:  # fmt: skip
    """Register the decorated function under a name, with (before, after) examples."""

    def register(apply: Function) -> Function:
        # Registration follows source order, so the same draw gives the same operator.
        made = Operator(name, kind, apply, examples, weight, family, resizes, for_grids, keeps_form)
        OPERATORS.setdefault(kind, []).append(made)
        return apply

    return register


def copying(
    name: str, kind: type, example: tuple[Value, Value], *, weight: int = 2, family: Family = "near"
) -> None:
    """Register an operator that returns a constant of the task's text (or a neighbor of one), if
    that is its family, or another known value."""

    def copied(value: Value, slot: Slot) -> Value:
        other = slot.constant(kind) if family == "constant" else slot.fragment(kind)
        return value if other is None else other

    operator(name, kind, example, weight=weight, family=family)(copied)


def below(slot: Slot, limit: int) -> int:
    """Return a random integer from 0 up to, but not including, the limit."""
    return int(slot.random() * limit)


def pick(slot: Slot, choices: Sequence[Value]) -> Value:
    """Return a random choice; there must be at least one."""
    return choices[int(slot.random() * len(choices))]


def either(slot: Slot, one: Item, other: Item) -> Item:
    """Return one of two values at random."""
    return one if slot.random() < 0.5 else other


def shuffle(slot: Slot, values: list[Value]) -> None:
    """Shuffle a list in place."""
    for last in range(len(values) - 1, 0, -1):
        other = below(slot, last + 1)
        values[last], values[other] = values[other], values[last]
