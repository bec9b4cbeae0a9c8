"""The registry of mutation operators, and helpers for random choices.

An operator turns a value of one type into another of the same type (those of Table 1 of the
EvalPlus paper, and others that measurements suggested). Each is a small function that never changes
its argument, registered with a name and *examples*: pairs of a value and a possible result. An
operator that has nothing to do returns its argument itself.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any, TypeVar

from evalplus_lite.types import Value

if TYPE_CHECKING:
    from evalplus_lite.generate.engine.slots import Slot


class Family(Enum):
    """What an operator uses: the value itself, constants of the task's text, or either, as its
    elements' operators do."""

    NEAR = "near"
    CONSTANT = "constant"
    EITHER = "either"


class Trait(Enum):
    """Properties of an operator that decide where it applies."""

    RESIZES = "changes the length of a container: none such where the length is fixed"
    FOR_GRIDS = "works on tables of equal rows, and nowhere else"
    KEEPS_FORM = (
        "keeps the kinds of token a string consists of: preferred if strings share a pattern"
    )


Apply = Callable[[Any, Any], Any]
Function = TypeVar("Function", bound=Apply)


@dataclass(frozen=True, slots=True)
class Example:
    """A value, and a possible result of the operator on it."""

    before: Value
    after: Value


@dataclass(frozen=True, slots=True)
class Operator:
    """One way to change a value of one type."""

    name: str
    kind: type
    apply: Apply
    examples: tuple[Example, ...]
    weight: int
    """Its weight in the choice among operators of its type and family."""
    family: Family = Family.NEAR
    traits: frozenset[Trait] = frozenset()


OPERATORS: dict[type, list[Operator]] = {}
"""All operators by the type they change, in order of registration."""


def operator(
    name: str,
    kind: type,
    *examples: tuple[Value, Value],
    weight: int = 2,
    family: Family = Family.NEAR,
    traits: tuple[Trait, ...] = (),
) -> Callable[[Function], Function]:
    """Register the decorated function under a name, with (before, after) examples."""

    def register(apply: Function) -> Function:
        # Registration follows source order, so the same draw gives the same operator.
        OPERATORS.setdefault(kind, []).append(
            Operator(
                name,
                kind,
                apply,
                tuple(Example(before, after) for before, after in examples),
                weight,
                family,
                frozenset(traits),
            )
        )
        return apply

    return register


def fragments(name: str, kind: type, example: tuple[Value, Value], *, weight: int = 2) -> None:
    """Register an operator for ``fragment``."""

    def fragment(value: Value, slot: Slot) -> Value:
        """Replace it by another known value of the type."""
        other = slot.fragment(kind)
        return value if other is None else other

    operator(name, kind, example, weight=weight)(fragment)


def constants(name: str, kind: type, example: tuple[Value, Value], *, weight: int = 2) -> None:
    """Register an operator for ``constant``."""

    def constant(value: Value, slot: Slot) -> Value:
        """Replace it by a constant of the task's text, or by a neighbor of one."""
        other = slot.constant(kind)
        return value if other is None else other

    operator(name, kind, example, weight=weight, family=Family.CONSTANT)(constant)


def below(slot: Slot, limit: int) -> int:
    """Return a random integer from 0 up to, but not including, the limit."""
    return int(slot.random() * limit)


def pick(slot: Slot, choices: Sequence[Value]) -> Value:
    """Return a random choice; there must be at least one."""
    return choices[int(slot.random() * len(choices))]
