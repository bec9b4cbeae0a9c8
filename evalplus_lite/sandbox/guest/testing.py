"""A task's unit tests inside the sandbox, and the values that their assertions see.

Like ``child`` it is sent as *text*, into the same namespace, and imports only the standard library.
Expected values are not here: ``tasks/unit_tests.py`` has removed them from the tests.
"""

from __future__ import annotations

import builtins
import contextlib
import copy
import os
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # the text of that module has run in this namespace
    from evalplus_lite.values.encoding import NotPlain, plain

Names = dict[str, Any]
BUILTIN = {each: name for name, each in vars(builtins).items() if isinstance(each, type)}
"""The builtin classes, recorded before the program runs."""
BASES_OF = type.__dict__["__mro__"].__get__
MOST_TEXT = 2000


class Tested:
    """Runs a test for each case, and answers with the number and values of each assertion.

    It works in the scratch folder, where tests may write files.
    """

    def __init__(self, names: Names, tests: str) -> None:
        self.names, self.seen = names, list[list[Any]]()
        with contextlib.suppress(OSError):
            os.chdir("/tmp")  # creating a folder or leaving a file there would cost the worker
        names |= {
            "__seen__": self.see,
            "__raising__": self.raising,
            "__deciding__": self.deciding,
            "__kinds__": kinds,
        }
        exec(compile(tests, "<tests>", "exec", dont_inherit=True), names)

    def __call__(self, suite: str, name: str) -> list[list[Any]]:
        self.seen = []
        owner = self.names[suite]
        owner.setUpClass()
        try:
            test = owner(name)
            test.setUp()
            try:
                getattr(test, name)()
            finally:
                test.tearDown()
                test.doCleanups()
        finally:
            owner.tearDownClass()
            owner.doClassCleanups()
        return self.seen

    def see(self, number: int, *values: Any) -> None:
        self.seen.append([number, *map(shown, values)])

    def deciding(self, number: int, assertion: Any, *values: Any, **options: Any) -> None:
        """Record both sides of an assertion; if they are objects, decide it here."""
        both = (*values, *options.values())
        if assertion.__name__ in ("assertIs", "assertIsNot") or not all(map(is_value, both)):
            assertion(*values, **options)
            both = ({"decided": True},)
        self.see(number, *both)

    def raising(self, number: int, *call: Any, **options: Any) -> Raising | None:
        context = Raising(self, number)
        if not call:
            return context
        with context:
            call[0](*call[1:], **options)
        return None


class Raising:
    """Records the exception that a block of statements raises: its class names and text."""

    def __init__(self, tested: Tested, number: int) -> None:
        self.tested, self.number = tested, number
        self.exception: BaseException | None = None

    def __enter__(self) -> Raising:
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> bool:
        self.exception = error
        fact = None if error is None else [kinds(error), str(error)]
        self.tested.see(self.number, fact)
        return isinstance(error, Exception)


def kinds(value: Any) -> list[str]:
    """Return the classes of a value, each with its module, because class names may be faked.

    A class that its module does not have under its name counts as the program's.
    """
    return [class_name(each) for each in BASES_OF(type(value))]


def class_name(kind: type) -> str:
    if kind in BUILTIN:
        return "builtins." + BUILTIN[kind]
    name, module = kind.__name__, str(kind.__module__)
    is_there = getattr(sys.modules.get(module), name, None) is kind
    return f"{module if is_there and module != 'builtins' else 'program'}.{name}"


def shown(value: Any) -> Any:
    """Return a copy of a value, as later lines may change it, or facts if it cannot be sent."""
    if is_value(value):
        return copy.deepcopy(value)
    truth = False
    with contextlib.suppress(Exception):
        truth = bool(value)
    fact: dict[str, Any] = {"no plain value": kinds(value), "truth": truth}
    with contextlib.suppress(Exception):
        text = repr(value)
        if type(text) is str and " at 0x" not in text:
            fact["text"] = text[:MOST_TEXT]
    if hasattr(type(value), "__len__") and hasattr(type(value), "__iter__"):
        with contextlib.suppress(Exception):
            items = list(value)  # only for sized values, which iteration does not consume
            if is_value(items):
                fact["items"] = copy.deepcopy(items)
    return fact


def is_value(value: Any) -> bool:
    try:
        plain(value, 0)
    except (NotPlain, TypeError):  # also for unhashable values
        return False
    return True
