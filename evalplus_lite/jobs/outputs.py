"""Results of jobs, read from their folders: rows, programs, and counts of each model run.

    one, two = entrants(read_evaluations(["out/my-model", "out/other-model"]))
    one.label, one.counts["HumanEval/0"].plus_right

A model run is one model at one temperature in one folder: it is scored, ranked and compared.
"""

from __future__ import annotations

import contextlib
import itertools
import math
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any, Literal, TypeAlias

from evalplus_lite.errors import CodecError, InputError, shown_path
from evalplus_lite.statistics.pass_at_k import Count
from evalplus_lite.store import parse_json, read_text
from evalplus_lite.store.journal import Memory, Rows, open_rows
from evalplus_lite.store.labels import label, stem
from evalplus_lite.store.locations import local_folder
from evalplus_lite.store.reading import OWN_LINE, OWN_VALUES, written_rows
from evalplus_lite.types import VERDICTS
from evalplus_lite.values.codec import from_json
from evalplus_lite.values.source import literal

# Required fields of rows and summaries of evaluate; files may have been edited.

LONGEST_NAME = 1 << 12
"""Characters of a task's id or a model's name."""
FAILURES = ("failure", "smallest", "stress_failure")


def is_result(row: Mapping[str, Any]) -> bool:
    """Return whether this is a row of results.jsonl (docs/reference/formats.md)."""
    # Exact types: JSON's true is a bool, which ``isinstance`` would take for an int.
    texts = ("task_id", "program", "base")
    return (
        all(type(row.get(key)) is str for key in texts)
        and type(row.get("index")) is int
        and "plus" in row
        and all(type(row.get(key)) in (str, type(None)) for key in ("plus", "model", "stress"))
        and row["base"] in VERDICTS
        and all(row.get(key) in (None, *VERDICTS) for key in ("plus", "stress"))
        and all(len(row.get(key) or "") <= LONGEST_NAME for key in ("task_id", "model"))
        and type(row.get("temperature")) in (int, float, type(None))
        and type(row.get("details", [])) is list
        and all(_is_failure(row[key]) for key in FAILURES if key in row)
    )


def _is_failure(row: Any) -> bool:
    return (
        type(row) is dict
        and type(row.get("verdict")) is str
        and type(row.get("detail")) is str
        and type(row.get("case", 0)) is int
        and type(row.get("line")) in (int, type(None))
        and ("actual" not in row or "expected" in row)
    )


def is_cost(row: Mapping[str, Any]) -> bool:
    """Return whether this is a row of costs.jsonl, which may be empty."""
    number = (int, float, type(None))
    return type(row.get("cpu")) in number and type(row.get("memory")) in number


def is_program(row: Mapping[str, Any]) -> bool:
    """Return whether this is a row of programs.jsonl.gz."""
    return type(row.get("program")) is str and type(row.get("solution")) is str


def is_summary(summary: Mapping[str, Any]) -> bool:
    """Return whether this is a summary of evaluate."""
    run, groups = summary.get("run"), summary.get("groups")
    return (
        type(run) is dict
        and type(run.get("data")) is dict
        and "content" in run["data"]
        and type(groups) is list
        and all(type(each) is dict for each in groups)
        and type(summary.get("dataset")) is str
        and "plus" in summary
    )


# Detection of the job that wrote a path, by the names of files, in folders below too.

Paths: TypeAlias = str | os.PathLike[str] | Iterable[str | os.PathLike[str]]
NAMES: Mapping[str, tuple[str, str]] = {
    "results.jsonl": ("summary.json", "evaluation"),
    "augment.journal.jsonl": ("summary.json", "suite"),
    "reduction.json": ("reduction.json", "reduction"),
    "mutants.json": ("mutants.json", "mutants"),
    "quality.json": ("quality.json", "quality"),
    "crossval.json": ("crossval.json", "crossval"),
    "lint.json": ("lint.json", "lint"),
    "exe-report.json": ("exe-report.json", "execution"),
    "efficiency.jsonl": ("efficiency.json", "efficiency"),
}
"""By the file that only one job writes: the file of its summary, and the kind of job."""
FUNNEL = ".funnel.json"
"""The ending of ``mine``'s file of rejections; its tasks may have any name."""
DEPTH = 3
"""Folders below a given one that are looked into."""
WHOLE = frozenset({"quality.json"})
"""Files whose folder belongs to one job: evaluations below are not those of models."""


