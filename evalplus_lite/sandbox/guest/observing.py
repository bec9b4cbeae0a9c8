"""Observation of a call inside the sandbox: its value, and anything else that a task compares.

Like ``child`` it is sent as *text*, into the same namespace, and imports only the standard library.
"""

from __future__ import annotations

import itertools
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # the text of that module has run in this namespace
    from evalplus_lite.sandbox.guest.script import HANDLES, RAISED, printed

LONGEST_MESSAGE = 2000
WHOLE = (type(None), int, float, complex, str, bytes)


class Observing:
    """Calls a function and answers with everything that is observed."""

    def __init__(
        self,
        function: Callable[..., Any],
        spec: Mapping[str, Any],
        output: CapturedStdout | None = None,
    ) -> None:
        self.function, self.output = function, output
        self.observe = tuple(spec.get("observe", ("value",)))
        self.items, self.awaited = spec.get("items", 0), spec.get("awaited", False)
        self.attributes = tuple(spec.get("attributes", ()))
        self.raises = "exception" in self.observe and spec.get("kind") != "sequence"
        self.faults = ExceptionFormatter(spec)

    def __call__(self, *arguments: Any) -> Any:
        if self.output is not None:
            self.output.clear()
        seen: dict[str, Any] = {}
        try:
            seen["value"] = self.value(arguments)
        except Exception as error:
            if not (self.raises and self.faults.known(error)):
                raise
            seen[RAISED] = self.faults.described(error)
        if self.output is not None:
            seen["printed"] = self.output.text()
        if "arguments" in self.observe:
            seen["arguments"] = list(arguments)
        answers = {key: seen[key] for key in seen if key in self.observe or key == RAISED}
        if RAISED not in answers and len(answers) == 1:
            return next(iter(answers.values()))
        return answers

    def value(self, arguments: Sequence[Any]) -> Any:
        value = self.function(*arguments)
        if self.awaited:
            import asyncio  # takes a tenth of a second, so only if needed

            async def wait() -> Any:
                return await value

            value = asyncio.run(wait())
        if self.items and not isinstance(value, (str, bytes, set, frozenset, dict)):
            value = self.first(value)
        return described(value, self.attributes, set()) if self.attributes else value

    def first(self, value: Any) -> Any:
        """Return the first items of an ordered iterable as a list."""
        if hasattr(value, "__aiter__"):
            import asyncio

            async def some() -> list[Any]:
                answers: list[Any] = []
                async for item in value:
                    answers.append(item)
                    if len(answers) == self.items:
                        break
                return answers

            return asyncio.run(some())
        if hasattr(value, "__iter__"):
            return list(itertools.islice(value, self.items))
        return value


class ExceptionFormatter:
    """Describes an exception by the first requested name that applies, or by its own name.

    The names that apply are those of its class and base classes. If names are requested, an
    exception with none of them is not an answer.
    """

    def __init__(self, spec: Mapping[str, Any]) -> None:
        self.names = tuple(spec.get("exceptions", ()))
        self.message = "message" in spec.get("observe", ())

    def known(self, error: BaseException) -> bool:
        if isinstance(error, MemoryError):  # one of our limits
            return False
        return not self.names or bool(self.found(error))

    def found(self, error: BaseException) -> str:
        above = {each.__name__ for each in type(error).__mro__}
        return next((name for name in self.names if name in above), "")

    def described(self, error: BaseException) -> Any:
        name = self.found(error) or type(error).__name__
        return [name, str(error)[:LONGEST_MESSAGE]] if self.message else name


class CapturedStdout:
    """Standard output as a file in memory, for any way of writing to it."""

    def __init__(self) -> None:
        os.dup2(HANDLES[1], 1)
        options: dict[str, Any] = {"encoding": "utf-8", "errors": "surrogateescape"}
        self.stream = open(1, "w", closefd=False, **options)  # noqa: SIM115 - it outlives us
        sys.stdout = sys.__stdout__ = self.stream  # type: ignore[misc]

    def clear(self) -> None:
        self.stream.flush()  # output from loading the program
        os.ftruncate(HANDLES[1], 0)
        os.lseek(HANDLES[1], 0, os.SEEK_SET)
        os.dup2(HANDLES[1], 1)  # the last case may have closed it

    def text(self) -> str:
        self.stream.flush()
        return printed()


def described(value: Any, names: Sequence[str], above: set[int]) -> Any:
    """Return a value with each object in it replaced by its attributes with these names.

    ``above`` are the enclosing objects; an object that contains itself is rejected. A callable
    attribute, such as a method, is replaced by its result.
    """
    if isinstance(value, WHOLE):
        return value
    if id(value) in above:
        raise ValueError("an object that holds itself")
    above.add(id(value))
    try:
        if type(value) in (list, tuple):
            return type(value)([described(item, names, above) for item in value])
        if type(value) is dict:
            return {key: described(item, names, above) for key, item in value.items()}
        attributes = {name: getattr(value, name) for name in names if hasattr(value, name)}
        if not attributes:
            return value
        parts = {name: part() if callable(part) else part for name, part in attributes.items()}
        return {"attributes": {name: described(part, names, above) for name, part in parts.items()}}
    finally:
        above.discard(id(value))
