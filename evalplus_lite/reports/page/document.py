"""The data of a report: plain JSON in the page, an index and a part for each task.

The index stands in ``<script type="application/json" id="index">``, a task's part in one with the
id ``task-SUITE-TASK`` (numbers within the index), or in a page of its own where a report is split.
Raise ``FORMAT`` when a key changes its meaning. Values are texts, as Python writes them; long ones
are cut (``excerpts``). All texts are as hostile as a sample can make them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NotRequired, TypedDict

# Parts of a page that are read without a script: a title, a route, and what stands there.


@dataclass(frozen=True, slots=True)
class Section:
    """A view of its own: shown at ``#/ROUTE``, and one below the other without a script.

    ``template`` is rendered with ``context`` (all texts in it are escaped). ``data`` is plain JSON
    for the view's script, in ``<script type="application/json" id="data-ROUTE">``. ``scripts``
    are texts that run as the page opens; each is allowed by its hash, and nothing else is but what
    ``allows`` adds to the page's policy: sources by directive.
    ``route`` is one of letters, digits and dashes.
    """

    route: str
    title: str
    template: str
    context: Mapping[str, Any] = field(default_factory=dict)
    data: Any = None
    scripts: tuple[str, ...] = ()
    allows: Mapping[str, str] = field(default_factory=dict)


FORMAT = 2


class EntrantPart(TypedDict):
    """A model at a temperature in one folder of results.

    ``base`` and ``plus`` are pass@1: ``value``, its 95 % ``interval``, and ``rank`` (None without
    samples for some tasks).
    """

    label: str
    folder: str
    samples: int
    tasks: int
    base: dict[str, Any]
    plus: dict[str, Any] | None


class TaskRow(TypedDict):
    """A task in the index: for each entrant [samples, base right, plus right], or None.

    ``file`` is the page that holds the task's part where the report is split, from the index's.
    """

    id: str
    counts: list[tuple[int, int, int] | None]
    file: NotRequired[str]


class SuitePart(TypedDict):
    """What was judged by one content, models from the best.

    ``missing`` says what cannot be shown of it, or "". ``verdict`` is a sentence on who is best;
    ``of_tasks`` counts the suite's tasks.
    """

    name: str
    content: str
    has_plus: bool
    missing: str
    verdict: str
    of_tasks: int
    entrants: list[EntrantPart]
    tasks: list[TaskRow]


class Index(TypedDict):
    """All that the page's first view needs."""

    format: int
    version: str
    title: str
    suites: list[SuitePart]


class CasePart(TypedDict):
    """An input: ``number`` in the suite, its text, where it comes from in words (``origin``).

    ``first`` samples failed on it first, ``failed`` samples at all (known with ``--details``).
    """

    number: int
    input: str
    origin: str
    expected: NotRequired[str]
    first: int
    failed: NotRequired[int]


class FailurePart(TypedDict):
    """The case that decided a verdict, or the smallest found; ``line`` is the program's.

    ``is_text`` where expected and actual are printed texts: shown by lines, not as values.
    """

    case: NotRequired[int]
    verdict: str
    detail: str
    line: NotRequired[int]
    input: NotRequired[str]
    expected: NotRequired[str]
    actual: NotRequired[str]
    is_text: NotRequired[bool]


class OutcomePart(TypedDict):
    """A program and what became of it: ``program`` is its place in the part's list, or None."""

    program: int | None
    base: str
    plus: str | None
    failure: NotRequired[FailurePart]
    smallest: NotRequired[FailurePart]
    stress: NotRequired[str]
    stress_failure: NotRequired[FailurePart]


class TaskPart(TypedDict):
    """A task with all its samples.

    ``programs`` are texts, or [n, rest] for the prompt's first n characters and a rest. A sample is
    [entrant, index, outcome], the first and last being places in lists; where costs were measured
    it goes on with seconds of CPU and bytes of memory (null: not known). ``samples_left_out`` are
    counted and not there, for their number. ``cases`` are the inputs that a page shows, of
    ``cases_total``; ``failed`` has for each of all how many samples fail on it (``--details``).
    ``has_check`` where the contract says which answers are right: the expected is one of several.
    """

    id: str
    prompt: NotRequired[str]
    reference: NotRequired[str]
    contract: NotRequired[str]
    has_check: NotRequired[bool]
    entry_point: NotRequired[str]
    cases_total: NotRequired[int]
    base_total: NotRequired[int]
    cases: list[CasePart]
    failed: NotRequired[list[int]]
    programs: list[str | tuple[int, str]]
    outcomes: list[OutcomePart]
    samples: list[list[Any]]
    samples_left_out: int