@dataclass(frozen=True, slots=True)
class Output:
    """One job's output: its ``kind``, the ``folder``, and its ``summary`` as its file has it.

    Kinds are those of ``NAMES``, ``mining`` and ``score``; ``path`` is the file of the summary.
    """

    kind: str
    folder: Path
    path: Path
    summary: Mapping[str, Any]


def found_outputs(paths: Paths) -> list[Output]:
    """Return the outputs of jobs in folders and those below, each once, as the paths come.

    A path may also name a file of an output folder: then this job's alone. Raises InputError for a
    URL, for a path that does not exist or holds no output, for a run that has not ended, and for an
    unreadable summary.
    """
    # Links and nested paths may lead to one file twice: it counts once.
    by_path: dict[Path, Output] = {}
    for path in map(local_folder, listed_paths(paths)):
        if not path.exists():
            raise InputError("does not exist", path=path, remedy="give a folder of results")
        outputs = list(_below(path, DEPTH)) if path.is_dir() else list(_named(path))
        if not outputs:
            raise InputError(
                "holds no command's output",
                path=path,
                remedy=f"give a folder with one of {', '.join(sorted(NAMES))}, *{FUNNEL}",
            )
        for each in outputs:
            by_path.setdefault(each.path.resolve(), each)
    return list(by_path.values())


def listed_paths(paths: Paths) -> list[str | os.PathLike[str]]:
    """Return one path, or several, as a list."""
    return [paths] if isinstance(paths, str | os.PathLike) else list(paths)


def _below(folder: Path, depth: int) -> Iterator[Output]:
    for name in NAMES:
        if (folder / name).is_file():
            yield _read(folder, name)
    for path in sorted(folder.glob(f"*{FUNNEL}")):
        yield Output("mining", folder, path, _parsed(path))
    # Hidden folders and links are left alone: they are nobody's results, or lead in a circle.
    if depth and not any((folder / name).is_file() for name in WHOLE):
        for inner in sorted(folder.iterdir()):
            if inner.is_dir() and not inner.is_symlink() and not inner.name.startswith("."):
                yield from _below(inner, depth - 1)


def _named(path: Path) -> Iterator[Output]:
    """Yield the output that a file belongs to."""
    for name, (file, _) in NAMES.items():
        if path.name in (name, file) and (path.parent / name).is_file():
            yield _read(path.parent, name)
            return
    # The other outputs may have any name: mining's is known by the file beside it, the rest by
    # keys.
    funnel = path.with_name(f"{stem(path)}{FUNNEL}")
    if path.name.endswith(FUNNEL) or funnel.is_file():
        place = path if path.name.endswith(FUNNEL) else funnel
        yield Output("mining", path.parent, place, _parsed(place))
    elif path.suffix == ".json":
        summary = _parsed(path)
        if {"tables", "wrong"} <= set(summary):
            yield Output("score", path.parent, path, summary)


def _read(folder: Path, name: str) -> Output:
    file, kind = NAMES[name]
    path = folder / file
    if not path.is_file():
        raise InputError(
            f"has {name} but no {file}: the run has not ended",
            path=folder,
            remedy="run the same command again, it resumes where it stopped",
        )
    return Output(kind, folder, path, _parsed(path))


def _parsed(path: Path) -> Mapping[str, Any]:
    parsed = parse_json(read_text(path, max_bytes=OWN_LINE), path=path, max_values=OWN_VALUES)
    if type(parsed) is not dict:
        raise InputError("holds no JSON object", path=path, remedy="is this the right file?")
    return parsed


RESULTS = "results.jsonl"
"""The file of results."""
COSTS = "costs.jsonl"
"""The file of the samples' CPU time and memory, which vary between runs: a row for each result."""
PROGRAMS = "programs.jsonl.gz"
"""The file of the programs' texts."""
ENDS: Mapping[str, tuple[str, ...]] = {
    RESULTS: ("summary.json", "eval_results.json", "eval_results-*.json"),
    "augment.journal.jsonl": ("summary.json", "suite.jsonl.gz"),
}
"""The files that a run writes at its end, by the name of its journal."""


def unfinished(folder: Path, journal: str) -> None:
    """Remove the files that a finished run wrote at its end, as its folder gets other rows."""
    for path in [path for name in ENDS.get(journal, ()) for path in folder.glob(name)]:
        path.unlink(missing_ok=True)


