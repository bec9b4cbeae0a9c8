"""Output: tables and JSON on stdout; progress with its rate, and notes, on stderr."""

from __future__ import annotations

import contextlib
import os
import shlex
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from rich.cells import cell_len
from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    ProgressColumn,
    SpinnerColumn,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
)
from rich.table import Column, Table
from rich.text import Text

from evalplus_lite.cli.escaping import printable, printable_json
from evalplus_lite.jobs.session import ProgressEvent
from evalplus_lite.jobs.tables import Table as ResultTable

# The rate of a stage and its remaining time.

WINDOW_SECONDS = 60.0
"""Time over which the rate is measured, as tasks take different times."""
STABLE_SECONDS, STABLE_FACTOR = 10.0, 1.5
"""The remaining time is shown after ``STABLE_SECONDS``, and only while the rate of the second half
is within this factor of the overall rate."""


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
        """Steps per second; 0 before the first step."""
        (since, before), now = self._seen[0], self._clock()
        return (self.done - self._known - before) / (now - since) if now > since else 0.0

    def _is_stable(self, rate: float) -> bool:
        """Return whether the rate is steady enough to predict the remaining time.

        The first steps of a stage wait for sandboxes to start, so they are not representative.
        """
        now, since = self._clock(), self._seen[0][0]
        if now - since < STABLE_SECONDS:
            return False
        second_half = (seen for seen in self._seen if seen[0] >= (since + now) / 2)
        middle, before = next(second_half, self._seen[-1])
        late = (self.done - self._known - before) / (now - middle) if now > middle else 0.0
        return rate / STABLE_FACTOR <= late <= rate * STABLE_FACTOR

    def words(self) -> str:
        """Return the progress in words: ``512 of 1640, 48.2/s, 23 s to go; 312 pass, 150 fail``."""
        rate = self.rate
        parts = [str(self.done) if self.total is None else f"{self.done} of {self.total}"]
        if rate:
            parts.append(f"{rate:.1f}/s" if rate >= 1 else f"{60 * rate:.1f}/min")
            if self.total is not None and self.done < self.total and self._is_stable(rate):
                parts.append(f"{duration((self.total - self.done) / rate)} to go")
        counts = ", ".join(f"{count} {name}" for name, count in self.counts.items() if count)
        return ", ".join(parts) + (f"; {counts}" if counts else "")


def duration(seconds: float) -> str:
    """Return a duration in words: ``23 s``, ``12 min``, ``3 h 20 min``."""
    if seconds < 99.5:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 100 else f"{minutes // 60} h {minutes % 60} min"


# The screen, and tables.

QUIET_SECONDS = 10.0
"""Seconds between lines of progress if stderr is not a terminal."""
WIDE = 80
"""Minimum width of a terminal with room for a bar, in characters."""
PIPE_WIDTH = 160
"""Width of tables, in characters, if stdout is not a terminal."""
LONG_WORD = 24
"""A longer word, such as a path, may be broken in a narrow table."""


