"""Invocation of a program on a case inside the sandbox, for each kind of task.

Like ``child`` it is sent as *text*, into the same namespace, and imports only the standard library.
``bind`` returns a function of a case's arguments. Code that counts steps, observes branches or
changes orders works with every kind, because it passes its own way to execute the program.
"""

from __future__ import annotations

import contextlib
import copy
import sys
import types
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # the text of that module has run in this namespace
    from evalplus_lite.sandbox.guest.checking import Checking
    from evalplus_lite.sandbox.guest.observing import CapturedStdout, ExceptionFormatter, Observing
    from evalplus_lite.sandbox.guest.script import RAISED, Script
    from evalplus_lite.sandbox.guest.testing import Tested

Names = dict[str, Any]
OBSERVED = ("observe", "items", "awaited", "attributes")
EMPTY: Mapping[str, Any] = {}


def bind(
    execute: Callable[[], Names], entry_point: str, spec: Mapping[str, Any]
) -> Callable[..., Any]:
    """Return the function to call on each case; ``spec`` is the ``row`` of a ``Harness``.

    ``execute`` runs the program's text and returns its names. It is called here once, or for a
    script on each case.
    """
    kind = spec.get("kind", "call")
    if kind == "script":
        return Script(execute, spec)
    # Before the program runs, as it may store a reference to the stream.
    output = CapturedStdout() if "printed" in spec.get("observe", ()) else None
    names = execute()
    function: Callable[..., Any]
    if kind == "unittest":
        return Tested(names, spec["tests"])
    if "classes" in spec:
        return Checking(found(names, entry_point), names, spec["classes"])
    if kind == "assertions":
        function = ExpressionEvaluator(names)
    elif kind == "sequence":
        function = Sequenced(found(names, entry_point), entry_point, spec)
    elif kind == "method":
        owner, _, method = entry_point.partition(".")
        function = Method(found(names, owner), method, bool(spec.get("constructed")))
    else:
        function = found(names, entry_point)
        if kind == "factory":
            function = Factory(function)
    if "code" in spec or "keywords" in spec:
        function = ArgumentDecoder(function, spec)
    if any(part in spec for part in OBSERVED):
        function = Observing(function, spec, output)
    return function


def found(names: Names, name: str) -> Any:
    if name not in names:
        raise NameError(f"the program does not define {name}")
    return names[name]


class Method:
    """Calls a method of a new object for each case."""

    def __init__(self, owner: Callable[..., Any], name: str, constructed: bool) -> None:
        self.owner, self.name, self.constructed = owner, name, constructed

    def __call__(self, *arguments: Any) -> Any:
        if self.constructed:
            return getattr(self.owner(*arguments[0]), self.name)(*arguments[1:])
        return getattr(self.owner(), self.name)(*arguments)


class Factory:
    """Calls a function that returns a function, and answers with the results of calling that."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function

    def __call__(self, first: Sequence[Any], *calls: Sequence[Any]) -> list[Any]:
        made = self.function(*first)
        # A later call may mutate this result.
        return [copy.deepcopy(made(*arguments)) for arguments in calls]


class ArgumentDecoder:
    """Calls a function with decoded arguments: values of code, keyword arguments."""

    def __init__(self, function: Callable[..., Any], spec: Mapping[str, Any]) -> None:
        self.function = function
        self.code, self.keywords = frozenset(spec.get("code", ())), spec.get("keywords", False)
        self.compiled: dict[str, tuple[types.CodeType, bool]] = {}

    def __call__(self, *arguments: Any) -> Any:
        if self.code:
            arguments = tuple(
                self.made(argument) if place in self.code else argument
                for place, argument in enumerate(arguments)
            )
        if self.keywords:
            return self.function(*arguments[:-1], **arguments[-1])
        return self.function(*arguments)

    def made(self, part: Any) -> Any:
        """Return an argument with each text of code in it replaced by its value."""
        if type(part) is str:
            return self.run(part)
        if type(part) in (list, tuple):
            return type(part)([self.made(item) for item in part])
        if type(part) is dict:
            return {key: self.made(item) for key, item in part.items()}
        return part

    def run(self, text: str) -> Any:
        """Return the value of an expression, or of the last name that a piece of code binds.

        It runs again for each case, so that cases share no state.
        """
        if text not in self.compiled:
            try:
                self.compiled[text] = compile(text.strip(), "<argument>", "eval"), True
            except SyntaxError:
                self.compiled[text] = compile(text, "<argument>", "exec"), False
        code, is_expression = self.compiled[text]
        names: Names = {"__name__": "argument"}
        if is_expression:
            return eval(code, names)
        exec(code, names)
        return next(reversed(names.values()))


class Sequenced:
    """Builds an object and makes a case's calls on it; answers with the result of each call.

    The constructor's result is None; a method that returns the object itself gives ``"self"``.
    """

    def __init__(self, owner: Callable[..., Any], name: str, spec: Mapping[str, Any]) -> None:
        # The task's name, as the class may have another one: ``Stack = make_stack()``.
        self.owner, self.name = owner, name
        self.raises = "exception" in spec.get("observe", ())
        self.faults = ExceptionFormatter(spec)

    def __call__(self, *calls: Sequence[Any]) -> list[Any]:
        answers: list[Any] = []
        if calls and calls[0][0] == self.name:
            owner = self.owner(*calls[0][1:])
            answers.append(None)
            calls = calls[1:]
        elif all(self.is_static(call[0]) for call in calls):
            owner = self.owner
        else:
            owner = self.owner()
        for name, *arguments in calls:
            try:
                member = getattr(owner, name)
                answer = member(*arguments) if callable(member) else member
            except Exception as error:
                if not (self.raises and self.faults.known(error)):
                    raise
                answer = {RAISED: self.faults.described(error)}
            # A later call may mutate this result.
            answers.append("self" if answer is owner else copy.deepcopy(answer))
        return answers

    def is_static(self, name: str) -> bool:
        """Return whether a method needs no object."""
        for each in getattr(self.owner, "__mro__", ()):
            if name in vars(each):
                return isinstance(vars(each)[name], (staticmethod, classmethod))
        return False


class ExpressionEvaluator:
    """Evaluates an expression in a program's namespace."""

    def __init__(self, names: Names) -> None:
        self.names = names

    def __call__(self, expression: str) -> Any:
        return eval(expression, self.names)


class Execution:
    """Runs a program's code in a new module each time; ``names`` are those of the last run.

    ``given`` names are defined before the program's first line.
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
    """Return a function that calls the program and returns the content of its set ``hits``."""
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