@contextlib.contextmanager
def measured(folder: Path | None, rows: Rows, *, force: bool = False) -> Iterator[Rows | None]:
    """Return the journal of costs that accompanies ``rows``, with as many rows as they have.

    A cost is to be appended before its row. It is also written first: a kill can leave costs
    without rows, which are dropped here, but no row without its cost. Rows of a run that recorded
    no costs have an empty one.
    """
    if folder is None or isinstance(rows, Memory):
        yield None
        return
    # No identity is needed: ``rows`` is open, so its settings were already compared.
    journal = open_rows(folder / COSTS, identity=None, force=force)
    assert not isinstance(journal, Memory)
    with journal as costs:
        # A kill may have left costs without rows, or an earlier version rows without costs.
        judged = rows.count()
        for _ in range(judged - costs.keep(judged)):
            costs.append({})
        costs.flush()
        begin = partial(unfinished, folder, RESULTS)
        if force:
            begin()

        def before() -> None:
            begin()
            costs.flush()  # costs reach the disk before the rows that they belong to

        rows.before = before
        try:
            yield costs
        finally:
            rows.before = begin  # the costs are closed when the last rows are written


RunGroup: TypeAlias = tuple[str | None, float | None]
"""A model and a temperature; None where rows do not name it."""
Tests: TypeAlias = Literal["base", "plus"]


def group_of(row: Mapping[str, Any]) -> RunGroup:
    """Return the model and temperature of a result row, or of a summary's group."""
    return row.get("model") or None, row.get("temperature")


@dataclass(frozen=True, slots=True)
class Cost:
    """The cost of judging a sample: CPU seconds, and peak resident bytes; None: unknown.

    Of the program's processes, the interpreter's own memory included, and without the reference's
    cost. Equal programs are run once, and have one cost.
    """

    cpu: float | None = None
    memory: int | None = None


@dataclass(frozen=True)
class Evaluation:
    """The output of ``evaluate`` in a folder; its rows are not held in memory."""

    folder: Path
    summary: Mapping[str, Any]

    @property
    def dataset(self) -> str:
        """The name of the data set that judged."""
        return str(self.summary["dataset"])

    @property
    def data_path(self) -> str:
        """Where the data set was read from, as it was given: a path, or the name of a known set."""
        return str(self.summary["run"]["data"].get("path", self.dataset))

    @property
    def content(self) -> str:
        """The hash of tasks, inputs, rules, expected outputs; equal if verdicts are comparable."""
        return str(self.summary["run"]["data"]["content"])

    @property
    def has_plus(self) -> bool:
        """Whether there are verdicts on plus cases."""
        return self.summary["plus"] is not None

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield the rows of results.jsonl (docs/reference/formats.md), one in memory.

        InputError names a row that is damaged, or more or fewer rows than the summary counts.
        """
        # A row that was pasted twice would count twice: the summary knows how many there are.
        most, number = self.summary.get("samples"), 0
        for number, row in enumerate(self._rows(RESULTS, is_result), 1):
            if type(most) is int and number > most:
                raise InputError(
                    f"holds more rows than the {most} that summary.json counts",
                    path=self.folder / RESULTS,
                    line=number,
                    remedy="a row may be there twice: judge the samples again",
                )
            yield row
        if type(most) is int and number < most:
            raise InputError(
                f"holds {number} rows where summary.json counts {most}",
                path=self.folder / RESULTS,
                remedy="run the same command again, it resumes where it stopped",
            )

    def measured(self) -> Iterator[tuple[dict[str, Any], Cost]]:
        """Yield each row with its sample's cost, as measured when it was judged."""
        # Both files are read side by side; a cost of another sample counts as unknown.
        costs = self._rows(COSTS, is_cost) if (self.folder / COSTS).is_file() else iter(())
        for row in self.rows():
            cost = next(costs, {})
            if any(cost.get(name) != row[name] for name in ("task_id", "index", "program")):
                cost = {}
            yield row, Cost(cost.get("cpu"), cost.get("memory"))

    def _rows(
        self, name: str, is_sound: Callable[[Mapping[str, Any]], bool]
    ) -> Iterator[dict[str, Any]]:
        """Yield a file's rows; InputError names a line that is not ``is_sound``."""
        path = self.folder / name
        for row in written_rows(path):
            if not is_sound(row.data):
                raise InputError(
                    "is not a row of results",
                    path=path,
                    line=row.line,
                    remedy="judge the samples again, into another folder",
                )
            yield row.data

    def programs(self) -> Iterator[tuple[str, str]]:
        """Yield each distinct program's name, as rows have it in ``program``, and its text.

        Nothing where the file of texts was removed.
        """
        if (self.folder / PROGRAMS).is_file():
            for row in self._rows(PROGRAMS, is_program):
                yield row["program"], row["solution"]

    @cached_property
    def label(self) -> str:
        """A name for the folder's samples: that of the only sample file, else the folder's."""
        samples = self.summary["run"].get("samples", ())
        return label(samples[0]["path"]) if len(samples) == 1 else self.folder.resolve().name

    def name_of(self, group: RunGroup) -> str:
        """Return the name of a model at a temperature, as pages and tables show it."""
        model, heat = group
        name = model or self.label
        return name if heat is None else f"{name}, temperature {heat:g}"


