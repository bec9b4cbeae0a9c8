"""The protocol of a backend: it runs named work on items of plain data, each with a sandbox."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Hashable, Iterable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias, TypeVar

from evalplus_lite.sandbox import Sandbox, SandboxConfig

Row: TypeAlias = Any
"""Plain data: None, bool, int, float, complex, str, bytes, and list, tuple, set, frozenset or dict
of such, without subclasses. Messages between our own processes consist of it."""
Ref: TypeAlias = tuple[int, int]
"""Reference to shared data: the position of its bytes, and their number."""
Result = TypeVar("Result")


class WorkerContext(Protocol):
    """What a worker has: a sandbox, and access to shared data."""

    @property
    def sandbox(self) -> Sandbox:
        """The sandbox of this place; no other work runs in it meanwhile."""
        ...

    def load(self, ref: Ref) -> Row:
        """Return shared data, decoded again on each call."""
        ...


Work: TypeAlias = Callable[[Row], Row]
Maker: TypeAlias = Callable[[WorkerContext, Row], Work]
"""Makes, from a call's settings, the function of an item; the function is reused for
later items."""


@dataclass(frozen=True, slots=True)
class Call:
    """Work by name, as ``module:function`` of a ``Maker``, with its settings.

    ``packages`` are importable in its sandbox, in addition to those of the backend.
    """

    maker: str
    settings: Row = None
    packages: tuple[str, ...] = ()


class Backend(Protocol):
    """Runs calls on items, one at a time in each of its places."""

    @property
    def workers(self) -> int:
        """The number of workers."""
        ...

    @property
    def config(self) -> SandboxConfig:
        """The configuration of the workers' sandboxes."""
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
        done: Callable[[Row], object] | None = None,
    ) -> Iterator[Row]:
        """Yield the call's result for each item, in the items' order.

        Items are taken on demand, a few ahead of the oldest result. Those with the same ``key`` go
        to the same worker if that costs no time. The first error is raised in place of its result.
        ``lost`` may return a row for an item that ends its worker repeatedly, or that our own code
        fails on. ``done`` is called with each row as soon as it arrives, perhaps from another
        thread.
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
    # Work travels as a name, never as code: the function is imported where it runs.
    module, _, name = call.maker.partition(":")
    maker: Maker = getattr(importlib.import_module(module), name)
    return maker(place, call.settings)
