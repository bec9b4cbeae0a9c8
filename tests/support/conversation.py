"""Sources that say what they are told to, and what is asked of them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from evalplus_lite.exe.inputs.validators import Executed
from evalplus_lite.exe.running.runs import CallResult, Invocation
from evalplus_lite.exe.selecting.signatures import Parameter, Signature
from evalplus_lite.generate.domains.annotations import read_type
from evalplus_lite.models import Reply, Request, Usage


class Scripted:
    """A source that says what it is told to, and remembers what it was asked."""

    model = "scripted"
    usage = Usage()

    def __init__(self, replies: Iterable[str] | Callable[[Request], str]) -> None:
        self.answer = replies if callable(replies) else None
        self.replies = iter(()) if callable(replies) else iter(replies)
        self.asked: list[Request] = []

    def ask(self, request: Request, *, cut_off: str = "error") -> Reply:
        self.asked.append(request)
        said = self.answer(request) if self.answer else next(self.replies)
        return Reply(text=said, prompt_tokens=100, completion_tokens=10)

    def each(self, function: Callable[[Any], Any], items: Iterable[Any]) -> Iterator[Any]:
        return map(function, items)


def signature(*kinds: str, result: str = "int") -> Signature:
    """Return a signature of positional parameters a, b, c ... of these types."""
    parameters = tuple(
        Parameter("abcdef"[n], "positional", read_type(kind)) for n, kind in enumerate(kinds)
    )
    return Signature(parameters, read_type(result))


def answer(args: Sequence[Any]) -> str:
    """Return one test case as a model writes it."""
    names = "abcdef"
    rows = [{"args": dict(zip(names, a, strict=False)), "kwargs": {}} for a in args]
    return json.dumps({"test_cases": rows})


# Schemas


def convert(calls: list[Invocation]) -> list[Executed]:
    """Execute a small pure function of this test's own: a % 7, error below zero."""
    found = []
    for call in calls:
        (number,) = call.args
        if number < 0:
            result = CallResult("error", type="ValueError", message="below")
        elif number > 10**6:
            result = CallResult("slow", message="more than 1 s")
        else:
            result = CallResult("value", value=str(number % 7))
        found.append(Executed(call, result))
    return found


def modulo(toys: Any) -> Any:
    """Return a mined function that fits ``convert``."""
    body = 'def mod(a: int) -> str:\n    """Mod."""\n    return str(a % 7)\n'
    functions, _ = toys.mined({"toy.py": body})
    return functions["toy.mod"]
