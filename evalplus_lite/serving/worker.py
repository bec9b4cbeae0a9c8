"""What the workers of servers and adapters run: tasks that come with a program, plain programs."""

from __future__ import annotations

import hashlib
import marshal
import time
from typing import Any

from evalplus_lite.errors import CodecError, InputError
from evalplus_lite.execution.base import Row, Work, WorkerContext
from evalplus_lite.jobs.verification import RequestedTask
from evalplus_lite.sandbox import Inputs, Limits
from evalplus_lite.sandbox.guest_programs import plain_program
from evalplus_lite.sandbox.streams import Streams
from evalplus_lite.tasks.loading import dataset_of
from evalplus_lite.tasks.published.trainers import Form, task_data, task_of
from evalplus_lite.types import Crashed, OutOfMemory, Returned, TimedOut
from evalplus_lite.values import wire


def source_of(form: Form, data: Row) -> Row:
    """Return a task that came with a program in the form that ``ProgramJudge.submit`` takes."""
    # In the form without references to equal parts: equal tasks have equal bytes.
    body = marshal.dumps((form, data), 2)
    return f"{__name__}:{requested.__name__}", hashlib.sha256(body).digest(), body


def requested(tests: tuple[Form, Row]) -> RequestedTask:
    """Return the task of tests in a form, or of a row: tests without a task, or a known format."""
    form, data = tests
    if form == "row" and (row := task_data(data)).form != "id":
        form, data = row.form, row.data
    if form != "row":
        found = task_of(form, data)
        return RequestedTask(found.task, found.tests, found.inside)
    dataset = dataset_of([data], name="task")
    task = dataset.tasks[0]
    suite = dataset.suites.get(task.id)
    return RequestedTask(task, suite=suite, has_plus=dataset.has_plus)


# Programs run as an interpreter runs a file: what they print, and how they end. No verdict.

ANSWER_BYTES = 1 << 20
"""What an answer holds beside the files that were asked for: their names."""
FILES = 16
"""All files that a run returns may be so many times as large as one."""


def running(place: WorkerContext, settings: Row) -> Work:
    """Run (code, stdin, files, wanted paths, seconds, memory, bytes of an output), and return the
    seconds that it took and the row of what came of it, as JSON's types.

    ``ended`` is ``exit`` (with the ``exit_code``), ``timeout``, ``memory`` or ``crash`` (with what
    killed it as ``detail``); of each stream there are the first characters as text and the bytes
    in all; ``files`` are bytes by path, None for one that is not there or too large.
    """

    def run(item: Row) -> Row:
        code, stdin, files, wanted, seconds, memory, most = item
        streams = Streams(stdin, most)
        program = plain_program(streams)
        try:
            inputs = Inputs.of([(code, files, wanted, most, FILES * most)], private=True)
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
