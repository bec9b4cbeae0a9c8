"""Verbosity, progress and log options that all long commands have."""

from __future__ import annotations

import shlex
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any, TextIO

import typer

from evalplus_lite.cli.escaping import printable
from evalplus_lite.errors import InputError
from evalplus_lite.version import __version__

WINDOW_SECONDS = 60.0
"""The rate is that of the last minute: tasks differ in how long they take."""
STABLE_SECONDS, STABLE_FACTOR = 10.0, 1.5
"""The time to go is shown after ``STABLE_SECONDS``, and only while the rate of the second half is
within this factor of the whole."""

Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Show only results and warnings.")]
Verbose = Annotated[
    bool,
    typer.Option("--verbose", "-v", help="Show when each stage ends, and progress more often."),
]
LogFile = Annotated[
    Path | None,
    typer.Option(
        "--log-file", metavar="FILE", help="Also write progress and notes to this file, with times."
    ),
]
VERBOSITY_OPTIONS: Mapping[str, Any] = {"quiet": Quiet, "verbose": Verbose, "log_file": LogFile}


@dataclass(frozen=True, slots=True)
class Verbosity:
    """The output that a command may show besides its results."""

    quiet: bool = False
    verbose: bool = False
    log: TextIO | None = None

    def write(self, text: str) -> None:
        """Write a line to the log, if there is one."""
        if self.log is not None:
            self.log.write(f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ} {printable(text)}\n")
            self.log.flush()


current: ContextVar[Verbosity] = ContextVar("current", default=Verbosity())  # noqa: B039 - frozen
"""The verbosity of the command that runs."""

typed: ContextVar[Sequence[str]] = ContextVar("typed", default=())
"""The command line after the program's name."""


@contextmanager
def with_verbosity(
    *, quiet: bool, verbose: bool, log_file: Path | None
) -> Iterator[Callable[[int], int]]:
    """Run a command with this verbosity; the function that is yielded takes its exit code."""
    if quiet and verbose:
        raise InputError("--quiet and --verbose contradict each other", remedy="give one")
    with _logged(log_file) as log:
        output = Verbosity(quiet, verbose, log)
        token = current.set(output)
        start = time.monotonic()
        output.write(f"evalplus-lite {__version__}: {shlex.join(typed.get())}")

        def done(code: int) -> int:
            output.write(f"done after {duration(time.monotonic() - start)}, exit code {code}")
            return code

        try:
            yield done
        except BaseException as error:
            output.write(f"ended after {duration(time.monotonic() - start)}: {_described(error)}")
            raise
        finally:
            current.reset(token)


@contextmanager
def _logged(path: Path | None) -> Iterator[TextIO | None]:
    if path is None:
        yield None
        return
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        file = path.open("a", encoding="utf-8", errors="backslashreplace")
    except OSError as error:
        raise InputError(
            f"cannot be written: {error.strerror}", path=path, remedy="give another --log-file"
        ) from None
    with file:
        yield file


def _described(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__


class ProgressRate:
    """The speed of a stage and its remaining time, from the steps of the last minute."""

    def __init__(self, total: int | None, clock: Callable[[], float] = time.monotonic) -> None:
        self.total, self._clock = total, clock
        self.done = 0
        self.counts: Mapping[str, int] = {}
        self.start = clock()
        self._known = 0
        self._seen: deque[tuple[float, int]] = deque([(self.start, 0)])

    def advance(self, steps: int, counts: Mapping[str, int], *, known: bool = False) -> None:
        """Count steps; those ``known`` from an earlier run took no time."""
        now = self._clock()
        self.done += steps
        self.counts = counts or self.counts
        self._known += steps if known else 0
        if now - self._seen[-1][0] >= 1.0:
            self._seen.append((now, self.done - self._known))
        while len(self._seen) > 2 and now - self._seen[0][0] > WINDOW_SECONDS:
            self._seen.popleft()

    @property
    def rate(self) -> float:
        """Steps a second; 0 while nothing was done."""
        (since, before), now = self._seen[0], self._clock()
        return (self.done - self._known - before) / (now - since) if now > since else 0.0

    def _is_stable(self, rate: float) -> bool:
        """Return whether the rate predicts: steps were done steadily, lately at nearly this rate.

        The first steps of a stage wait for sandboxes to start, and predict nothing.
        """
        now, since = self._clock(), self._seen[0][0]
        if now - since < STABLE_SECONDS:
            return False
        middle, before = next((seen for seen in self._seen if seen[0] >= (since + now) / 2),
                              self._seen[-1])  # fmt: skip
        late = (self.done - self._known - before) / (now - middle) if now > middle else 0.0
        return rate / STABLE_FACTOR <= late <= rate * STABLE_FACTOR

    def words(self) -> str:
        """Return how far it is: ``512 of 1640, 48.2/s, 23 s to go; 312 pass, 150 fail``."""
        rate = self.rate
        parts = [str(self.done) if self.total is None else f"{self.done} of {self.total}"]
        if rate:
            parts.append(f"{rate:.1f}/s" if rate >= 1 else f"{60 * rate:.1f}/min")
            if self.total is not None and self.done < self.total and self._is_stable(rate):
                parts.append(f"{duration((self.total - self.done) / rate)} to go")
        shown = ", ".join(f"{count} {name}" for name, count in self.counts.items() if count)
        return ", ".join(parts) + (f"; {shown}" if shown else "")


def duration(seconds: float) -> str:
    """Return a duration in words: ``23 s``, ``12 min``, ``3 h 20 min``."""
    if seconds < 99.5:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 100 else f"{minutes // 60} h {minutes % 60} min"
