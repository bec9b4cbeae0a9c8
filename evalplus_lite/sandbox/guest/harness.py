"""What runs inside the sandbox to invoke a program on a case: one way for each kind of task.

Like ``child`` it is sent as *text*, into the same namespace, and imports the standard library only.
``bind`` returns a function of a case's arguments, so that what counts steps, watches branches or
orders things otherwise works with every kind: it brings its own way to execute the program.
"""

from __future__ import annotations

import contextlib
import copy
import io
import itertools
import sys
import types
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # the text of that module has run in this namespace
    from evalplus_lite.sandbox.guest.script import RAISED, Script
    from evalplus_lite.sandbox.guest.testing import Tested

Names = dict[str, Any]
EMPTY: Mapping[str, Any] = {}


def bind(
    execute: Callable[[], Names], entry_point: str, spec: Mapping[str, Any]
) -> Callable[..., Any]:
    """Return what is called on each case; ``spec`` is the ``row`` of a ``Harness``.

    ``execute`` runs the program's text and returns its names: once here, or for a script on each
    case.
    """
    kind = spec.get("kind", "call")
    if kind == "script":
        return Script(execute, spec)
    names = execute()
    function: Callable[..., Any]
    if kind == "unittest":
        return Tested(names, spec["tests"])
    if kind == "assertions":
        function = Evaluation(names)
    elif kind == "sequence":
        function = Sequenced(found(names, entry_point), spec)
    elif kind == "method":
        owner, _, method = entry_point.partition(".")
        function = Method(found(names, owner), method, bool(spec.get("constructed")))
    else:
        function = found(names, entry_point)
    return Observing(function, spec) if spec.keys() - {"kind", "constructed"} else function


def found(names: Names, name: str) -> Any:
    if name not in names:
        raise NameError(f"the program does not define {name}")
    return names[name]


class Method:
    """Calls a method of an object made anew for each case."""

    def __init__(self, owner: Callable[..., Any], name: str, constructed: bool) -> None:
        self.owner, self.name, self.constructed = owner, name, constructed

    def __call__(self, *arguments: Any) -> Any:
        if self.constructed:
            return getattr(self.owner(*arguments[0]), self.name)(*arguments[1:])
        return getattr(self.owner(), self.name)(*arguments)


class Sequenced:
    """Makes an object and calls it as a case says; answers with what each call gave.

    What the constructor gives is None; a method that returns the object itself gives ``"self"``.
    """

    def __init__(self, owner: Callable[..., Any], spec: Mapping[str, Any]) -> None:
        self.owner = owner
        self.name = getattr(owner, "__name__", "")
        self.raises = "exception" in spec.get("observe", ())
        self.message = "message" in spec.get("observe", ())

    def __call__(self, *calls: Sequence[Any]) -> list[Any]:
        answers: list[Any] = []
        if calls and calls[0][0] == self.name:
            owner = self.owner(*calls[0][1:])
            answers.append(None)
            calls = calls[1:]
        else:
            owner = self.owner()
        for name, *arguments in calls:
            try:
                member = getattr(owner, name)
                answer = member(*arguments) if callable(member) else member
            except Exception as error:
                if not self.raises:
                    raise
                answer = {RAISED: fault(error, self.message)}
            # A later call may change what this one gave.
            answers.append("self" if answer is owner else copy.deepcopy(answer))
        return answers


class Evaluation:
    """Evaluates an expression among a program's names."""

    def __init__(self, names: Names) -> None:
        self.names = names

    def __call__(self, expression: str) -> Any:
        return eval(expression, self.names)


def fault(error: BaseException, message: bool) -> Any:
    name = type(error).__name__
    return [name, str(error)] if message else name


class Observing:
    """Calls a function and answers with what is to be observed."""

    def __init__(self, function: Callable[..., Any], spec: Mapping[str, Any]) -> None:
        self.function = function
        self.observe = tuple(spec.get("observe", ("value",)))
        self.items, self.awaited = spec.get("items", 0), spec.get("awaited", False)
        self.raises = "exception" in self.observe and spec.get("kind") != "sequence"
        self.message = "message" in self.observe

    def __call__(self, *arguments: Any) -> Any:
        seen: dict[str, Any] = {}
        usual, sys.stdout = sys.stdout, io.StringIO() if "printed" in self.observe else sys.stdout
        printed = sys.stdout
        try:
            seen["value"] = self.value(arguments)
        except Exception as error:
            if not self.raises:
                raise
            seen[RAISED] = fault(error, self.message)
        finally:
            sys.stdout = usual
        if "printed" in self.observe:
            seen["printed"] = printed.getvalue() if isinstance(printed, io.StringIO) else ""
        if "arguments" in self.observe:
            seen["arguments"] = list(arguments)
        answers = {key: seen[key] for key in seen if key in self.observe or key == RAISED}
        if RAISED not in answers and len(answers) == 1:
            return next(iter(answers.values()))
        return answers

    def value(self, arguments: Sequence[Any]) -> Any:
        value = self.function(*arguments)
        if self.awaited:
            import asyncio  # a tenth of a second, which others need not spend

            async def wait() -> Any:
                return await value

            value = asyncio.run(wait())
        if self.items and not isinstance(value, (str, bytes, list, tuple, set, frozenset, dict)):
            value = self.first(value)
        return value

    def first(self, value: Any) -> Any:
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


class Execution:
    """Runs a program's code in a module of its own, anew each time; ``names`` are the last one's.

    ``given`` names are there before the program's first line.
    """

    def __init__(
        self, code: types.CodeType, spec: Mapping[str, Any], given: Mapping[str, Any] = EMPTY
    ) -> None:
        self.code, self.given = code, given
        self.name = "__main__" if spec.get("kind") == "script" else "program"
        self.names: Names = {}

    def __call__(self) -> Names:
        module = sys.modules[self.name] = types.ModuleType(self.name)
        module.__file__ = "<program>"
        self.names = module.__dict__
        self.names.update(self.given)
        exec(self.code, self.names)
        return self.names


def watched(
    source: str, entry_point: str, spec: Mapping[str, Any], hits: str
) -> Callable[..., Any]:
    """Return a function that answers with what the program's set ``hits`` holds after a call."""
    code = compile(source, "<program>", "exec", dont_inherit=True)
    execution = Execution(code, spec)
    function = bind(execution, entry_point, spec)

    def measured(*arguments: Any) -> list[Any]:
        if hits in execution.names:
            execution.names[hits].clear()
        with contextlib.suppress(Exception):
            function(*arguments)
        return sorted(execution.names[hits])

    return measured
