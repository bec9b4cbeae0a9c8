"""The data of a report page, built from the rows of all model runs, one task at a time.

The data are plain JSON: an index in ``<script type="application/json" id="index">``, and a part for
each task in one with the id ``task-SUITE-TASK`` (numbers within the index), or in a separate page
if a report is split. Values are strings of Python source; long ones are truncated. All strings are
as hostile as a sample can make them. Keys in brackets may be missing.

index: ``format`` (``FORMAT``), ``version``, ``title``, and ``suites``; in a task's own page also
    ``home``, the address of the index's page, and ``task``, its two numbers.
suite: all runs judged by one content. ``name``, ``content``, ``has_plus``, ``missing`` (a message
    on missing data, or ""), ``verdict`` (a sentence on which model is best), ``of_tasks`` (the
    suite's number of tasks), ``entrants``, best first, and ``tasks``.
entrant: a model at a temperature in one folder. ``label``, ``folder``, ``samples``, ``tasks``;
    ``options`` of ``rerun`` that name it, if the folder has several;
    ``base`` and ``plus`` are pass@1: ``value``, its 95 % ``interval``, and ``rank`` (None without
    samples for some tasks).
task: ``id``, ``counts``: for each entrant [samples, base right, plus right], or None; [``file``]
    is the page with the task's part if the report is split, relative to the index's page.
part: ``id``, ``cases``, ``programs``: texts, or [n, rest] for the prompt's first n characters and a
    rest, ``outcomes``, ``samples``: [entrant, index, outcome], the first and last being list
    positions, followed by CPU seconds and bytes of memory if costs were measured (null: unknown).
    ``samples_left_out`` is the number of samples beyond the maximum. [``failed``] has for each
    input how many samples fail on it (``--details``); [``prompt``, ``reference``,
    ``entry_point``, ``contract``]; [``has_check``] if the contract's check decides, so that the
    expected output is one of several; [``cases_total``, ``base_total``].
case: an input. ``number`` in the suite, ``input``, ``origin`` in words, ``first``: how many samples
    failed on it first, [``expected``], [``failed``]: how many failed on it (``--details``).
outcome: a program and its verdicts. ``program``: its position in the part's list, or None;
    ``base``, ``plus``, [``stress``, and the failures ``failure``, ``smallest``,
    ``stress_failure``].
failure: the case that decided a verdict, or the smallest one. ``verdict``, ``detail``, [``case``,
    ``line`` of the program, ``input``, ``expected``, ``actual``]; [``is_text``] if expected and
    actual are printed texts, which are shown by line, not as values.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from evalplus_lite.errors import CodecError
from evalplus_lite.jobs.outputs import (
    FAILURES,
    Evaluation,
    ModelRun,
    arguments,
    group_of,
    source,
)
from evalplus_lite.jobs.rerunning import group_options
from evalplus_lite.reports.comparison import Ranking, ranking
from evalplus_lite.store.rows import filling, scratch_database
from evalplus_lite.tasks import Dataset
from evalplus_lite.tasks.contracts import has_check
from evalplus_lite.tasks.unit_tests import in_words, written_contract
from evalplus_lite.types import Case, Suite, Task
from evalplus_lite.values.codec import from_json, to_json
from evalplus_lite.values.source import SHOWN_BYTES, decode_answer, literal, shown

FORMAT = 2
"""Increase it when a key changes its meaning."""
Part: TypeAlias = dict[str, Any]
"""An object of the page's data."""

# Evaluations on the same tasks and inputs, and their part of the index.

MISSING = (
    "Prompts, references and inputs were not given: call report with -d and the data set that"
    " judged ({name}, content {content})."
)
ENTRANT = ("label", "folder", "samples", "tasks", "base", "plus")
"""Keys of a ranking's row that the page needs."""


