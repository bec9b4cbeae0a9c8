"""Values of types beyond the plain ones, made of the plain ones that stand for them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Generic, TypeVar

from evalplus_lite.types import Value
from evalplus_lite.values.kinds.registry import BY_TYPE

About = TypeVar("About")


@dataclass(frozen=True, slots=True)
class View(Generic[About]):
    """What is known of the plain values that stand for those of one type at a slot.

    ``like`` is one that was seen there: what it is like says what a view does not.
    """

    kind: type
    like: Value
    about: About


def made(view: Value, like: Value) -> Value:
    """Return the value like ``like`` that a plain one stands for; ``like`` if it does for none."""
    return next(all_made([view], like), like)


def all_made(views: Iterator[Value] | list[Value], like: Value) -> Iterator[Value]:
    """Yield the values like ``like`` that these stand for, as far as they stand for one."""
    viewed = BY_TYPE[type(like)].viewed
    for view in views if viewed else ():
        try:
            yield viewed(view, like)  # type: ignore[misc] # it is not None
        except (TypeError, ValueError, ArithmeticError):
            continue
