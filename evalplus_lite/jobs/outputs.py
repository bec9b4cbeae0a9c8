"""Readers for the results of jobs in their folders: rows, programs, and counts of model runs.

    one, two = entrants(read_evaluations(["out/my-model", "out/other-model"]))
    one.label, one.counts["HumanEval/0"].plus_right

A model run is one model at one temperature in one folder: the unit that is scored and compared.
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
"""Maximum length of a task's id or a model's name, in characters."""
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


# Detection of the job that wrote a path, by file names, also in subfolders.

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
"""For each file that only one job writes: the file of its summary, and the kind of job."""
FUNNEL = ".funnel.json"
"""The ending of ``mine``'s file of rejections; its tasks may have any name."""
DEPTH = 3
"""Maximum depth of subfolders to search."""
WHOLE = frozenset({"quality.json"})
"""Files whose whole folder belongs to one job, so evaluations below it are not model runs."""


@dataclass(frozen=True, slots=True)
class Output:
    """One job's output: its ``kind``, ``folder``, and the content of its ``summary`` file.

    Kinds are those in ``NAMES``, ``mining`` and ``score``; ``path`` is the summary's file.
    """

    kind: str
    folder: Path
    path: Path
    summary: Mapping[str, Any]


def found_outputs(paths: Paths) -> list[Output]:
    """Return the distinct outputs of jobs in folders and subfolders, in the order of the paths.

    A path may also name a file in an output folder, which selects only its job. Raises InputError
    for a URL, a path that does not exist or has no output, an unfinished run, and an unreadable
    summary.
    """
    # Links and nested paths may reach a file twice, but it counts once.
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
    # Skip hidden folders, which are not results, and links, which may form cycles.
    if depth and not any((folder / name).is_file() for name in WHOLE):
        for inner in sorted(folder.iterdir()):
            if inner.is_dir() and not inner.is_symlink() and not inner.name.startswith("."):
                yield from _below(inner, depth - 1)


def _named(path: Path) -> Iterator[Output]:
    """Yield the output to which a file belongs."""
    for name, (file, _) in NAMES.items():
        if path.name in (name, file) and (path.parent / name).is_file():
            yield _read(path.parent, name)
            return
    # Other outputs may have any name: mining's is recognized by the file next to it, the rest
    # by keys.
    funnel = path if path.name.endswith(FUNNEL) else path.with_name(f"{stem(path)}{FUNNEL}")
    if funnel.is_file():
        yield Output("mining", path.parent, funnel, _parsed(funnel))
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
"""The file of the samples' CPU time and memory, which vary between runs, a row per result."""
PROGRAMS = "programs.jsonl.gz"
"""The file of the programs' texts."""
ENDS: Mapping[str, tuple[str, ...]] = {
    RESULTS: ("summary.json", "eval_results.json", "eval_results-*.json"),
    "augment.journal.jsonl": ("summary.json", "suite.jsonl.gz"),
}
"""The files that a run writes at its end, by the name of its journal."""


def unfinished(folder: Path, journal: str) -> None:
    """Remove the files that a finished run wrote at its end, as its folder gets other rows."""
    for name in ENDS.get(journal, ()):
        for path in list(folder.glob(name)):
            path.unlink(missing_ok=True)


@contextlib.contextmanager
def measured(folder: Path | None, rows: Rows, *, force: bool = False) -> Iterator[Rows | None]:
    """Return the journal of costs that accompanies ``rows``, with the same number of rows.

    Append a cost before its row. Costs are also written to disk first, so a kill can leave costs
    without rows, which are dropped here, but no row without its cost. Rows from a run without
    costs get empty ones.
    """
    if folder is None or isinstance(rows, Memory):
        yield None
        return
    # No identity is needed, because the settings were compared when ``rows`` was opened.
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
"""A model and a temperature, each None if rows do not name it."""
Tests: TypeAlias = Literal["base", "plus"]


def group_of(row: Mapping[str, Any]) -> RunGroup:
    """Return the model and temperature of a result row, or of a summary's group."""
    return row.get("model") or None, row.get("temperature")


