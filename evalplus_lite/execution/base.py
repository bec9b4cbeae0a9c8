"""What a backend is: it runs named work on items of plain data, each beside a sandbox."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias, TypeVar

from evalplus_lite.sandbox import Sandbox, SandboxConfig

Row: TypeAlias = Any
"""Plain data: None, bool, int, float, complex, str, bytes, and list, tuple, set, frozenset or dict
of such, no subclass of any. It is what travels between our own processes."""
Ref: TypeAlias = tuple[int, int]
"""Names a staged row: where its bytes begin, and how many they are."""
Result = TypeVar("Result")


class WorkerContext(Protocol):
    """Where work is done: a sandbox, what the call was given, and the rows that were staged."""

    @property
    def sandbox(self) -> Sandbox:
        """The sandbox of this place; no other work runs in it meanwhile."""
        ...

    def load(self, ref: Ref) -> Row:
        """Return a staged row, read anew each time."""
        ...


Work: TypeAlias = Callable[[Row], Row]
Maker: TypeAlias = Callable[[WorkerContext, Row], Work]
"""Makes, from a call's settings, the function of an item; what it prepares is kept for the next."""


@dataclass(frozen=True, slots=True)
class Call:
    """Work by name, as ``module:function`` of a ``Maker``, with the settings that it is given.

    ``packages`` are importable in its sandbox beside those of the backend.
    """

    maker: str
    settings: Row = None
    packages: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Splitter:
    """How an item may be worked on in parts, each an item, where that ends sooner.

    ``count`` says how many it has, ``cut`` gives them, ``join`` makes of their rows, in their
    order, what the call would have made of the whole.
    """

    count: Callable[[Row], int]
    cut: Callable[[Row], Sequence[Row]]
    join: Callable[[Sequence[Row]], Row]


class Backend(Protocol):
    """Runs calls on items, one at a time in each of its places."""

    @property
    def workers(self) -> int:
        """How many places there are."""
        ...

    @property
    def config(self) -> SandboxConfig:
        """How the places' sandboxes are set up."""
        ...

    @property
    def tier(self) -> str:
        """The tier that the sandboxes are of; SandboxUnavailable if there is none."""
        ...

    def stage(self, row: Row) -> Ref:
        """Keep a row for as long as the backend is open, to be read wherever it is needed."""
        ...

    def map(
        self,
        call: Call,
        items: Iterable[Row],
        *,
        key: Callable[[Row], Hashable] | None = None,
        lost: Callable[[Row, Exception], Row] | None = None,
        parts: Splitter | None = None,
        done: Callable[[Row], object] | None = None,
    ) -> Iterator[Row]:
        """Yield what the call makes of each item, in the items' order.

        Items are taken as needed, a few ahead of the oldest result. Those of one ``key`` meet the
        same place if that costs no time. The first error is raised where its result would have
        been; of an item that ends its place again and again, or on which our own code fails,
        ``lost`` may make a row instead. With ``parts`` items may be cut. ``done`` is called with
        each row once it is there, from another thread perhaps, however long it waits for its turn.
        """
        ...

    def submit(
        self,
        call: Call,
        item: Row,
        *,
        key: Hashable = None,
        then: Callable[[Row], Result],
    ) -> Future[Result]:
        """Begin to work on one item; what ``then`` makes of its row is the future's result."""
        ...


def make(call: Call, place: WorkerContext) -> Work:
    """Return the function that a call names, made for a place."""
    module, _, name = call.maker.partition(":")
    maker: Maker = getattr(importlib.import_module(module), name)
    return maker(place, call.settings)