def read_evaluations(paths: Paths) -> list[Evaluation]:
    """Return the evaluations in these folders, and below; InputError if there is none."""
    given = listed_paths(paths)
    outputs = found_outputs(given)
    evaluations = [evaluation_of(each) for each in outputs if each.kind == "evaluation"]
    if not evaluations:
        shown = ", ".join(map(str, given)) or "no folder"
        raise InputError(
            f"{shown} given, which holds no results of evaluate",
            remedy="give a folder that has results.jsonl and summary.json",
        )
    return evaluations


def read_evaluation(path: str | os.PathLike[str]) -> Evaluation:
    """Return the one evaluation in a folder; InputError if there is none, or several."""
    first, *others = read_evaluations(path)
    if others:
        raise InputError("holds several evaluations", path=path, remedy="give the folder of one")
    return first


def evaluation_of(output: Output) -> Evaluation:
    """Return an output of the kind ``evaluation``."""
    if not is_summary(output.summary):
        raise InputError(
            "is not a summary of evaluate", path=output.path, remedy="judge the samples again"
        )
    return Evaluation(output.folder, output.summary)


@dataclass(slots=True)
class TaskCount:
    """How many of a task's ``total`` judged samples pass its base cases, and how many all cases."""

    total: int = 0
    base_right: int = 0
    plus_right: int = 0


@dataclass(frozen=True)
class ModelRun:
    """One model at one temperature in one evaluation, under a unique label.

    ``model`` and ``temperature`` are as the rows name them; ``counts`` are by task, in the order of
    the rows. Without plus cases ``plus_right`` counts the base cases alone.
    """

    label: str
    evaluation: Evaluation
    model: str | None
    temperature: float | None
    counts: Mapping[str, TaskCount]

    @property
    def group(self) -> RunGroup:
        """The model and temperature of its rows."""
        return self.model, self.temperature

    @property
    def missing(self) -> int:
        """The number of tasks of the suite without a sample of this model."""
        summary = self.evaluation.summary
        whole = summary["tasks"] + len(summary.get("tasks_without_samples", ()))
        return max(0, int(whole) - len(self.counts))

    def right(self, tests: Tests) -> dict[str, Count]:
        """Return for each task its samples and how many of them pass the base cases, or all."""
        return {
            id: Count(each.total, each.base_right if tests == "base" else each.plus_right)
            for id, each in self.counts.items()
        }


def entrants(evaluations: Sequence[Evaluation]) -> list[ModelRun]:
    """Return all models and temperatures of these evaluations, by folder, model, temperature.

    One pass over each folder's rows; memory grows with models and tasks, never with samples.
    """
    runs: list[ModelRun] = []
    for each in evaluations:
        groups: dict[RunGroup, dict[str, TaskCount]] = {}
        for row in each.rows():
            count = groups.setdefault(group_of(row), {}).setdefault(row["task_id"], TaskCount())
            count.total += 1
            count.base_right += row["base"] == "pass"
            # Without plus cases the base cases are all there are.
            count.plus_right += (row["plus"] or row["base"]) == "pass"
        # By name and temperature, whatever the order in which samples were judged.
        order = sorted(groups, key=lambda group: (group[0] or "", group[1] or 0.0))
        for model, heat in order:
            name = each.name_of((model, heat))
            runs.append(ModelRun(name, each, model, heat, groups[model, heat]))
    # A label that several bear gets their folder, then a number: two runs of one model in folders
    # of one name still differ.
    names = [run.label for run in runs]
    labels: dict[str, ModelRun] = {}
    for name, run in zip(names, runs, strict=True):
        folder = run.evaluation.folder.resolve().name
        numbered = (f"{name} ({folder}, {number})" for number in itertools.count(2))
        unique = f"{name} ({folder})" if names.count(name) > 1 else name
        while unique in labels:
            unique = next(numbered)
        labels[unique] = replace(run, label=unique)
    return list(labels.values())