@dataclass(frozen=True, slots=True)
class Cost:
    """The cost of judging a sample: CPU seconds and peak resident bytes, each None if unknown.

    It covers the program's processes, including the interpreter's memory, but not the reference's
    runs. Equal programs are run once, and share one cost.
    """

    cpu: float | None = None
    memory: int | None = None


@dataclass(frozen=True)
class Evaluation:
    """The output of ``evaluate`` in a folder; its rows are not kept in memory."""

    folder: Path
    summary: Mapping[str, Any]

    @property
    def dataset(self) -> str:
        """The name of the data set."""
        return str(self.summary["dataset"])

    @property
    def data_path(self) -> str:
        """The data set as it was given: a path, or the name of a published set."""
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
        """Yield the rows of results.jsonl (docs/reference/formats.md), one at a time.

        Raises InputError for a damaged row, or unless there are as many rows as the summary counts.
        """
        # A row that was pasted twice would count twice, so compare with the summary's number.
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
        """Yield each row with the measured cost of its sample."""
        # Both files are read in parallel; a cost of another sample counts as unknown.
        costs = self._rows(COSTS, is_cost) if (self.folder / COSTS).is_file() else iter(())
        for row in self.rows():
            cost = next(costs, {})
            if any(cost.get(name) != row[name] for name in ("task_id", "index", "program")):
                cost = {}
            yield row, Cost(cost.get("cpu"), cost.get("memory"))

    def _rows(
        self, name: str, is_sound: Callable[[Mapping[str, Any]], bool]
    ) -> Iterator[dict[str, Any]]:
        """Yield a file's rows; raise InputError for a line that is not ``is_sound``."""
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
        """Yield the name of each distinct program, as in the rows' ``program``, and its text.

        Yield nothing if the file of texts was removed.
        """
        if (self.folder / PROGRAMS).is_file():
            for row in self._rows(PROGRAMS, is_program):
                yield row["program"], row["solution"]

    @cached_property
    def label(self) -> str:
        """A name for the folder's samples: the only sample file's, else the folder's."""
        samples = self.summary["run"].get("samples", ())
        return label(samples[0]["path"]) if len(samples) == 1 else self.folder.resolve().name

    def name_of(self, group: RunGroup) -> str:
        """Return the name of a model at a temperature, for pages and tables."""
        model, heat = group
        name = model or self.label
        return name if heat is None else f"{name}, temperature {heat:g}"


def read_evaluations(paths: Paths) -> list[Evaluation]:
    """Return the evaluations in folders and subfolders; raise InputError if there are none."""
    folders = listed_paths(paths)
    outputs = found_outputs(folders)
    evaluations = [evaluation_of(each) for each in outputs if each.kind == "evaluation"]
    if not evaluations:
        shown = ", ".join(map(str, folders)) or "no folder"
        raise InputError(
            f"{shown} given, which holds no results of evaluate",
            remedy="give a folder that has results.jsonl and summary.json",
        )
    return evaluations


def read_evaluation(path: str | os.PathLike[str]) -> Evaluation:
    """Return the only evaluation in a folder; raise InputError if there are none or several."""
    first, *others = read_evaluations(path)
    if others:
        raise InputError("holds several evaluations", path=path, remedy="give the folder of one")
    return first


def evaluation_of(output: Output) -> Evaluation:
    """Convert an output of the kind ``evaluation``."""
    if not is_summary(output.summary):
        raise InputError(
            "is not a summary of evaluate", path=output.path, remedy="judge the samples again"
        )
    return Evaluation(output.folder, output.summary)


@dataclass(slots=True)
class TaskCount:
    """A task's ``total`` judged samples, and how many pass its base cases and all cases."""

    total: int = 0
    base_right: int = 0
    plus_right: int = 0


@dataclass(frozen=True)
class ModelRun:
    """One model at one temperature in one evaluation, under a unique label.

    ``model`` and ``temperature`` are those in the rows; ``counts`` are by task, in the order of the
    rows. Without plus cases ``plus_right`` counts passes of the base cases.
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
        """Return each task's samples, and how many of them pass base tests or all tests."""
        return {
            id: Count(each.total, each.base_right if tests == "base" else each.plus_right)
            for id, each in self.counts.items()
        }


