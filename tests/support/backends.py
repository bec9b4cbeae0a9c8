"""A backend in this process, for what is asked of one sandbox and shall not be spread."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from evalplus_lite.errors import InfrastructureError
from evalplus_lite.execution.base import Call, Ref, Result, Row, make
from evalplus_lite.execution.channel import packed, unpacked
from evalplus_lite.sandbox import Sandbox, SandboxConfig


def travelled(row: Row) -> Row:
    """Return a row as it arrives in another process."""
    return unpacked(packed(row)[8:])


class Inline:
    """Works on every item at once, beside one sandbox; rows travel as they do elsewhere."""

    workers = 1

    def __init__(self, sandbox: Sandbox) -> None:
        self.sandbox = sandbox
        self._rows: list[bytes] = []

    @property
    def config(self) -> SandboxConfig:
        return self.sandbox.config

    @property
    def tier(self) -> str:
        return "namespaces"

    def stage(self, row: Row) -> Ref:
        self._rows.append(packed(row))
        return len(self._rows) - 1, len(self._rows[-1])

    def load(self, ref: Ref) -> Row:
        return unpacked(self._rows[ref[0]][8:])

    def map(
        self,
        call: Call,
        items: Iterable[Row],
        *,
        key: Callable[[Row], Hashable] | None = None,
        lost: Callable[[Row, InfrastructureError], Row] | None = None,
        done: Callable[[Row], object] = lambda row: None,
    ) -> Iterator[Row]:
        work = make(call, self)
        for item in items:
            row = travelled(work(travelled(item)))
            done(row)
            yield row

    def submit(
        self, call: Call, item: Row, *, key: Hashable = None, then: Callable[[Row], Result]
    ) -> Future[Result]:
        future: Future[Any] = Future()
        (row,) = self.map(call, [item])
        future.set_result(then(row))
        return future


def beside_sandboxes(
    function: Callable[[Sandbox, Any], Result], items: Iterable[Any], *, workers: int = 2
) -> list[Result]:
    """Return the function's results in the items' order; each thread has a sandbox of its own."""
    own, made = threading.local(), list[Sandbox]()

    def work(item: Any) -> Result:
        if not hasattr(own, "sandbox"):
            own.sandbox = Sandbox()
            made.append(own.sandbox)
        return function(own.sandbox, item)

    try:
        with ThreadPoolExecutor(workers) as threads:
            return list(threads.map(work, items))
    finally:
        for sandbox in made:
            sandbox.close()
