"""The live client of an OpenAI-compatible server, through the ``openai`` library."""

from __future__ import annotations

import datetime
import json
import os
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, cast
from urllib.parse import urlsplit

from evalplus_lite.errors import LLMError
from evalplus_lite.models import errors
from evalplus_lite.models.errors import CutOffRule, Item, Result, ServerError, checked
from evalplus_lite.models.messages import Exchange, Reply, Request, Usage
from evalplus_lite.models.recorded import Cache

if TYPE_CHECKING:
    import openai

# Requests to an OpenAI-compatible server: its features, learned from rejections, and its answers.

_SCHEMA_WORDS = ("response_format", "json_schema", "grammar", "invalid schema")


@dataclass(frozen=True, slots=True)
class Dialect:
    """The features of the protocol that this server supports; narrowed by its rejections."""

    schema: Literal["json_schema", "json_object", "none"] = "json_schema"
    limit: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    seed: bool = True


def narrower(dialect: Dialect, request: Request, status: int, words: str) -> Dialect | None:
    """Return the dialect without the feature just rejected; None if it is not at fault."""
    lower = words.lower()
    if status in (401, 403, 404, 429):
        return None
    names_schema = any(word in lower for word in _SCHEMA_WORDS)
    if names_schema and request.schema is not None and dialect.schema != "none":
        schema: Literal["json_object", "none"] = "none"
        if dialect.schema == "json_schema":
            schema = "json_object"
        return replace(dialect, schema=schema)
    if "max_completion_tokens" in lower and dialect.limit == "max_tokens":
        return replace(dialect, limit="max_completion_tokens")
    if "seed" in lower and dialect.seed:
        return replace(dialect, seed=False)
    return None


MAX_TEXT = 1 << 20  # maximum characters of an answer: more than any program or token limit
MAX_REFUSAL = 2000  # maximum characters kept of a refusal
MAX_WORD = 200  # maximum characters kept of a model's name or finish reason


def options(request: Request, dialect: Dialect) -> dict[str, Any]:
    """Return a request as arguments of the library's ``create``."""
    arguments: dict[str, Any] = {"model": request.model}
    if request.temperature is not None:
        arguments["temperature"] = request.temperature
    if request.stop:
        arguments["stop"] = list(request.stop)
    if dialect.seed:
        arguments["seed"] = request.index
    if request.max_tokens is not None:
        limit = dialect.limit if request.prompt is None else "max_tokens"
        arguments[limit] = request.max_tokens
    if request.prompt is not None:
        return arguments | {"prompt": request.prompt}
    if request.schema is not None:
        arguments |= _form(json.loads(request.schema), dialect)
    messages = [{"role": turn.role, "content": turn.content} for turn in request.messages]
    return arguments | {"messages": messages}


def _form(schema: dict[str, Any], dialect: Dialect) -> dict[str, Any]:
    """Return the fields that enforce a schema, as far as the server supports it."""
    match dialect.schema:
        case "json_schema":
            body = {"name": "answer", "strict": True, "schema": schema}
            return {"response_format": {"type": "json_schema", "json_schema": body}}
        case "json_object":
            return {"response_format": {"type": "json_object", "schema": schema}}
    return {}


def reply_of(answer: Any, request: Request, dialect: Dialect, *, url: str) -> Reply:
    """Return the reply in a server's answer, checking its whole shape; may raise LLMError."""
    choices = getattr(answer, "choices", None)
    if not isinstance(choices, list) or not choices:
        raise errors.no_answer(url, what=str(answer or "an empty body"))
    choice = choices[0]
    message = getattr(choice, "message", None)
    if request.prompt is None:
        said = getattr(message, "content", None)
    else:
        said = getattr(choice, "text", None)
    if said is None and (message is None or request.prompt is not None):
        raise errors.no_answer(url, what="its choice has no text")
    refusal = getattr(message, "refusal", None)
    usage = getattr(answer, "usage", None)
    finish = _word(getattr(choice, "finish_reason", None)) or "stop"
    return Reply(
        text=_text(said, url),
        finish=finish,
        refusal=_text(refusal, url)[:MAX_REFUSAL] if refusal else None,
        prompt_tokens=_count(getattr(usage, "prompt_tokens", None)),
        completion_tokens=_count(getattr(usage, "completion_tokens", None)),
        model=_word(getattr(answer, "model", None)),
        date=datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        structured=request.schema is not None and dialect.schema != "none",
    )


