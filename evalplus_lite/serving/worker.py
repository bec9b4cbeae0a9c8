"""Programs run as an interpreter runs a file: what they print, and how they end. No verdict."""

from __future__ import annotations

import time
from typing import Any

from evalplus_lite.errors import CodecError, InputError
from evalplus_lite.execution.base import Row, Work, WorkerContext
from evalplus_lite.sandbox import Inputs, Limits
from evalplus_lite.sandbox.guest_programs import plain_program
from evalplus_lite.sandbox.streams import Streams
from evalplus_lite.types import Crashed, OutOfMemory, Returned, TimedOut
from evalplus_lite.values import wire

ANSWER_BYTES = 1 << 20
"""What an answer holds beside the files that were asked for: their names."""
FILES = 16
"""All files that a run returns may be so many times as large as one."""


def running(place: WorkerContext, settings: Row) -> Work:
    """Of a ``run_row``, the seconds that it took and what came of it, as JSON's types.

    ``ended`` is ``exit`` (with the ``exit_code``), ``timeout``, ``memory`` or ``crash`` (with what
    killed it as ``detail``); of each stream there are the first characters as text and the bytes
    in all; ``files`` are bytes by path, None for one that is not there or too large.
    """

    def run(item: Row) -> Row:
        code, stdin, arguments, files, wanted, seconds, memory, most = item
        streams = Streams(stdin, most)
        program = plain_program(streams)
        try:
            inputs = Inputs.of([(code, arguments, files, wanted, most, FILES * most)], private=True)
        except CodecError as error:
            raise InputError(f"the program or its files: {error}") from None
        output = ANSWER_BYTES + FILES * most
        limits = Limits(
            cpu=seconds, memory=memory, output=output, wait=max(2.0, seconds), total=seconds + 5.0
        )
        begun = time.monotonic()
        try:
            found = place.sandbox.run(program, inputs, limits)
        finally:
            streams.end()
        row = _run_row(found.outcomes[0], wanted)
        row |= {"cpu": found.cpu, "seconds": time.monotonic() - begun}
        for name, printed, size in zip(
            ("stdout", "stderr"), streams.printed, streams.sizes, strict=True
        ):
            row[name] = printed.decode("utf-8", "replace")
            row[f"{name}_bytes"] = size
            row[f"{name}_cut"] = size > len(printed)
        return time.monotonic() - begun, row

    return run


def _run_row(outcome: object, wanted: list[str]) -> dict[str, Any]:
    row: dict[str, Any] = {"ended": "crash", "exit_code": None, "detail": str(outcome), "files": {}}
    match outcome:
        case Returned(data):
            try:
                status, files = _answer(wire.decode(data), wanted)
            except (CodecError, ValueError, TypeError):
                return row | {"detail": "the program wrote to the result channel"}
            return row | {"ended": "exit", "exit_code": status, "detail": "", "files": files}
        case Crashed(exit_code=int() as status):
            return row | {"ended": "exit", "exit_code": status, "detail": ""}
        case Crashed(signal=int() as number):
            return row | {"exit_code": -number}
        case TimedOut():
            return row | {"ended": "timeout"}
        case OutOfMemory():
            return row | {"ended": "memory"}
    return row


def _answer(value: object, wanted: list[str]) -> tuple[int, dict[str, bytes | None]]:
    """Return what the guest answered, which may be anything that the program chose."""
    if type(value) is str:
        raise InputError(value[:300], remedy="files need the sandbox tier namespaces")
    if type(value) is not list or len(value) != 2:
        raise ValueError("no answer of ours")
    status, files = value
    if type(status) is not int or type(files) is not dict:
        raise ValueError("no answer of ours")
    found = {name: files[name] for name in wanted if type(files.get(name)) is bytes}
    return status & 0xFF, {name: found.get(name) for name in wanted}
