"""What a page says of each task, made of the rows of all entrants, a task at a time."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias, cast

from evalplus_lite.errors import CodecError
from evalplus_lite.jobs.outputs import (
    Cost,
    Evaluation,
    ModelRun,
    TaskCount,
    arguments,
    group_of,
    source,
)
from evalplus_lite.reports.comparison import Ranking, ranking
from evalplus_lite.reports.page.document import (
    CasePart,
    EntrantPart,
    FailurePart,
    OutcomePart,
    SuitePart,
    TaskPart,
)
from evalplus_lite.store.rows import filling, scratch_database
from evalplus_lite.tasks import Dataset
from evalplus_lite.tasks.contracts import has_check
from evalplus_lite.tasks.unit_tests import in_words, written_contract
from evalplus_lite.types import Case, Suite, Task
from evalplus_lite.values.codec import from_json, to_json
from evalplus_lite.values.source import SHOWN_BYTES, decode_answer, literal, shown

# Evaluations side by side: those of the same tasks and inputs, and what a page's index says.

MISSING = (
    "Prompts, references and inputs were not given: call report with -d and the data set that"
    " judged ({name}, content {content})."
)


@dataclass(frozen=True, slots=True)
class Judged:
    """The runs judged by one content, ranked, with the ids of all tasks any of them has.

    ``data`` are the tasks themselves, None where they were not found.
    """

    ranking: Ranking
    ids: Sequence[str]
    data: Dataset | None

    @property
    def entrants(self) -> Sequence[ModelRun]:
        """The runs, from the best."""
        return self.ranking.runs

    @property
    def evaluations(self) -> list[Evaluation]:
        """The evaluations that the runs are of, each once."""
        return list({id(each.evaluation): each.evaluation for each in self.entrants}.values())

    @property
    def name(self) -> str:
        """The data set's name."""
        return self.entrants[0].evaluation.dataset

    @property
    def content(self) -> str:
        """The hash of what judged."""
        return self.entrants[0].evaluation.content


def judged(evaluations: Sequence[Evaluation], data: Mapping[str, Dataset]) -> list[Judged]:
    """Return evaluations by content, in first order; ``data`` has tasks by content."""
    found: dict[str, list[Evaluation]] = {}
    for each in evaluations:
        found.setdefault(each.content, []).append(each)
    result = []
    for content, some in found.items():
        ranked = ranking(some)
        known = {id for side in ranked.runs for id in side.counts}
        tasks = data.get(content)
        order = [id for id in tasks.all_ids if id in known] if tasks else []
        rest = dict.fromkeys(id for side in ranked.runs for id in side.counts)
        result.append(Judged(ranked, list(dict.fromkeys([*order, *rest])), tasks))
    return result


KEPT = tuple(EntrantPart.__annotations__)
"""Keys of a ranking's row that the page needs."""


def suite_part(suite: Judged) -> SuitePart:
    """Return the index's part on a suite."""
    rows = suite.ranking.rows
    missing = "" if suite.data else MISSING.format(name=suite.name, content=suite.content[:12])
    return {
        "name": suite.name,
        "content": suite.content,
        "has_plus": any(side.evaluation.has_plus for side in suite.entrants),
        "missing": missing,
        "verdict": suite.ranking.verdict,
        "of_tasks": suite.ranking.tasks,
        "entrants": [cast(EntrantPart, {key: row[key] for key in KEPT}) for row in rows],
        "tasks": [
            {"id": id, "counts": [_counts(side.counts.get(id)) for side in suite.entrants]}
            for id in suite.ids
        ],
    }


def _counts(count: TaskCount | None) -> tuple[int, int, int] | None:
    return None if count is None else (count.total, count.base_right, count.plus_right)


# Texts as a page shows them: values as Python writes them, and long ones cut.

MOST_VALUE = 2_000
"""Characters of a value that are shown."""
MOST_PROGRAM = 20_000
"""Characters of a program that are shown."""
AROUND = 200
"""Characters alike that stay before the first difference of two long values."""


def answer_text(data: bytes) -> str:
    """Return an expected output in wire form as Python writes it; a very large one is named."""
    try:
        # Sets are written in one order, whatever the hash seed.
        if len(data) > SHOWN_BYTES:
            return shown(data)
        value = decode_answer(data)
        return in_words(value, expected=True) or literal(value, quote=repr)
    except (CodecError, ValueError, RecursionError):
        return "a value that cannot be shown"


