"""Code that workers of servers and adapters run: judging requested tasks, and plain programs."""

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
    """Convert a task from a request to the form that ``ProgramJudge.submit`` takes."""
    # Version 2 has no references to equal parts, so equal tasks have equal bytes.
    body = marshal.dumps((form, data), 2)
    return f"{__name__}:{requested.__name__}", hashlib.sha256(body).digest(), body


def requested(tests: tuple[Form, Row]) -> RequestedTask:
    """Return the task for tests in a form, or for a row in a known format."""
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


# Plain runs, like ``python FILE``: what a program prints and how it ends, without a verdict.

ANSWER_BYTES = 1 << 20
"""Bytes of an answer for anything but the contents of files, such as their names."""
FILES = 16
"""Maximum size of all files that a run returns, as a multiple of the maximum for one."""


def running(place: WorkerContext, settings: Row) -> Work:
    """Return a function that runs (code, stdin, files, wanted paths, seconds, memory, bytes of an
    output) and returns the seconds it took and a row of JSON types with the result.

    ``ended`` is ``exit`` (with the ``exit_code``), ``timeout``, ``memory`` or ``crash`` (with the
    cause as ``detail``); each stream has its first characters as text and its total bytes;
    ``files`` are bytes by path, or None for a file that is missing or too large.
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
    """Check and return the guest's answer, which may be anything that the program chose."""
    if type(value) is str:
        raise InputError(value[:300], remedy="files need the sandbox tier namespaces")
    if type(value) is not list or len(value) != 2:
        raise ValueError("no answer of ours")
    status, files = value
    if type(status) is not int or type(files) is not dict:
        raise ValueError("no answer of ours")
    found = {name: files[name] for name in wanted if type(files.get(name)) is bytes}
    return status & 0xFF, {name: found.get(name) for name in wanted}
