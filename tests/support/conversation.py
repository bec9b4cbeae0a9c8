"""Sources that say what they are told to, and what is asked of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from evalplus_lite.errors import LLMError
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


class Failing(Scripted):
    """A source whose every request fails the same way."""

    def __init__(self, error: LLMError) -> None:
        super().__init__(())
        self.error = error

    def ask(self, request: Request, *, cut_off: str = "error") -> Reply:
        self.asked.append(request)
        raise self.error


def modulo(toys: Any) -> Any:
    """Return a small mined function."""
    body = 'def mod(a: int) -> str:\n    """Mod."""\n    return str(a % 7)\n'
    functions, _ = toys.mined({"toy.py": body})
    return functions["toy.mod"]