def cut(text: str, most: int = MOST_VALUE) -> str:
    """Return a text, its middle left out and counted if it is longer."""
    if len(text) <= most:
        return text
    head, tail = most * 2 // 3, most // 3
    return f"{text[:head]}{_gap(len(text) - head - tail)}{text[-tail:]}"


def cut_pair(one: str, other: str, most: int = MOST_VALUE) -> tuple[str, str]:
    """Return two texts, cut so that their first difference is seen."""
    if max(len(one), len(other)) <= most:
        return one, other
    alike = shared(one, other)
    if alike > AROUND:
        start = alike - AROUND
        one, other = (_gap(start) + text[start:] for text in (one, other))
    return _head(one, most), _head(other, most)


def shared(one: str, other: str) -> int:
    """Return how many characters two texts have in common at their beginning."""
    for place, (left, right) in enumerate(zip(one, other, strict=False)):
        if left != right:
            return place
    return min(len(one), len(other))


def _head(text: str, most: int) -> str:
    return text if len(text) <= most else text[:most] + _gap(len(text) - most)


def _gap(count: int) -> str:
    return f" …({count:,} characters)… "


# Where an input comes from, in words.

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
    """Return where a case of a suite comes from: ``mutation of base 3 by swap``."""
    case = cases[number]
    operators = case.operators
    is_drawn = case.source == "generator" and operators and operators[0].startswith("form, ")
    text = WORDS.get("form" if is_drawn else case.source, case.source)
    if case.parent is not None and 0 <= case.parent < len(cases):
        text += f" of {'base' if case.parent < base_count else 'input'} {case.parent}"
    if operators and not is_drawn:
        text += f" by {', '.join(name.rpartition('.')[2] for name in operators)}"
    return f"{text}: {case.reason}" if case.reason else text


# Result rows by task, on disk: a page is made of one task's rows at a time.

ROW_TABLES = """
create table row(task integer, entrant integer, number integer, program text, data text,
                 cpu real, memory integer);
create table program(name text primary key, solution text) without rowid;
"""


class Kept(NamedTuple):
    """A row: whose it is (``entrant``), its index, its program's name, what became of it, and what
    it took: seconds of CPU and bytes, None if not known.
    """

    entrant: int
    number: int
    program: str
    data: dict[str, Any]
    cpu: float | None
    memory: int | None


class PageRows:
    """Rows and programs in a temporary database, gone when this is closed; a context manager."""

    def __init__(self) -> None:
        self._base = scratch_database(ROW_TABLES)

    def __enter__(self) -> PageRows:
        return self

    def __exit__(self, *_: object) -> None:
        self._base.close()

    def put(self, rows: Iterable[tuple[int, Kept]]) -> None:
        """Keep rows, each with its task's number."""
        lines = (
            (task, *kept[:3], json.dumps(kept.data), kept.cpu, kept.memory) for task, kept in rows
        )
        with filling("a page's rows"):
            self._base.executemany("insert into row values (?, ?, ?, ?, ?, ?, ?)", lines)

    def put_programs(self, programs: Iterable[tuple[str, str]]) -> None:
        """Keep programs' texts by name; one that is known already stays."""
        rows = ((name, json.dumps(text)) for name, text in programs)  # which may hold surrogates
        with filling("a page's rows"):
            self._base.executemany("insert or ignore into program values (?, ?)", rows)

    def sort(self) -> None:
        """Make what was put ready to be read by task."""
        with filling("a page's rows"):
            self._base.execute("create index by_task on row(task, entrant, number)")

    def rows(self, task: int) -> Iterator[Kept]:
        """Yield the rows of a task by entrant and index."""
        for entrant, number, program, data, cpu, memory in self._base.execute(
            "select entrant, number, program, data, cpu, memory from row where task = ?"
            " order by entrant, number, rowid",
            (task,),
        ):
            yield Kept(entrant, number, program, json.loads(data), cpu, memory)

    def program(self, name: str) -> str | None:
        """Return a program's text, None if it was not kept."""
        found = self._base.execute("select solution from program where name = ?", (name,))
        for (text,) in found:
            return str(json.loads(text))
        return None


