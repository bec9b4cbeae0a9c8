"""Mutation operators: the registry, and the context that an operator works with.

An operator turns a value of one type into another of the same type (Table 1 of the EvalPlus
paper, and what measurements added). Each is a small function that never changes its argument,
registered with a name and *examples*: pairs of a value and one that the operator must be able to
make of it. An operator that has nothing to do returns its argument itself.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, Protocol, TypeVar

from evalplus_lite.types import Value


class Family(Enum):
    """What an operator draws on: the value itself, constants of the task's text, or (being about
    elements only) what its elements' operators draw on."""

    NEAR = "near"
    CONSTANT = "constant"
    EITHER = "either"


class Trait(Enum):
    """What an operator needs or does that decides where it is of use."""

    RESIZES = "changes the length of a container: none such where the length is fixed"
    FOR_GRIDS = "works on tables of equal rows, and nowhere else"
    KEEPS_FORM = (
        "keeps the kinds of token a string consists of: preferred if strings share a pattern"
    )


class MutationContext(Protocol):
    """A slot of the inputs, as an operator sees it: ``engine.slots.Slot`` is the real one."""

    random: Callable[[], float]
    """Draws from [0, 1): the only source of chance."""

    @property
    def items(self) -> MutationContext | None:
        """The slot of a container's elements."""

    @property
    def keys(self) -> MutationContext | None:
        """The slot of a dict's keys."""

    @property
    def values(self) -> MutationContext | None:
        """The slot of a dict's values."""

    @property
    def positions(self) -> Sequence[MutationContext] | None:
        """One slot a position, if positions differ in kind."""

    @property
    def has_fixed_size(self) -> bool:
        """Whether containers here must keep their length."""

    @property
    def has_common_pattern(self) -> bool:
        """Whether the strings here mostly share a pattern, widths of numerals included."""

    @property
    def characters(self) -> str:
        """Characters to write: those seen here, then the rest of what is allowed."""

    @property
    def seen_characters(self) -> str:
        """Characters seen here; never empty."""

    @property
    def punctuation(self) -> str:
        """Characters other than letters and digits: seen here, or in the task's text."""

    def mutate(self, value: Value) -> Value:
        """Return the value changed by some operator for its type."""

    def choose(self, kind: type) -> Operator | None:
        """Return an operator for a type, chosen by weight; None if there is none."""

    def fragment(self, kind: type) -> Value | None:
        """Return some value of the type seen anywhere, mostly here; None if there is none."""

    def constant(self, kind: type) -> Value | None:
        """Return some constant of the type; None if there is none."""

    def token(self) -> str:
        """Return a word or character of the task's string constants, or a seen character."""

    def sample(self) -> Value | None:
        """Return a new value for this slot, made from scratch."""


Apply = Callable[[Any, Any], Any]
Function = TypeVar("Function", bound=Apply)


@dataclass(frozen=True, slots=True)
class Example:
    """A value, and one that the operator must be able to make of it."""

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
    """How often it is chosen, against the others of its type and family."""
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
        # The order of registration is that of the text, so the same draw gives the same operator.
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


def below(context: MutationContext, limit: int) -> int:
    """Return a whole number from 0 up to, not including, the limit."""
    return int(context.random() * limit)


def pick(context: MutationContext, choices: Sequence[Value]) -> Value:
    """Return one of the choices, all equally likely; there must be one."""
    return choices[int(context.random() * len(choices))]
