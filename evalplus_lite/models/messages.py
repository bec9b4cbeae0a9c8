"""Messages to and from a model, as frozen records that can be written to files."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Literal, TypeAlias, cast

from evalplus_lite.errors import InputError

Role: TypeAlias = Literal["system", "user", "assistant"]


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a conversation."""

    role: Role
    content: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A request to a model: a conversation (``messages``) or a text to continue (``prompt``).

    ``temperature`` None leaves the choice to the server, 0 is greedy; ``max_tokens`` limits the
    answer; ``stop`` are stop strings. ``schema`` is the text of a JSON schema that the answer must
    satisfy (ignored for a server without support). ``index`` tells samples of one request apart
    and is sent as sampling seed.
    """

    model: str
    messages: tuple[Message, ...] = ()
    prompt: str | None = None
    temperature: float | None = None
    max_tokens: int | None = None
    stop: tuple[str, ...] = ()
    schema: str | None = None
    index: int = 0

    def to_json(self) -> dict[str, Any]:
        """Return the fields that are set, for JSON."""
        row: dict[str, Any] = {
            "model": self.model,
            "messages": [[turn.role, turn.content] for turn in self.messages] or None,
            "prompt": self.prompt,
            "temperature": None if self.temperature is None else float(self.temperature),
            "max_tokens": self.max_tokens,
            "stop": list(self.stop) or None,
            "schema": self.schema,
            "index": self.index or None,
        }
        return {name: value for name, value in row.items() if value is not None}

    @property
    def key(self) -> str:
        """The SHA-256 of everything that decides the answer; equal requests have equal keys."""
        text = json.dumps(self.to_json(), sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode("ascii")).hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """A model's answer; ``finish`` is ``stop`` for a natural end, ``length`` at the limit.

    ``refusal`` is the model's message if it declined. ``structured``: whether the server enforced
    the request's schema. ``date`` is UTC, in seconds.
    """

    text: str
    finish: str = "stop"
    refusal: str | None = None
    prompt_tokens: int = 0
    completion_tokens: int = 0
    model: str = ""
    date: str = ""
    structured: bool = False

    def to_json(self) -> dict[str, Any]:
        """Return the reply as plain data for JSON."""
        row: dict[str, Any] = {"text": self.text, "finish": self.finish}
        if self.refusal is not None:
            row["refusal"] = self.refusal
        row["usage"] = [self.prompt_tokens, self.completion_tokens]
        row |= {"model": self.model, "date": self.date, "structured": self.structured}
        return row


@dataclass(frozen=True, slots=True)
class Exchange:
    """A request with its reply: a row in a file of recorded replies."""

    request: Request
    reply: Reply

    def to_json(self) -> dict[str, Any]:
        """Return the row, with the request's key first."""
        return {
            "key": self.request.key,
            "request": self.request.to_json(),
            "reply": self.reply.to_json(),
        }

    @classmethod
    def from_json(
        cls, row: Mapping[str, Any], *, path: object = None, line: int | None = None
    ) -> Exchange:
        """Parse a row; raise InputError if it is invalid or its key does not match."""
        try:
            asked, said = dict(row["request"]), dict(row["reply"])
            turns = [
                Message(cast("Role", role), content) for role, content in asked.get("messages", [])
            ]
            request = Request(
                **(asked | {"messages": tuple(turns), "stop": tuple(asked.get("stop", ()))})
            )
            before, after = said.pop("usage")
            reply = Reply(**said, prompt_tokens=before, completion_tokens=after)
            key = row["key"]
        except (KeyError, TypeError, ValueError) as error:
            raise InputError(
                f"is not a recorded reply: {type(error).__name__}: {error}",
                path=path,
                line=line,
                remedy="record it again",
            ) from None
        if key != request.key:
            raise InputError(
                "the recorded request is not the one that its key names",
                path=path,
                line=line,
                remedy="the file was edited or is damaged: record it again",
            )
        return cls(request, reply)


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """The usage of a source: requests answered by a server, and from a record.

    Tokens are the server's counts, of its answers (``prompt_tokens``, ``completion_tokens``) and of
    recorded ones (``recorded_tokens``, both kinds together), which cost nothing.
    """

    requests: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    recorded: int = 0
    recorded_tokens: int = 0

    def __add__(self, other: Usage) -> Usage:
        names = [each.name for each in fields(self)]
        return Usage(**{name: getattr(self, name) + getattr(other, name) for name in names})

    def cost(self, prices: Prices) -> float:
        """Return the cost of the server's own answers, in the currency of ``prices``."""
        return (
            self.prompt_tokens * prices.prompt + self.completion_tokens * prices.completion
        ) / 1e6


@dataclass(frozen=True, slots=True, kw_only=True)
class Prices:
    """A server's prices for a million tokens of the request and of the answer."""

    prompt: float
    completion: float