FIRST_CASES = 10
"""Inputs of a task that are shown whatever they decided."""
MOST_CASES = 50
"""Inputs of a task that are shown for what they decided: those that decided most verdicts."""
MOST_FAILED = 10
"""And of those that decided nothing, the ones that most samples fail on, where that is known."""
MOST_SAMPLES = 2_000
"""Samples of a task that have a page; the figures count all."""
LEAST_SHARED = 40
"""Characters of the prompt at a program's beginning that are worth not repeating."""
FAILURES = ("failure", "smallest", "stress_failure")


def shelve(suite: Judged, shelf: PageRows) -> None:
    """Put the rows and programs of a suite's entrants on a shelf, by the tasks' numbers."""
    numbers = {id: number for number, id in enumerate(suite.ids)}
    sides = {}
    for place, side in enumerate(suite.entrants):
        sides[id(side.evaluation), side.model, side.temperature] = place
    for each in suite.evaluations:
        shelf.put(
            (numbers[row["task_id"]], _kept(row, cost, sides[id(each), *group_of(row)]))
            for row, cost in each.measured()
        )
        shelf.put_programs(each.programs())
    shelf.sort()


def _kept(row: Mapping[str, Any], cost: Cost, entrant: int) -> Kept:
    data: dict[str, Any] = {"base": row["base"], "plus": row["plus"]}
    data |= {key: _failure(row[key]) for key in FAILURES if key in row}
    if "stress" in row:
        data["stress"] = row["stress"]
    if "details" in row:
        data["failed"] = [n for n, each in enumerate(row["details"]) if each not in ("pass", None)]
        data["cases"] = len(row["details"])
    return Kept(entrant, row["index"], row["program"], data, cost.cpu, cost.memory)


def _failure(row: Mapping[str, Any]) -> FailurePart:
    found: FailurePart = {"verdict": row["verdict"], "detail": cut(str(row["detail"]))}
    if "case" in row:
        found["case"] = row["case"]
    if "line" in row:
        found["line"] = row["line"]
    if "input" in row:
        found["input"] = cut(arguments(row["input"]))
    if "actual" in row:
        one, other = row["expected"], row["actual"]
        if type(one) is str and type(other) is str and "\n" in one + other:
            found["is_text"] = True
            if "input" in row and type(row["input"]) is list and len(row["input"]) == 1:
                (given,) = row["input"]
                found["input"] = cut(given) if type(given) is str else found["input"]
        else:
            one, other = (
                (_tested(one, expected=True), _tested(other))
                if _tested(one, expected=True)
                else (source(one), source(other))
            )
        found["expected"], found["actual"] = cut_pair(one, other)
        found["detail"] = ""  # which says the same again
    elif "expected" in row:
        found["expected"] = cut(_tested(row["expected"], expected=True) or source(row["expected"]))
    return found


def _tested(tree: Any, *, expected: bool = False) -> str:
    """Return what the assertions of a unit test saw in words, "" for another value."""
    try:
        return in_words(from_json(tree), expected=expected)
    except CodecError:
        return ""


Answering: TypeAlias = Callable[[Dataset, Sequence[Task]], Iterator[Suite | None]]
"""Gives the suite of each of a data set's tasks, in order; None for one that has none."""


def task_parts(suite: Judged, shelf: PageRows, answering: Answering) -> Iterator[TaskPart]:
    """Yield what the page says of each task of a suite, in the order of its ids."""
    tasks = {task.id: task for task in suite.data.tasks} if suite.data else {}
    order = [tasks[id] for id in suite.ids if id in tasks]
    answers = answering(suite.data, order) if suite.data and order else iter(())
    for number, id in enumerate(suite.ids):
        yield _Gathered(tasks.get(id), next(answers, None) if id in tasks else None).part(
            id, shelf, number
        )