# Results as flat rows: for pandas and polars, and for files of other formats.

RESULT_COLUMNS: Mapping[str, type[str] | type[int] | type[float] | type[bool]] = {
    "folder": str,
    "dataset": str,
    "model": str,
    "temperature": float,
    "task_id": str,
    "index": int,
    "program": str,
    "passed": bool,
    "base": str,
    "plus": str,
    "stress": str,
    "case": int,
    "verdict": str,
    "detail": str,
    "line": int,
    "input": str,
    "expected": str,
    "actual": str,
    "smallest_input": str,
    "smallest_expected": str,
    "smallest_actual": str,
    "cpu": float,
    "memory": int,
}
"""The keys of a row of ``read_results``, in their order, and the type of each one's values."""


def read_results(paths: Paths) -> Iterator[dict[str, Any]]:
    """Yield the results of ``evaluate`` in a folder, or in several, as flat rows, one in memory.

        frame = pandas.DataFrame(read_results("out/my-model"), columns=RESULT_COLUMNS)
        frame = polars.DataFrame(read_results(["out/a", "out/b"]), schema=RESULT_COLUMNS)

    Every row has the keys of ``RESULT_COLUMNS``, each with a value of its type, never None: a text
    that there is none of is empty (``plus`` without plus cases, ``actual`` where nothing was
    returned), a temperature or time that is not known is nan, ``memory`` (bytes) and ``line`` 0,
    and ``case`` -1 for a program that passed. ``model`` is the name in the row, or that of the
    file of samples or of the folder. ``case``, ``verdict``, ``detail`` and ``line`` are about the
    case that decided, ``input``, ``expected`` and ``actual`` its values as Python source;
    ``smallest_...`` are those of the smallest input that ``--minimize`` found. ``cpu`` (seconds)
    and ``memory`` were measured. Lone surrogates are written as escapes, so that any file can
    hold the row.

    Raises InputError at once for a path without results of ``evaluate``, and while it reads for a
    row that is damaged.
    """
    return result_rows(read_evaluations(paths))


def result_rows(evaluations: Sequence[Evaluation]) -> Iterator[dict[str, Any]]:
    """Yield the flat rows of these evaluations."""
    for each in evaluations:
        for row, cost in each.measured():
            yield flat(each, row, cost)


def flat(evaluation: Evaluation, row: Mapping[str, Any], cost: Cost) -> dict[str, Any]:
    """Return a result row in the form of ``read_results``."""
    # Data frames want one type per column, so None has a stand-in in each.
    heat, plus, failure = row.get("temperature"), row["plus"], row.get("failure", {})
    values = {
        f"{prefix}{key}": source(case[key]) if key in case else ""
        for prefix, case in (("", failure), ("smallest_", row.get("smallest", {})))
        for key in ("input", "expected", "actual")
    }
    fields = {
        "folder": shown_path(evaluation.folder),
        "dataset": evaluation.dataset,
        "model": row.get("model") or evaluation.label,
        "temperature": math.nan if heat is None else float(heat),
        "task_id": row["task_id"],
        "index": row["index"],
        "program": row["program"],
        "passed": row["base"] == "pass" and plus in ("pass", None),
        "base": row["base"],
        "plus": plus or "",
        "stress": row.get("stress") or "",
        "case": failure.get("case", -1),
        "verdict": failure.get("verdict", ""),
        "detail": failure.get("detail", ""),
        "line": failure.get("line") or 0,
        **values,
        "cpu": math.nan if cost.cpu is None else cost.cpu,
        "memory": cost.memory or 0,
    }
    return {
        # UTF-8 cannot hold lone surrogates.
        key: each.encode("utf-8", "backslashreplace").decode() if type(each) is str else each
        for key, each in fields.items()
    }


def source(tree: Any) -> str:
    """Return a value of a result row as Python source; a shortened part stays a text."""
    if type(tree) is dict and len(tree) == 1:
        ((key, text),) = tree.items()
        # What evaluate wrote in place of a large or a broken value is text for a reader.
        if key in ("$shortened", "$unreadable") and type(text) is str:
            return text if key == "$shortened" else f"a value that cannot be read ({text})"
    try:
        return literal(from_json(tree), quote=repr)
    except (CodecError, ValueError, RecursionError):
        return "a value that cannot be shown"


def arguments(tree: Any) -> str:
    """Return the input of a result row, a list of arguments, as the arguments of a call."""
    return ", ".join(map(source, tree)) if type(tree) is list else source(tree)
