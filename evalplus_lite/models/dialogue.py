"""A dialogue with a model: every request sends all earlier messages."""

from __future__ import annotations

from dataclasses import dataclass, field

from evalplus_lite.errors import LLMError
from evalplus_lite.models.errors import ModelSource, is_about_request
from evalplus_lite.models.messages import Message, Reply, Request


@dataclass(slots=True, kw_only=True)
class Dialogue:
    """The messages so far and their cost; the settings are those of ``Request``."""

    source: ModelSource
    temperature: float | None = None
    max_tokens: int | None = None
    messages: list[Message] = field(default_factory=list)
    requests: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    problem: str = ""
    """The reason why the last request has no reply."""

    def ask(self, text: str, *, index: int = 0) -> Reply | None:
        """Send a message and return the reply, cut off or not; None if this request got none.

        Raises LLMError if no other request would get a reply either.
        """
        self.messages.append(Message("user", _sendable(text)))
        request = Request(
            model=self.source.model,
            messages=tuple(self.messages),
            temperature=self.temperature,
            max_tokens=self.max_tokens,
            index=index,
        )
        try:
            reply = self.source.ask(request, cut_off="keep")
        except LLMError as error:
            if not is_about_request(error):
                raise
            self.problem = str(error)
            return None
        self.requests += 1
        self.prompt_tokens += reply.prompt_tokens
        self.completion_tokens += reply.completion_tokens
        self.messages.append(Message("assistant", _sendable(reply.text) or "(nothing)"))
        return reply


def _sendable(text: str) -> str:
    """Return a text that UTF-8 can encode, with lone surrogates escaped."""
    return text.encode("utf-8", "backslashreplace").decode()
