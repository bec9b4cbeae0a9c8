"""Processes, and threads for what is not yet work by name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from evalplus_lite.execution.processes import Processes
from evalplus_lite.execution.threads import LocalPool


class Pool(Processes):
    """Processes that map closures, too, in threads that start when first needed."""

    _threads: LocalPool | None = None

    def imap(
        self,
        function: Callable[..., Any],
        items: Iterable[Any],
        /,
        *,
        weight: Callable[[Any], int] | None = None,
    ) -> Iterator[Any]:
        """Yield the function's results in the items' order."""
        if self._threads is None:
            self._threads = LocalPool(self.workers, self.config).__enter__()
        yield from self._threads.imap(function, items, weight=weight)

    def close(self, *, now: bool = False) -> None:
        """End processes and threads."""
        super().close(now=now)
        if self._threads is not None:
            self._threads.close(now=now)
            self._threads = None