@dataclass(frozen=True, slots=True)
class Judged:
    """The ranked runs judged by one content, with the ids of all their tasks.

    ``data`` has the tasks themselves, or is None if they were not found.
    """

    ranking: Ranking
    ids: Sequence[str]
    data: Dataset | None

    @property
    def entrants(self) -> Sequence[ModelRun]:
        """The runs, best first."""
        return self.ranking.runs

    @property
    def evaluations(self) -> list[Evaluation]:
        """The distinct evaluations of the runs."""
        return list({id(each.evaluation): each.evaluation for each in self.entrants}.values())

    @property
    def name(self) -> str:
        """The data set's name."""
        return self.entrants[0].evaluation.dataset

    @property
    def content(self) -> str:
        """The content hash of the data set."""
        return self.entrants[0].evaluation.content

    def part(self) -> Part:
        """Return the index's part on the suite."""
        missing = MISSING.format(name=self.name, content=self.content[:12])
        return {
            "name": self.name,
            "content": self.content,
            "has_plus": any(side.evaluation.has_plus for side in self.entrants),
            "missing": "" if self.data else missing,
            "verdict": self.ranking.verdict,
            "of_tasks": self.ranking.tasks,
            "entrants": [
                {**{key: row[key] for key in ENTRANT}, "options": _options(side)}
                for row, side in zip(self.ranking.rows, self.entrants, strict=True)
            ],
            "tasks": [
                {
                    "id": id,
                    "counts": [
                        (count.total, count.base_right, count.plus_right)
                        if (count := side.counts.get(id))
                        else None
                        for side in self.entrants
                    ],
                }
                for id in self.ids
            ],
        }


def _options(run: ModelRun) -> list[str]:
    return group_options(run.group) if len(run.evaluation.summary["groups"]) > 1 else []


def judged(evaluations: Sequence[Evaluation], data: Mapping[str, Dataset]) -> list[Judged]:
    """Group evaluations by content, in order of appearance; ``data`` has tasks by content."""
    by_content: dict[str, list[Evaluation]] = {}
    for each in evaluations:
        by_content.setdefault(each.content, []).append(each)
    result = []
    for content, some in by_content.items():
        ranked = ranking(some)
        known = dict.fromkeys(id for side in ranked.runs for id in side.counts)
        tasks = data.get(content)
        order = [id for id in tasks.all_ids if id in known] if tasks else []
        result.append(Judged(ranked, list(dict.fromkeys([*order, *known])), tasks))
    return result


# Texts on the page: values as Python source, long ones truncated.

MOST_VALUE = 2_000
"""Maximum length of a value on the page, in characters."""
MOST_PROGRAM = 20_000
"""Maximum length of a program on the page, in characters."""
AROUND = 200
"""Equal characters to keep before the first difference of two long values."""


def answer_text(data: bytes) -> str:
    """Return an expected output in wire form as Python source; a very large one is described."""
    try:
        # Sets are written in a fixed order, independent of the hash seed.
        if len(data) > SHOWN_BYTES:
            return shown(data)
        value = decode_answer(data)
        return in_words(value, expected=True) or literal(value, quote=repr)
    except (CodecError, ValueError, RecursionError):
        return "a value that cannot be shown"


def cut(text: str, most: int = MOST_VALUE) -> str:
    """Truncate a text in the middle if it is too long, stating how much is left out."""
    if len(text) <= most:
        return text
    head, tail = most * 2 // 3, most // 3
    return f"{text[:head]}{_gap(len(text) - head - tail)}{text[-tail:]}"


def cut_pair(one: str, other: str, most: int = MOST_VALUE) -> tuple[str, str]:
    """Truncate two texts so that their first difference stays visible."""
    if max(len(one), len(other)) <= most:
        return one, other
    start = shared(one, other) - AROUND
    if start > 0:
        one, other = (_gap(start) + text[start:] for text in (one, other))
    one, other = (
        text if len(text) <= most else text[:most] + _gap(len(text) - most) for text in (one, other)
    )
    return one, other