class Screen:
    """Progress of a job on stderr: a bar on a terminal, else periodic lines, or only notes."""

    def __init__(self, *, quiet: bool = False) -> None:
        self.console = Console(stderr=True, highlight=False, emoji=False)
        self.quiet = quiet
        self._bar: Progress | None = None
        self._task: TaskID | None = None
        self._name, self._pace = "", ProgressRate(None)
        self._printed = time.monotonic()

    def __enter__(self) -> Screen:
        return self

    def __exit__(self, *details: object) -> None:
        self._stop()

    def __call__(self, event: ProgressEvent) -> None:
        """Show an event of a session."""
        if event.note:
            self.note(event.note)
        elif not event.done:
            self._stage(event.stage, event.total)
        else:
            self._advance(event)

    def _stage(self, name: str, total: int | None) -> None:
        self._stop()
        self._name, self._pace = printable(name), ProgressRate(total)
        self._printed = time.monotonic()
        # A dumb terminal cannot move the cursor back.
        if self.console.is_terminal and not self.console.is_dumb_terminal and not self.quiet:
            cut = Column(no_wrap=True, overflow="ellipsis")
            words = TextColumn("{task.fields[words]}", markup=False, table_column=cut)
            whole = Column(no_wrap=True, min_width=min(20, cell_len(self._name)))
            stage = TextColumn("{task.description}", markup=False, table_column=whole)
            columns: list[ProgressColumn] = [SpinnerColumn(), stage, words]
            if self.console.width >= WIDE:
                columns = [SpinnerColumn(), stage, BarColumn(20), words, TimeElapsedColumn()]
            self._bar = Progress(*columns, console=self.console, transient=True)
            self._bar.start()
            self._task = self._bar.add_task(self._name, total=total, words=self._pace.words())

    def _advance(self, event: ProgressEvent) -> None:
        self._pace.advance(event.done - self._pace.done, event.counts, known=event.known)
        now = time.monotonic()
        if self._bar is not None and self._task is not None:
            if now - self._printed > 0.1:  # faster updates are not visible
                self._printed = now
                self._bar.update(self._task, completed=self._pace.done, words=self._pace.words())
        elif now - self._printed > QUIET_SECONDS:
            self._printed = now
            if not self.quiet:
                print(f"{self._name}: {self._pace.words()}", file=sys.stderr, flush=True)

    def note(self, text: str) -> None:
        """Print one line for the user on stderr."""
        self.console.print(Text(printable(text)), soft_wrap=True)

    @contextlib.contextmanager
    def waiting(self, what: str, *, seconds: float = QUIET_SECONDS) -> Iterator[None]:
        """Show what a command is waiting for, whenever no step has finished for ``seconds``."""
        ended = threading.Event()

        def tell() -> None:
            done, since = self._pace.done, time.monotonic()
            while not ended.wait(seconds):
                if self._pace.done != done:
                    done, since = self._pace.done, time.monotonic()
                else:
                    self.note(f"waiting {time.monotonic() - since:.0f} s for {what}")

        teller = threading.Thread(target=tell, daemon=True)
        teller.start()
        try:
            yield
        finally:
            ended.set()
            teller.join()

    def _stop(self) -> None:
        if self._bar is not None:
            self._bar.stop()
            self._bar = self._task = None


def print_json(value: Any) -> None:
    """Print a value as one JSON object, keeping the order of keys."""
    print(printable_json(value))


def print_tables(tables: Iterable[ResultTable]) -> None:
    """Print the non-empty tables of a result, each with its caption."""
    for each in tables:
        if each.rows:
            print_table(each.title, each.columns, each.rows, left=each.left)
            if each.caption:
                say(each.caption)


def print_table(
    title: str, columns: Sequence[str], rows: Iterable[Sequence[object]], *, left: int = 1
) -> None:
    """Print a table; the first ``left`` columns are words, the others numbers.

    On a narrow screen, words and headings are broken over several lines, but nothing is truncated.
    If it is still too narrow, each row is printed separately, with headings for its cells.
    """
    console = Console(highlight=False)
    if not console.is_terminal and "COLUMNS" not in os.environ:
        console = Console(width=PIPE_WIDTH, highlight=False)  # nothing wraps there
    cells = [[_cell(value) for value in row] for row in rows]
    console.print(Text(printable(title), style="bold"))
    widths = _least_widths(columns, cells, left)
    if sum(width + 3 for width in widths) < console.width:
        table = Table()
        full = [max(map(cell_len, column)) for column in zip(columns, *cells, strict=True)]
        shown = _narrowed(full, widths, console.width)
        for number, column in enumerate(columns):
            justify: Literal["left", "right"] = "left" if number < left else "right"
            table.add_column(Text(column), justify=justify, overflow="fold", width=shown[number])
        for row in cells:
            table.add_row(*map(Text, row))
        console.print(table)
        return
    for row in cells:
        console.print(Text(row[0]))
        pairs = zip(columns[1:], row[1:], strict=True)
        for line in _packed([f"{name}: {cell}" for name, cell in pairs if cell], console.width):
            console.print(Text(f"  {line}"))