class _Gathered:
    """A task's part while its rows come in."""

    def __init__(self, task: Task | None, given: Suite | None) -> None:
        self.task = task
        self.expected = given.expected if given else ()
        self.inputs_of = given.cases if given else task.cases if task else ()
        self.base = given.base_count if given else len(task.base) if task else 0
        self.outcomes: list[OutcomePart] = []
        self.programs: list[str | tuple[int, str]] = []
        self.samples: list[list[Any]] = []
        self.first: Counter[int] = Counter()
        self.failed: Counter[int] = Counter()
        self.inputs: dict[int, FailurePart] = {}
        self.left_out = self.detailed = 0

    def part(self, id: str, shelf: PageRows, number: int) -> TaskPart:
        known: dict[str, int] = {}
        texts: dict[str, int | None] = {}
        for kept in shelf.rows(number):
            self._count(kept.data)
            if len(self.samples) == MOST_SAMPLES:
                self.left_out += 1
                continue
            if kept.program not in texts:
                texts[kept.program] = self._program(shelf.program(kept.program))
            key = repr((kept.program, kept.data))
            if key not in known:
                known[key] = len(self.outcomes)
                self.outcomes.append({"program": texts[kept.program], **_told(kept.data)})  # type: ignore[typeddict-item]
            known_costs = (kept.cpu, kept.memory) != (None, None)
            costs = (_rounded(kept.cpu), kept.memory) if known_costs else ()
            self.samples.append([kept.entrant, kept.number, known[key], *costs])
        found: TaskPart = {
            "id": id,
            "cases": self._cases(),
            "programs": self.programs,
            "outcomes": self.outcomes,
            "samples": self.samples,
            "samples_left_out": self.left_out,
        }
        if self.detailed:
            found["failed"] = [self.failed[case] for case in range(self.detailed)]
        if self.task is not None:
            found["prompt"] = cut(self.task.prompt, MOST_PROGRAM)
            found["reference"] = cut(self.task.reference, MOST_PROGRAM)
            found["entry_point"] = self.task.entry_point
            if contract := written_contract(self.task):
                found["contract"] = cut(contract, MOST_PROGRAM)
            # Unit tests have a check of ours: what they expect is what they say.
            found["has_check"] = has_check(self.task) and self.task.harness.kind != "unittest"
            found["cases_total"], found["base_total"] = len(self.inputs_of), self.base
        return found

    def _count(self, data: Mapping[str, Any]) -> None:
        if (failure := data.get("failure")) is not None and "case" in failure:
            self.first[failure["case"]] += 1
            self.inputs.setdefault(failure["case"], failure)
        self.failed.update(data.get("failed", ()))
        self.detailed = max(self.detailed, data.get("cases", 0))

    def _program(self, text: str | None) -> int | None:
        if text is None:
            return None
        self.programs.append(self._shared(cut(text, MOST_PROGRAM)))
        return len(self.programs) - 1

    def _shared(self, text: str) -> str | tuple[int, str]:
        """Return a program without what it begins with of the prompt."""
        prompt = self.task.prompt if self.task and len(self.task.prompt) <= MOST_PROGRAM else ""
        size = shared(prompt, text)
        # Characters beyond the first plane count twice in a browser.
        if size < LEAST_SHARED or not text[:size].isascii():
            return text
        return size, text[size:]

    def _cases(self) -> list[CasePart]:
        """Return the inputs to show, by number."""
        total = len(self.inputs_of)
        decided = sorted(self.first, key=lambda case: (-self.first[case], case))
        failed = sorted(
            self.failed.keys() - self.first, key=lambda case: (-self.failed[case], case)
        )
        numbers = {*decided[:MOST_CASES], *failed[:MOST_FAILED], *range(min(total, FIRST_CASES))}
        return [case for number in sorted(numbers) if (case := self._case(number)) is not None]

    def _case(self, number: int) -> CasePart | None:
        known = self.inputs.get(number)
        text, source = known.get("input") if known else None, ""
        if number < len(self.inputs_of):
            stated = cut(arguments([*map(to_json, self.inputs_of[number].arguments)]))
            # Where a case could not be used, those after it have other numbers.
            if text in (None, stated):
                text, source = stated, origin(self.inputs_of, number, self.base)
        if text is None:
            return None
        found: CasePart = {
            "number": number,
            "input": text,
            "origin": source,
            "first": self.first[number],
        }
        if known is not None and "expected" in known:
            found["expected"] = known["expected"]
        elif source and number < len(self.expected):
            found["expected"] = cut(answer_text(self.expected[number]))
        if self.detailed:
            found["failed"] = self.failed[number]
        return found


def _rounded(seconds: float | None) -> float | None:
    return None if seconds is None else float(f"{seconds:.3g}")


def _told(data: Mapping[str, Any]) -> dict[str, Any]:
    keys: Sequence[str] = ("base", "plus", "stress", *FAILURES)
    return {key: data[key] for key in keys if key in data}