def shared(one: str, other: str) -> int:
    """Return the length of the common prefix of two texts."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (left, right) in pairs if left != right), min(len(one), len(other)))


def _gap(count: int) -> str:
    return f" …({count:,} characters)… "


# The origin of an input, in words.

WORDS = {
    "base": "the task's own",
    "plus": "came with the data set",
    "llm": "asked of a model",
    "docstring": "example in the prompt",
    "constant": "made of a constant in the reference",
    "boundary": "boundary value",
    "guaranteed": "an edge that every suite tries",
    "hypothesis": "drawn by type",
    "generator": "made by the task's generator",
    "form": "drawn from the form that the task's inputs share, or its grammar",
    "mutation": "mutation",
    "magnitude": "very large or small numbers",
    "length": "very long or short",
}


def origin(cases: Sequence[Case], number: int, base_count: int) -> str:
    """Return the origin of a case of a suite: ``mutation of base 3 by swap``."""
    case = cases[number]
    operators = case.operators
    is_drawn = case.source == "generator" and operators and operators[0].startswith("form, ")
    text = WORDS.get("form" if is_drawn else case.source, case.source)
    if case.parent is not None and 0 <= case.parent < len(cases):
        text += f" of {'base' if case.parent < base_count else 'input'} {case.parent}"
    if operators and not is_drawn:
        text += f" by {', '.join(name.rpartition('.')[2] for name in operators)}"
    return f"{text}: {case.reason}" if case.reason else text


# The page's data on disk, as a page is built from one task's rows at a time.

TABLES = """
create table row(suite integer, task integer, entrant integer, number integer, program text,
                 data text, cpu real, memory integer);
create table program(name text primary key, solution text) without rowid;
create table part (key text primary key, body text);
"""


Kept: TypeAlias = tuple[int, int, str, Part, float | None, int | None]
"""A row: entrant, index, program's name, verdicts; CPU seconds, bytes of memory (None: unknown)."""


class PageData:
    """Rows, programs and parts in a temporary database, deleted on close."""

    def __init__(self) -> None:
        self._base = scratch_database(TABLES)
        self.size = 0
        """Total characters of all parts."""

    def __enter__(self) -> PageData:
        return self

    def __exit__(self, *_: object) -> None:
        self._base.close()

    def fill(self, suites: Sequence[Judged]) -> None:
        """Store the rows and programs of all suites, by task number."""
        with filling("a page's rows"):
            for number, suite in enumerate(suites):
                for each in suite.evaluations:
                    put = "insert into row values (?, ?, ?, ?, ?, ?, ?, ?)"
                    self._base.executemany(put, _rows(number, suite, each))
                    # As JSON, because a program may contain surrogates.
                    programs = ((name, json.dumps(text)) for name, text in each.programs())
                    self._base.executemany("insert or ignore into program values (?, ?)", programs)
            self._base.execute("create index by_task on row(suite, task, entrant, number)")

    def rows(self, suite: int, task: int) -> Iterator[Kept]:
        """Yield the rows of a task by entrant and index."""
        for entrant, number, program, data, cpu, memory in self._base.execute(
            "select entrant, number, program, data, cpu, memory from row"
            " where suite = ? and task = ? order by entrant, number, rowid",
            (suite, task),
        ):
            yield entrant, number, program, json.loads(data), cpu, memory

    def program(self, name: str) -> str | None:
        """Return a program's text; None if it was not stored."""
        rows = self._base.execute("select solution from program where name = ?", (name,))
        return next((str(json.loads(text)) for (text,) in rows), None)

    def add(self, key: str, text: str) -> None:
        """Store a part, an ASCII text."""
        with filling("the page's parts"):
            self._base.execute("insert into part values (?, ?)", (key, text))
        self.size += len(text)

    def text(self, key: str) -> str:
        """Return the text of a part."""
        return str(self._base.execute("select body from part where key = ?", (key,)).fetchone()[0])

    def parts(self) -> Iterator[tuple[str, str]]:
        """Yield keys and texts of the parts in insertion order."""
        yield from self._base.execute("select key, body from part order by rowid")


