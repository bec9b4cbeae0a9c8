"""One node of a cluster: the processes of this machine, which receive items in chunks.

It takes and returns plain data, and does not depend on the transport between machines.
"""

from __future__ import annotations

import platform
import threading
from collections.abc import Sequence
from concurrent.futures import Future

from evalplus_lite.errors import EvalPlusLiteError
from evalplus_lite.execution.base import Call, Row
from evalplus_lite.execution.channel import body, decoded, encoded, unpacked
from evalplus_lite.execution.job import Defect, Lost
from evalplus_lite.execution.processes import Processes
from evalplus_lite.execution.supervisor import described, revived
from evalplus_lite.sandbox import SandboxConfig
from evalplus_lite.version import __version__

DONE, FAILED, LOST, DEFECT = range(4)
"""The outcomes of an item."""
STAGE_SECONDS = 120.0
"""Seconds that a chunk waits for the shared data of the chunks before it."""


class ClusterNode:
    """The supervisors of this machine; safe for threads. They end with this process."""

    def __init__(self, workers: int, config: Row, preload: Sequence[str]) -> None:
        self.pool = Processes(workers, SandboxConfig(*config), preload=preload).__enter__()
        self._calls: dict[int, Call] = {}
        self._segments = 0
        self._staged = threading.Condition()

    def hello(self) -> Row:
        """Return the facts that the caller needs: versions, and the tier or the reason for its
        absence.
        """
        facts = {"version": __version__, "python": platform.python_version(), "tier": None}
        try:
            facts["tier"] = self.pool.tier
        except EvalPlusLiteError as error:
            facts["reason"] = str(error)
        return facts

    def stage(self, first: int, segments: Sequence[bytes]) -> None:
        """Append segments of shared data, the first of which has number ``first``.

        Known segments are skipped. Missing earlier ones are waited for, since chunks may start in
        any order.
        """
        with self._staged:
            if not self._staged.wait_for(lambda: self._segments >= first, STAGE_SECONDS):
                raise TimeoutError("staged rows did not arrive")
            for segment in segments[self._segments - first :]:
                self.pool.append(segment)
                self._segments += 1
            self._staged.notify_all()

    def work(self, calls: bytes, jobs: bytes) -> bytes:
        """Work on the items of a chunk: calls by number, and items of each.

        Returns for each item its outcome, its row or its error, and its seconds.
        """
        for number, (maker, settings, packages) in unpacked(calls).items():
            self._calls.setdefault(number, Call(maker, settings, packages))
        begun = [
            self.pool.begin(self._calls[number], decoded(item), key=key, then=encoded)
            for number, key, item in unpacked(jobs)
        ]
        return body([(*_outcome(each.future), each.seconds) for each in begun])


def _outcome(future: Future[bytes]) -> tuple[int, bytes]:
    try:
        return DONE, future.result()
    except Lost as error:
        return LOST, str(error).encode()
    except Defect as error:
        return DEFECT, encoded((str(error), error.trace))
    except Exception as error:
        return FAILED, encoded(described(error))


def failure(kind: int, data: bytes) -> Exception:
    """Return the exception of an item that is not ``DONE``."""
    if kind == LOST:
        return Lost(data.decode())
    if kind == DEFECT:
        return Defect(*decoded(data))
    return revived(decoded(data))
