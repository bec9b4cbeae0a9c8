"""What jobs need of a backend."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Protocol, TypeVar

from evalplus_lite.sandbox.sandbox import Sandbox

Item = TypeVar("Item")
Result = TypeVar("Result")


class Mapper(Protocol):
    """What spreads work over sandboxes: a local pool, or any other backend."""

    def imap(
        self,
        function: Callable[[Sandbox, Item], Result],
        items: Iterable[Item],
        /,
        *,
        weight: Callable[[Item], int] | None = None,
    ) -> Iterator[Result]:
        """Yield the function's results in the items' order.

        ``weight`` says how much of memory an item takes while it waits, by a measure of its own.
        """
        ...
