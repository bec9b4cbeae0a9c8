"""The protocol of a backend, which runs named work on items of plain data in workers."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Hashable, Iterable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias, TypeVar

from evalplus_lite.sandbox import Sandbox, SandboxConfig

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


class Backend(Protocol):
    """Runs calls on items, one at a time in each worker."""

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
        """The sandboxes' tier; raises SandboxUnavailable if there is none."""
        ...

    def stage(self, row: Row) -> Ref:
        """Store a row, readable by all workers, for as long as the backend is open."""
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
        to the same worker if that costs no time. The first error is raised instead of its result.
        ``lost`` may return a row for an item that repeatedly ends its worker, or on which our own
        code fails. ``done`` is called with each row as soon as it arrives, perhaps from another
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
        """Start work on an item; the future's result is its row, converted by ``then``."""
        ...


def make(call: Call, place: WorkerContext) -> Work:
    """Create the function for a call, in a worker's context."""
    # Work is sent as a name, never as code: the function is imported where it runs.
    module, _, name = call.maker.partition(":")
    maker: Maker = getattr(importlib.import_module(module), name)
    return maker(place, call.settings)
