"""Named work on items of plain data, which a backend runs in workers."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias, TypeVar

from evalplus_lite.sandbox import Sandbox

Row: TypeAlias = Any
"""Plain data: None, bool, int, float, complex, str, bytes, and list, tuple, set, frozenset or dict
of these, without subclasses. Messages between our own processes consist of it."""
Ref: TypeAlias = tuple[int, int]
"""Reference to shared data: position and number of its bytes."""
Result = TypeVar("Result")


class WorkerContext(Protocol):
    """The context of work in a supervisor: a sandbox, and access to shared data."""

    @property
    def sandbox(self) -> Sandbox:
        """This worker's sandbox, which no other work uses meanwhile."""
        ...

    def load(self, ref: Ref) -> Row:
        """Return shared data, decoded again on each call."""
        ...


Work: TypeAlias = Callable[[Row], Row]
Maker: TypeAlias = Callable[[WorkerContext, Row], Work]
"""Creates, from a call's settings, the function for an item, which is reused for later
items."""


@dataclass(frozen=True, slots=True)
class Call:
    """Work by name: the ``module:function`` of a ``Maker``, and its settings.

    ``packages`` can be imported in its sandbox, in addition to those of the backend.
    """

    maker: str
    settings: Row = None
    packages: tuple[str, ...] = ()


def make(call: Call, place: WorkerContext) -> Work:
    """Create the function for a call, in a worker's context."""
    # Work is sent as a name, never as code: the function is imported where it runs.
    module, _, name = call.maker.partition(":")
    maker: Maker = getattr(importlib.import_module(module), name)
    return maker(place, call.settings)