def _narrowed(full: list[int], least: list[int], width: int) -> list[int]:
    """Return the columns' widths on a screen: full if they fit, but never below the minimum."""
    widths = list(full)
    for _ in range(sum(each + 3 for each in full) + 1 - width):
        slack = [each - floor for each, floor in zip(widths, least, strict=True)]
        widths[slack.index(max(slack))] -= 1
    return widths


def _packed(parts: list[str], width: int) -> list[str]:
    """Join parts to lines, with as many on each as fit into the width."""
    lines: list[str] = []
    for part in parts:
        if lines and cell_len(lines[-1]) + cell_len(part) + 4 <= width:
            lines[-1] += f"; {part}"
        else:
            lines.append(part)
    return lines


def _least_widths(columns: Sequence[str], cells: list[list[str]], left: int) -> list[int]:
    """Return each column's minimum width, at which no number or short word is broken."""
    widths = []
    for number, column in enumerate(columns):
        texts = [row[number] for row in cells]
        if number < left:
            widths.append(min(LONG_WORD, max(map(_word_width, [column, *texts]))))
        else:
            widths.append(max([_word_width(column), *map(cell_len, texts)]))
    return widths


def _word_width(text: str) -> int:
    return max(map(cell_len, text.split()), default=0)


def say(text: str) -> None:
    """Print one line for the user on stdout."""
    Console(highlight=False).print(Text(printable(text)), soft_wrap=True)


def name_report(*outs: Path, datasets: Sequence[str] = ()) -> None:
    """Print the command that shows the output as a page, including data sets that are files.

    Published data sets are found by name.
    """
    options = [part for each in datasets if os.path.exists(each) for part in ("-d", each)]
    say(f"report: {shlex.join(['evalplus-lite', 'report', *map(str, outs), *options])}")


def _cell(value: object) -> str:
    shown = f"{value:.3f}" if isinstance(value, float) else "" if value is None else str(value)
    return printable(shown)


# Reports on unusable tasks, and on dropped inputs and blind spots of suites.

SHOWN = 10
"""Maximum number of lines of one kind shown; results have them all."""


def tell(report: Mapping[str, Any], screen: Screen) -> None:
    """Print the unusable tasks, and notes on the others' suites."""
    bad = report["unusable"]
    if bad:
        verb = "is" if len(bad) == 1 else "are"
        screen.note(f"{_tasks(len(bad))} cannot be used and {verb} in no figure:")
        _lines(screen, [f"{row['task_id']}: {row['detail']}" for row in bad])
    for kind, title in TITLES.items():
        rows = [row for row in report["notes"] if row["kind"] == kind]
        if rows:
            total = sum(row.get("count", 1) for row in rows)
            tasks = _tasks(len({row["task_id"] for row in rows}))
            screen.note(title.format(total=total, tasks=tasks))
            _lines(screen, [f"{row['task_id']}: {row['detail']}" for row in rows])


TITLES = {
    "dropped": "{total} inputs of {tasks} are not tests:",
    "no base": "without a base case, so that base is judged by all cases, {tasks}:",
    "no plus": "without a case beyond the base ones, so that plus is base, {tasks}:",
    "constant": "one answer on every case, {tasks}:",
    "weak": "{tasks} with a weak suite:",
}


def _lines(screen: Screen, lines: list[str]) -> None:
    for line in lines[:SHOWN]:
        screen.note(f"  {line}")
    if len(lines) > SHOWN:
        screen.note(f"  and {len(lines) - SHOWN} more")


def _tasks(count: int) -> str:
    return "1 task" if count == 1 else f"{count} tasks"
