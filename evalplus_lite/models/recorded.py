"""Replies in files: a cache that a client fills, and a record that needs no server."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from evalplus_lite import store
from evalplus_lite.errors import InputError, LLMError
from evalplus_lite.models.errors import CutOffRule, Item, NotRecordedError, Result, checked
from evalplus_lite.models.messages import Exchange, Reply, Request, Usage


class Cache:
    """A folder with one JSON file per reply, named by the request's key and written atomically."""

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = Path(folder)

    def path(self, request: Request) -> Path:
        """Return the path for the reply to a request."""
        return self.folder / request.key[:2] / f"{request.key}.json"

    def find(self, request: Request) -> Reply | None:
        """Return the stored reply, or None; raise InputError if it is damaged."""
        path = self.path(request)
        if not path.exists():
            return None
        row = store.parse_json(store.read_text(path), path=path)
        if not isinstance(row, dict):
            raise InputError("is not a recorded reply", path=path, remedy="delete it")
        exchange = Exchange.from_json(row, path=path)
        if exchange.request != request:
            raise InputError("answers another request", path=path, remedy="delete it")
        return exchange.reply

    def keep(self, exchange: Exchange) -> None:
        """Write a reply atomically."""
        path = self.path(exchange.request)
        path.parent.mkdir(parents=True, exist_ok=True)
        store.write_text(path, store.dump_row(exchange.to_json()) + "\n")


class Replay:
    """A source that answers only from recorded replies, without a server, key or network.

    The same requests always give the same replies, and a request that was not recorded raises
    NotRecordedError.
    """

    def __init__(self, *paths: str | os.PathLike[str], model: str | None = None) -> None:
        """Read files of exchanges (JSONL, plain or gzip); name the ``model`` if they have several.

        Raises InputError for an unusable file, and LLMError if the model is not in it.
        """
        self._replies: dict[str, Reply] = {}
        self._usage = Usage()
        self._named = ", ".join(str(path) for path in paths)
        names: dict[str, None] = {}
        for path in paths:
            for row in store.read_jsonl(path):
                exchange = Exchange.from_json(row.data, path=path, line=row.line)
                names[exchange.request.model] = None
                self._replies[exchange.request.key] = exchange.reply
        if model is None and len(names) != 1:
            raise LLMError(
                f"{self._named}: holds replies of {', '.join(names) or 'no model'} (name the model)"
            )
        if model is not None and model not in names:
            raise LLMError(
                f"{self._named}: holds no reply of {model!r}, only of {', '.join(names)}"
            )
        self._model = next(iter(names)) if model is None else model

    @property
    def model(self) -> str:
        """The recorded model's name."""
        return self._model

    @property
    def usage(self) -> Usage:
        """The usage so far, of recorded replies only."""
        return self._usage

    def __len__(self) -> int:
        return len(self._replies)

    def ask(self, request: Request, *, cut_off: CutOffRule = "error") -> Reply:
        """Return the recorded reply, as ``checked`` does; raise NotRecordedError without one."""
        reply = self._replies.get(request.key)
        if reply is None:
            text = request.messages[-1].content if request.messages else request.prompt or ""
            raise NotRecordedError(
                f"{self._named}: no reply recorded for {' '.join(text.split())[:60]!r}"
                f" (key {request.key[:12]}, model {request.model}): the prompt, its parameters or"
                " the task changed (record again, or ask a server)"
            )
        tokens = reply.prompt_tokens + reply.completion_tokens
        self._usage += Usage(recorded=1, recorded_tokens=tokens)
        return checked(reply, request=request, cut_off=cut_off)

    def each(self, function: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
        """Yield ``function(item)`` sequentially, as there is nothing to wait for."""
        return map(function, items)


def write_exchanges(path: str | os.PathLike[str], exchanges: Iterable[Exchange]) -> None:
    """Write exchanges atomically as JSONL, compressed if the name ends in .gz."""
    store.write_jsonl(path, (exchange.to_json() for exchange in exchanges))