def _text(said: object, url: str) -> str:
    """Return an answer's text, which some servers send in parts."""
    if isinstance(said, list):
        parts = [part.get("text") if isinstance(part, dict) else part for part in said]
        if all(isinstance(part, str) for part in parts):
            said = "".join(cast("list[str]", parts))
    if said is None:
        return ""
    if not isinstance(said, str):
        raise errors.no_answer(url, what=f"its text is of type {type(said).__name__}")
    if len(said) > MAX_TEXT:
        raise errors.LongAnswerError(
            f"{url} answered with {len(said)} characters, more than anybody asked for"
            " (allow fewer tokens)"
        )
    # A lone surrogate could not be sent back in a dialogue.
    return said.encode("utf-8", "replace").decode("utf-8")


def _count(value: object) -> int:
    """Return a server's token count; 0 if it is invalid."""
    return value if type(value) is int and 0 <= value < 1 << 53 else 0


def _word(value: object) -> str:
    """Return a short text from the server; "" for any other value."""
    return value[:MAX_WORD] if isinstance(value, str) else ""


_DEFAULT_URL = "https://api.openai.com/v1"
_LOOPBACK = ("localhost", "127.0.0.1", "::1")


class Client:
    """A model on a server: asks, waits, retries, caches every reply, and counts tokens.

    ``base_url`` defaults to OPENAI_BASE_URL and ``api_key`` to OPENAI_API_KEY; a server on this
    machine needs no key. ``timeout`` is in seconds, from a request to the last byte of its answer.
    The ``openai`` library retries requests that fail because of the server's load or the network,
    after the server's Retry-After or with growing delays, but not after a timeout. With ``cache``
    every reply is stored as a file, and an answered request is not sent again.
    """

    def __init__(
        self,
        model: str,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        concurrency: int = 8,
        timeout: float = 300.0,
        retries: int = 5,
        cache: Cache | None = None,
    ) -> None:
        """Prepare a client without sending anything.

        Raises LLMError if there is no key or the base URL is not a URL.
        """
        import openai

        from evalplus_lite.models.connection import Connection, UnretryableError

        if not 0 < timeout < threading.TIMEOUT_MAX:
            raise LLMError(f"a timeout of {timeout} seconds cannot be used (give one above 0)")
        self._openai, self._unusable = openai, UnretryableError
        self._model = model
        self.url = (base_url or os.environ.get("OPENAI_BASE_URL") or _DEFAULT_URL).rstrip("/")
        address = urlsplit(self.url)
        if address.scheme not in ("http", "https") or not address.hostname:
            raise LLMError(
                f"the base URL {self.url!r} is not an http(s) address (it looks like"
                " https://host/v1: set --base-url or OPENAI_BASE_URL)"
            )
        key = api_key or os.environ.get("OPENAI_API_KEY") or ""
        if not key.strip():
            if address.hostname not in _LOOPBACK:
                raise LLMError(
                    "no API key: set the environment variable OPENAI_API_KEY"
                    " (for a server that asks for none, set it to any word)"
                )
            key = "none"
        # The settings for creating such a client in another process.
        self.options = {"model": model, "base_url": self.url, "api_key": key, "timeout": timeout}
        self._concurrency, self._timeout = max(1, concurrency), timeout
        self._connection = Connection(self.url, seconds=timeout)
        self._server = openai.OpenAI(
            api_key=key.strip(),
            base_url=self.url,
            timeout=timeout,
            max_retries=retries,
            http_client=self._connection,
        )
        self._retries, self._cache = retries, cache
        self._dialect = Dialect()
        self._is_schema_known = False
        self._usage = Usage()
        self._lock = threading.Lock()

    @property
    def model(self) -> str:
        """The model's name."""
        return self._model

    @property
    def usage(self) -> Usage:
        """The usage so far."""
        return self._usage

    def ask(self, request: Request, *, cut_off: CutOffRule = "error") -> Reply:
        """Return the reply, from the cache or the server.

        Raises RefusalError if the model or a filter declines, CutOffError if the answer reached its
        limit (unless ``cut_off`` is ``keep``), ServerError if the server gave no usable answer to
        this request, LLMError for other failures, and InputError if the cached file is damaged.
        """
        cached = None if self._cache is None else self._cache.find(request)
        if cached is not None:
            tokens = cached.prompt_tokens + cached.completion_tokens
            self._count(Usage(recorded=1, recorded_tokens=tokens))
            return checked(cached, request=request, cut_off=cut_off)
        reply = self._answer(request)
        self._count(
            Usage(
                requests=1,
                prompt_tokens=reply.prompt_tokens,
                completion_tokens=reply.completion_tokens,
            )
        )
        if self._cache is not None:
            with self._lock:
                self._cache.keep(Exchange(request, reply))
        return checked(reply, request=request, cut_off=cut_off)

    def each(self, function: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
        """Yield ``function(item)`` in the order of items, ``concurrency`` at a time.

        Few items are read ahead, so ``items`` can be a long generator. After an error no new call
        starts, and running calls are finished first, unless the user interrupts.
        """
        batch = self._connection.batch()
        waiting: deque[Future[Result]] = deque()
        pool = ThreadPoolExecutor(self._concurrency, "llm", initializer=batch.enter)
        try:
            try:
                for item in items:
                    waiting.append(pool.submit(function, item))
                    if len(waiting) >= 2 * self._concurrency:
                        yield waiting.popleft().result()
                while waiting:
                    yield waiting.popleft().result()
            except Exception:
                pool.shutdown(cancel_futures=True)
                raise
        except BaseException as error:
            if not isinstance(error, Exception):  # an interrupt, or the caller stopped iterating
                self._connection.abort(batch)
            raise
        finally:
            # An abandoned generator may be garbage-collected in one of the pool's threads.
            pool.shutdown(wait=not batch.has_entered(), cancel_futures=True)

    def _count(self, more: Usage) -> None:
        with self._lock:
            self._usage += more

    def _answer(self, request: Request) -> Reply:
        """Query the server, giving up unsupported features one at a time."""
        dialect = self._dialect
        # Some servers answer a schema with an internal error; do not retry that for a minute.
        is_trial = request.schema is not None and not self._is_schema_known
        while True:
            try:
                reply = self._send(request, dialect, retries=0 if is_trial else self._retries)
                self._is_schema_known |= request.schema is not None
                return reply
            except self._openai.APIStatusError as error:
                words = _words(error)
                without = narrower(dialect, request, error.status_code, words)
                if without is not None:
                    dialect = without
                    if "invalid schema" not in words.lower():  # else only this schema is invalid
                        self._dialect = without
                elif not is_trial:
                    raise errors.from_status(
                        error.status_code,
                        code=error.code,
                        message=words,
                        model=self.model,
                        url=self.url,
                        models=self._models() if error.status_code in (400, 404) else (),
                    ) from None
                is_trial = is_trial and without is not None
            except self._openai.APIConnectionError as error:
                if not is_trial:
                    raise self._no_connection(error) from None
                is_trial = False
            except (self._openai.OpenAIError, ValueError, RecursionError, TypeError) as error:
                what = f"{type(error).__name__}: {error}"
                raise errors.no_answer(self.url, what=what) from None

    def _send(self, request: Request, dialect: Dialect, *, retries: int) -> Reply:
        server = self._server.with_options(max_retries=retries)
        said: Any
        try:
            if request.prompt is not None:
                said = server.completions.create(**options(request, dialect))
            else:
                said = server.chat.completions.create(**options(request, dialect))
        except self._unusable as unusable:
            raise unusable.error from None
        return reply_of(said, request, dialect, url=self.url)

    def _no_connection(self, error: openai.APIConnectionError) -> LLMError:
        if isinstance(error, self._openai.APITimeoutError):
            return errors.too_slow(self.url, seconds=self._timeout)
        cause = errors.short(str(error.__cause__ or error))
        if type(error.__cause__).__name__ not in ("ConnectError", "ProxyError"):
            return ServerError(
                f"{self.url} broke off: {cause} (check the server's log: it may be out of memory;"
                " lower --concurrency and run again)"
            )
        if self._usage.requests:
            return LLMError(
                f"cannot reach {self.url} any more: {cause} (the server exited, possibly out of"
                " memory: check its log, restart it with a shorter context or fewer slots)"
            )
        return LLMError(
            f"cannot reach {self.url}: {cause} (is the server running, and is the base URL right?)"
        )

    def _models(self) -> tuple[str, ...]:
        """Return the server's model names; none if it does not list them."""
        try:
            listed = self._server.with_options(timeout=10, max_retries=0).models.list()
            return tuple(str(model.id) for model in listed.data)
        except (self._openai.OpenAIError, AttributeError, TypeError, ValueError, self._unusable):
            return ()


def _words(error: openai.APIStatusError) -> str:
    body = error.body
    if isinstance(body, dict) and isinstance(body.get("message"), str):
        return str(body["message"])
    return str(error.message)
