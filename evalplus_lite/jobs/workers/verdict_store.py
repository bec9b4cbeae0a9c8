"""Verdicts that were reached before, kept on disk by all that decides them."""

from __future__ import annotations

import base64
import hashlib
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from evalplus_lite.execution.base import Row
from evalplus_lite.grading.evaluator import PreparedSuite
from evalplus_lite.grading.observer import is_killed
from evalplus_lite.grading.times import machine
from evalplus_lite.store.rows import RowStore
from evalplus_lite.types import VERDICTS, Failure, Verdict
from evalplus_lite.version import __version__

LIMIT = 1 << 28
"""Bytes that verdicts may take on disk."""


class VerdictStore:
    """Verdicts of programs by task content, program, limits, sandbox, machine and version.

    A program is identified by its text, because failures name its lines.
    """

    def __init__(self, folder: Path, about: Sequence[object]) -> None:
        """Open a store; ``about`` is plain data that decides verdicts besides the suite and the
        program.
        """
        self._rows = RowStore(folder, LIMIT)
        version = __version__, sys.version, machine()
        self._about = _digest(repr((version, tuple(about))).encode())
        self._last: tuple[PreparedSuite, bytes] | None = None

    def get(self, prepared: PreparedSuite, program: str) -> Verdict | None:
        """Return the verdict on a program, if it is known."""
        text = self._rows.get(self._key(prepared, program))
        if text is None:
            return None
        try:
            return _verdict(json.loads(text), len(prepared.suite.cases))
        except (ValueError, TypeError, KeyError, RecursionError):
            return None

    def put(self, prepared: PreparedSuite, program: str, verdict: Verdict) -> None:
        """Keep a verdict, unless it may have been the machine's doing."""
        if not is_killed(verdict.failure):
            self._rows.put(self._key(prepared, program), json.dumps(_row(verdict)))

    def close(self) -> None:
        """Let go of the file."""
        self._rows.close()

    def _key(self, prepared: PreparedSuite, program: str) -> bytes:
        if self._last is None or self._last[0] is not prepared:
            self._last = prepared, self._suite_key(prepared)
        return _digest(self._last[1] + program.encode("utf-8", "surrogatepass"))

    def _suite_key(self, prepared: PreparedSuite) -> bytes:
        task, suite = prepared.task, prepared.suite
        facts = (
            task.reference,
            task.entry_point,
            task.harness,
            task.contract,
            task.rule,
            suite.base_count,
        )
        hasher = hashlib.sha256(self._about + _digest(repr(facts).encode()))
        hasher.update(prepared.inputs.key.encode())
        for data in suite.expected:
            hasher.update(_digest(data))
        return hasher.digest()


def _digest(data: bytes) -> bytes:
    return hashlib.sha256(data).digest()


def _row(verdict: Verdict) -> Row:
    failure = verdict.failure
    failed: Any = None
    if failure is not None:
        actual = failure.actual
        answer = None if actual is None else base64.b64encode(actual).decode()
        failed = [failure.case, failure.verdict, failure.detail, failure.line, answer]
    return [verdict.base, verdict.plus, failed, verdict.details, verdict.cpu, verdict.memory]


def _verdict(row: Row, count: int) -> Verdict:
    """Return the verdict of a row; ValueError or TypeError if it does not match the number of
    cases.
    """
    base, plus, failed, details, cpu, memory = row
    failure = None
    if failed is not None:
        case, name, detail, line, answer = failed
        actual = None if answer is None else base64.b64decode(answer, validate=True)
        failure = Failure(case, name, detail, line, actual)
    verdict = Verdict(base, plus, failure, None if details is None else tuple(details), cpu, memory)
    names = {base, plus, *(details or ()), *([] if failure is None else [failure.verdict])}
    if not names <= {None, *VERDICTS} or verdict.passed != (failure is None):
        raise ValueError("no verdict")
    if failure is not None and not 0 <= failure.case < count:
        raise ValueError("no case of this suite")
    return verdict