def entrants(evaluations: Sequence[Evaluation]) -> list[ModelRun]:
    """Return the model runs of these evaluations, sorted by folder, model and temperature.

    Each folder's rows are read once; memory grows with models and tasks, not with samples.
    """
    runs: list[ModelRun] = []
    for each in evaluations:
        groups: dict[RunGroup, dict[str, TaskCount]] = {}
        for row in each.rows():
            count = groups.setdefault(group_of(row), {}).setdefault(row["task_id"], TaskCount())
            count.total += 1
            count.base_right += row["base"] == "pass"
            # Without plus cases, the base cases are all cases.
            count.plus_right += (row["plus"] or row["base"]) == "pass"
        # By name and temperature, independent of the order in which samples were judged.
        for group in sorted(groups, key=lambda group: (group[0] or "", group[1] or 0.0)):
            runs.append(ModelRun(each.name_of(group), each, *group, groups[group]))
    # Repeated labels get the folder, then a number, so that two runs of one model in folders with
    # the same name differ.
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


# Results as flat rows, for pandas, polars, and files in other formats.

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
"""The keys of a row of ``read_results``, in order, with the types of their values."""


def read_results(paths: Paths) -> Iterator[dict[str, Any]]:
    """Yield the results of ``evaluate`` in one or several folders as flat rows, one at a time.

        frame = pandas.DataFrame(read_results("out/my-model"), columns=RESULT_COLUMNS)
        frame = polars.DataFrame(read_results(["out/a", "out/b"]), schema=RESULT_COLUMNS)

    Every row has the keys of ``RESULT_COLUMNS``, each with a value of its type, never None. A
    missing text is empty (``plus`` without plus cases, ``actual`` if nothing was returned), an
    unknown temperature or time is nan, unknown ``memory`` (bytes) and ``line`` are 0, and ``case``
    is -1 for a program that passed. ``model`` is the name in the row, or that of the sample file or
    folder. ``case``, ``verdict``, ``detail`` and ``line`` are about the deciding case, and
    ``input``, ``expected`` and ``actual`` its values as Python source; ``smallest_...`` are those
    of the smallest input from ``--minimize``. ``cpu`` (seconds) and ``memory`` were measured. Lone
    surrogates are escaped, so that any file can hold the row.

    Raises InputError at once for a path without results of ``evaluate``, and during iteration for
    a damaged row.
    """
    return result_rows(read_evaluations(paths))


def result_rows(evaluations: Sequence[Evaluation]) -> Iterator[dict[str, Any]]:
    """Yield the flat rows of these evaluations."""
    for each in evaluations:
        for row, cost in each.measured():
            yield flat(each, row, cost)


def flat(evaluation: Evaluation, row: Mapping[str, Any], cost: Cost) -> dict[str, Any]:
    """Return a result row in the form of ``read_results``."""
    # Data frames need one type per column, so each type has a substitute for None.
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
        # UTF-8 cannot encode lone surrogates.
        key: each.encode("utf-8", "backslashreplace").decode() if type(each) is str else each
        for key, each in fields.items()
    }


def source(tree: Any) -> str:
    """Return a value in a result row as Python source; shortened parts stay text."""
    if type(tree) is dict and len(tree) == 1:
        ((key, text),) = tree.items()
        # The replacement that evaluate wrote for a large or broken value is text for a person.
        if key in ("$shortened", "$unreadable") and type(text) is str:
            return text if key == "$shortened" else f"a value that cannot be read ({text})"
    try:
        return literal(from_json(tree), quote=repr)
    except (CodecError, ValueError, RecursionError):
        return "a value that cannot be shown"


def arguments(tree: Any) -> str:
    """Return a result row's input, a list of arguments, as the arguments of a call."""
    return ", ".join(map(source, tree)) if type(tree) is list else source(tree)
