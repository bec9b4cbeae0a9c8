"""Where replies come from: what a live client and a record of replies have in common."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Literal, Protocol, TypeAlias, TypeVar

from evalplus_lite.llm.errors import CutOffError, RefusalError
from evalplus_lite.llm.messages import Reply, Request, Usage

# What to do with an answer that reached its token limit: raise CutOffError, or return it.
CutOffRule: TypeAlias = Literal["error", "keep"]

Item = TypeVar("Item")
Result = TypeVar("Result")


class ModelSource(Protocol):
    """Something that answers requests to one model."""

    @property
    def model(self) -> str:
        """The model's name: what requests to this source must carry."""
        ...

    @property
    def usage(self) -> Usage:
        """What was asked so far."""
        ...

    def ask(self, request: Request, *, cut_off: CutOffRule = "error") -> Reply:
        """Return the reply; raise an LLMError (of this module's kinds) if there is none."""
        ...

    def each(self, function: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
        """Yield ``function(item)`` in the order of items, several at once where that helps."""
        ...


def checked(reply: Reply, *, request: Request, cut_off: CutOffRule) -> Reply:
    """Return a reply that can be used; RefusalError or CutOffError if it cannot."""
    if reply.refusal is not None or reply.finish == "content_filter":
        words = " ".join((reply.refusal or "content filter").split())[:200]
        raise RefusalError(
            f"{request.model} refused the request: {words}"
            " (reword the task's prompt, or use another model)"
        )
    if reply.finish == "length" and cut_off == "error":
        limit = request.max_tokens
        cut = "its own limit" if limit is None else f"max_tokens={limit}"
        raise CutOffError(
            f"{request.model}'s answer was cut off at {cut}"
            f" after {reply.completion_tokens} tokens (allow more tokens, or ask for less at once)"
        )
    return reply