def _rows(number: int, suite: Judged, evaluation: Evaluation) -> Iterator[tuple[Any, ...]]:
    tasks = {id: place for place, id in enumerate(suite.ids)}
    sides = {
        side.group: place
        for place, side in enumerate(suite.entrants)
        if side.evaluation is evaluation
    }
    for row, cost in evaluation.measured():
        data = {"base": row["base"], "plus": row["plus"]}
        data |= {key: _failure(row[key]) for key in FAILURES if key in row}
        if "stress" in row:
            data["stress"] = row["stress"]
        if "details" in row:
            failed = (n for n, each in enumerate(row["details"]) if each not in ("pass", None))
            data |= {"failed": [*failed], "cases": len(row["details"])}
        place = tasks[row["task_id"]], sides[group_of(row)], row["index"]
        yield number, *place, row["program"], json.dumps(data), cost.cpu, cost.memory


def _failure(row: Mapping[str, Any]) -> Part:
    part = {"verdict": row["verdict"], "detail": cut(str(row["detail"]))}
    part |= {key: row[key] for key in ("case", "line") if key in row}
    if "input" in row:
        part["input"] = cut(arguments(row["input"]))
    if "actual" in row:
        one, other = row["expected"], row["actual"]
        if type(one) is str and type(other) is str and "\n" in one + other:
            part["is_text"] = True
            given = row.get("input")
            if type(given) is list and len(given) == 1 and type(given[0]) is str:
                part["input"] = cut(given[0])
        elif said := _tested(one, expected=True):
            one, other = said, _tested(other)
        else:
            one, other = source(one), source(other)
        part["expected"], part["actual"] = cut_pair(one, other)
        part["detail"] = ""  # redundant
    elif "expected" in row:
        part["expected"] = cut(_tested(row["expected"], expected=True) or source(row["expected"]))
    return part


def _tested(tree: Any, *, expected: bool = False) -> str:
    """Describe what the assertions of a unit test saw; "" for another value."""
    try:
        return in_words(from_json(tree), expected=expected)
    except CodecError:
        return ""


FIRST_CASES = 10
"""Number of a task's inputs that are always shown."""
MOST_CASES = 50
"""Maximum number of further inputs shown, those that decided most verdicts."""
MOST_FAILED = 10
"""Maximum number of other inputs shown, those on which most samples fail, if that is known."""
MOST_SAMPLES = 2_000
"""Maximum number of a task's samples on the page; the figures count all."""
LEAST_SHARED = 40
"""Minimum length of a common prefix with the prompt that is stored as a number."""
Answering: TypeAlias = Callable[[Dataset, Sequence[Task]], Iterator[Suite | None]]
"""Yields the suite of each of a data set's tasks, in order, or None."""


def task_parts(number: int, suite: Judged, pages: PageData, answering: Answering) -> Iterator[Part]:
    """Yield the part of each task of a suite, in the order of its ids."""
    tasks = {task.id: task for task in suite.data.tasks} if suite.data else {}
    order = [tasks[id] for id in suite.ids if id in tasks]
    answers = answering(suite.data, order) if suite.data and order else iter(())
    for place, id in enumerate(suite.ids):
        given = next(answers, None) if id in tasks else None
        yield _TaskPart(tasks.get(id), given).part(id, pages.rows(number, place), pages.program)


