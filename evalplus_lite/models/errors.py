"""Errors of a model server, each one line with a remedy."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Literal, Protocol, TypeAlias, TypeVar

from evalplus_lite.errors import LLMError
from evalplus_lite.models.messages import Reply, Request, Usage

_LONGEST = 300
# Servers differ: "maximum context length" (OpenAI, vLLM), "available context size" (llama.cpp).
_TOO_LONG = re.compile(
    r"context_length_exceeded|exceed_context_size|context.{0,40}(length|window|size)"
    r"|(prompt|input|request) is too (long|large)|maximum.{0,40}input.{0,20}tokens",
    re.DOTALL,
)
# Not "model" alone: messages say that other things are "not supported with this model".
_NO_MODEL = re.compile(
    r"model_not_found|(no such|unknown|invalid|unrecognized) model"
    r"|\bmodels?\b.{0,120}(not found|not exist|not available|unavailable|not loaded|not served"
    r"|is unknown|is invalid)|not found.{0,40}\bmodel\b|no model\b",
    re.DOTALL,
)


class RefusalError(LLMError):
    """The model, or a filter in front of it, declined this request; others may succeed."""


class CutOffError(LLMError):
    """The answer reached its token limit; others may be shorter."""


class ServerError(LLMError):
    """The server gave no usable answer to this request; others may succeed."""


class TooLongError(LLMError):
    """The request exceeds the model's context; shorter ones may fit."""


class LongAnswerError(CutOffError, ServerError):
    """The answer exceeds the maximum length that is read; others may be shorter."""


class NotRecordedError(LLMError):
    """A record of replies has none for this request."""


def is_about_request(error: LLMError) -> bool:
    """Return whether an error concerns one request: refused, cut off, or too long for the model.

    Other errors concern the server or the account and end a run, which can resume later.
    """
    return isinstance(error, RefusalError | CutOffError | TooLongError)


def too_slow(url: str, *, seconds: float) -> ServerError:
    """Return the error for a server that does not answer in time."""
    return ServerError(
        f"{url} did not answer within {seconds:g} seconds (raise --timeout, lower --concurrency,"
        " or ask for fewer tokens)"
    )


def no_answer(url: str, *, what: str) -> ServerError:
    """Return the error for an answer that violates the protocol."""
    return ServerError(
        f"{url} answered, but not as an OpenAI-compatible server does: {short(what)}"
        " (the base URL usually ends in /v1)"
    )


def from_status(
    status: int, *, code: str | None, message: str, model: str, url: str, models: tuple[str, ...]
) -> LLMError:
    """Return the error for an HTTP error status, by ``status``, ``code`` and ``message``.

    ``models`` are the model names that the server offers, as far as known.
    """
    said = short(message)
    lower = f"{code or ''} {message}".lower()
    if 300 <= status < 400:
        return LLMError(
            f"{url} answers with a redirection (HTTP {status}), which is not followed: the key and"
            " the tasks are for the server you name (give the address it redirects to)"
        )
    if "content_filter" in lower or "content management policy" in lower:
        return RefusalError(
            f"{url} refused the request by its content filter: {said}"
            " (reword the task's prompt, or use another model)"
        )
    if status == 401:
        return LLMError(f"{url} does not accept the API key: {said} (check OPENAI_API_KEY)")
    if status == 403:
        return LLMError(f"{url} does not allow this: {said} (check that the key may use {model!r})")
    if status in (400, 404) and _NO_MODEL.search(lower):
        known = (
            f"it offers {short(', '.join(models[:8]))}" if models else "list its models at /models"
        )
        return LLMError(f"{url} has no model {model!r}: {said} ({known})")
    if status in (404, 405):
        return LLMError(
            f"{url} has nothing at this address: {said} (the base URL usually ends in /v1)"
        )
    if status == 413 or _TOO_LONG.search(lower):
        return TooLongError(
            f"the request is too long for {model!r}: {said}"
            " (allow fewer tokens, or serve the model with a longer context)"
        )
    if status in (402, 429):
        return LLMError(
            f"{url} still turns requests away: {said}"
            " (lower the concurrency, wait, or check the account's quota)"
        )
    if status >= 500:
        return ServerError(
            f"{url} failed (HTTP {status}): {said} (see the server's log, run again)"
        )
    if "temperature" in lower:
        return LLMError(
            f"{url} does not take this temperature: {said}"
            " (give another with --temperature: models that reason often take 1 alone)"
        )
    return LLMError(f"{url} did not accept the request (HTTP {status}): {said}")


def short(text: str) -> str:
    """Return a server's text as one line of limited length."""
    line = " ".join(text.split()) or "no reason given"
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 3]}..."


# Sources of replies: the common interface of a live client and a recording.

# For an answer that reached its token limit: raise CutOffError, or return it.
CutOffRule: TypeAlias = Literal["error", "keep"]

Item = TypeVar("Item")
Result = TypeVar("Result")


class ModelSource(Protocol):
    """Something that answers requests to one model."""

    @property
    def model(self) -> str:
        """The model's name, which requests to this source must have."""
        ...

    @property
    def usage(self) -> Usage:
        """The usage so far."""
        ...

    def ask(self, request: Request, *, cut_off: CutOffRule = "error") -> Reply:
        """Return the reply; raise an LLMError (of this module's kinds) if there is none."""
        ...

    def each(self, function: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
        """Yield ``function(item)`` in the order of items, concurrently where that helps."""
        ...


def checked(reply: Reply, *, request: Request, cut_off: CutOffRule) -> Reply:
    """Return a usable reply; raise RefusalError or CutOffError for others."""
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