class _TaskPart:
    """A task's part while it is being built from its rows."""

    def __init__(self, task: Task | None, given: Suite | None) -> None:
        self.task = task
        self.expected = given.expected if given else ()
        self.inputs_of = given.cases if given else task.cases if task else ()
        self.base = given.base_count if given else len(task.base) if task else 0
        self.first: Counter[int] = Counter()
        self.failed: Counter[int] = Counter()
        self.inputs: dict[int, Part] = {}
        self.detailed = 0

    def part(self, id: str, rows: Iterator[Kept], program_of: Callable[[str], str | None]) -> Part:
        programs: list[str | tuple[int, str]] = []
        outcomes: list[Part] = []
        samples: list[list[Any]] = []
        places: dict[str, int | None] = {}
        known: dict[str, int] = {}
        left_out = 0
        for entrant, index, program, data, cpu, memory in rows:
            self._count(data)
            if len(samples) == MOST_SAMPLES:
                left_out += 1
                continue
            if program not in places:
                text = program_of(program)
                places[program] = None if text is None else len(programs)
                programs += [] if text is None else [self._shared(cut(text, MOST_PROGRAM))]
            key = repr((program, data))
            if key not in known:
                known[key] = len(outcomes)
                told = {name: data[name] for name in TOLD if name in data}
                outcomes.append({"program": places[program], **told})
            costs = [cpu and float(f"{cpu:.3g}"), memory]
            measured = costs if costs != [None, None] else []
            samples.append([entrant, index, known[key], *measured])
        found = {
            "id": id,
            "cases": self._cases(),
            "programs": programs,
            "outcomes": outcomes,
            "samples": samples,
            "samples_left_out": left_out,
        }
        if self.detailed:
            found["failed"] = [self.failed[case] for case in range(self.detailed)]
        if self.task is not None:
            found["prompt"] = cut(self.task.prompt, MOST_PROGRAM)
            found["reference"] = cut(self.task.reference, MOST_PROGRAM)
            found["entry_point"] = self.task.entry_point
            if contract := written_contract(self.task):
                found["contract"] = cut(contract, MOST_PROGRAM)
            # Unit tests have an internal check, but what they expect is exact.
            found["has_check"] = has_check(self.task) and self.task.harness.kind != "unittest"
            found["cases_total"], found["base_total"] = len(self.inputs_of), self.base
        return found

    def _count(self, data: Mapping[str, Any]) -> None:
        if (failure := data.get("failure")) is not None and "case" in failure:
            self.first[failure["case"]] += 1
            self.inputs.setdefault(failure["case"], failure)
        self.failed.update(data.get("failed", ()))
        self.detailed = max(self.detailed, data.get("cases", 0))

    def _shared(self, text: str) -> str | tuple[int, str]:
        """Replace a program's common prefix with the prompt by its length."""
        prompt = self.task.prompt if self.task and len(self.task.prompt) <= MOST_PROGRAM else ""
        size = shared(prompt, text)
        # In a browser, characters beyond the first plane count as two.
        return (size, text[size:]) if size >= LEAST_SHARED and text[:size].isascii() else text

    def _cases(self) -> list[Part]:
        """Return the inputs to show, by number."""
        decided = sorted(self.first, key=lambda case: (-self.first[case], case))
        others = self.failed.keys() - self.first
        failed = sorted(others, key=lambda case: (-self.failed[case], case))
        few = range(min(len(self.inputs_of), FIRST_CASES))
        numbers = sorted({*decided[:MOST_CASES], *failed[:MOST_FAILED], *few})
        return [case for number in numbers if (case := self._case(number)) is not None]

    def _case(self, number: int) -> Part | None:
        failure = self.inputs.get(number, {})
        text, source = failure.get("input"), ""
        if number < len(self.inputs_of):
            stated = cut(arguments([*map(to_json, self.inputs_of[number].arguments)]))
            # If a case could not be used, later cases have other numbers.
            if text in (None, stated):
                text, source = stated, origin(self.inputs_of, number, self.base)
        if text is None:
            return None
        part = {"number": number, "input": text, "origin": source, "first": self.first[number]}
        if "expected" in failure:
            part["expected"] = failure["expected"]
        elif source and number < len(self.expected):
            part["expected"] = cut(answer_text(self.expected[number]))
        if self.detailed:
            part["failed"] = self.failed[number]
        return part


TOLD = ("base", "plus", "stress", *FAILURES)
"""The keys of a row that an outcome has."""
