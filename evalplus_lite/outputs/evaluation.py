"""Evaluations as they stand in their folders: rows, programs, and counts of each entrant.

    one, two = entrants(read_evaluations(["out/my-model", "out/other-model"]))
    one.label, one.counts["HumanEval/0"].plus_right

An entrant is one model at one temperature in one folder: what is scored, ranked and compared.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from evalplus_lite.errors import InputError
from evalplus_lite.outputs.finding import Output, found_outputs
from evalplus_lite.outputs.shapes import is_cost, is_program, is_result, is_summary
from evalplus_lite.programs import program_hash
from evalplus_lite.store import parse_json, read_text
from evalplus_lite.store.labels import label
from evalplus_lite.store.parts import has_rows, written_rows
from evalplus_lite.store.reading import OWN_LINE, OWN_VALUES

RESULTS = "results.jsonl"
"""The file of results; in parts, ``results.parts.jsonl`` names these."""
COSTS = "costs.jsonl"
"""The file of what samples cost, beside the results: a row for each of theirs."""
PROGRAMS = "programs.jsonl.gz"
"""The file of programs' texts, beside the results."""


@dataclass(frozen=True, slots=True)
class Cost:
    """What judging a sample took: CPU seconds, and most bytes resident; None: not known.

    Of the program's processes, the interpreter's own memory included, and without what the
    reference took. Equal programs are run once, and have one cost.
    """

    cpu: float | None = None
    memory: int | None = None


@dataclass(frozen=True)
class Evaluation:
    """What ``evaluate`` wrote to a folder; nothing of its rows is held."""

    folder: Path
    summary: Mapping[str, Any]

    @property
    def dataset(self) -> str:
        """The name of the data set that judged."""
        return str(self.summary["dataset"])

    @property
    def content(self) -> str:
        """The hash of what judged: tasks, inputs, rules, expected outputs; alike if comparable."""
        return str(self.summary["run"]["data"]["content"])

    @property
    def has_plus(self) -> bool:
        """Whether there are verdicts on plus cases."""
        return self.summary["plus"] is not None

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield the rows of results.jsonl (docs/reference/formats.md), one in memory."""
        return self._rows(RESULTS, is_result)

    def measured(self) -> Iterator[tuple[dict[str, Any], Cost]]:
        """Yield each row with what its sample cost, as measured when it was judged."""
        costs = (
            self._rows(COSTS, is_cost)  # of what an earlier version judged the rows are empty
            if has_rows(self.folder / COSTS)
            else iter(())
        )
        for row in self.rows():
            cost = next(costs, {})
            if any(cost.get(name) != row[name] for name in ("task_id", "index", "program")):
                cost = {}
            yield row, Cost(cost.get("cpu"), cost.get("memory"))

    def _rows(
        self, name: str, is_sound: Callable[[Mapping[str, Any]], bool]
    ) -> Iterator[dict[str, Any]]:
        """Yield a file's rows; InputError names a line that is not ``is_sound``."""
        for path, row in written_rows(self.folder / name):
            if not is_sound(row.data):
                raise InputError(
                    "is no row of results",
                    path=path,
                    line=row.line,
                    remedy="judge the samples again, into another folder",
                )
            yield row.data

    def programs(self) -> Iterator[tuple[str, str]]:
        """Yield each distinct program's name, as rows have it in ``program``, and its text.

        Nothing where the texts were not kept: earlier versions left out those of large runs.
        """
        path = self.folder / PROGRAMS
        if path.is_file():
            for row in self._rows(PROGRAMS, is_program):
                yield row["program"], row["solution"]
            return
        seen: set[str] = set()
        for path in sorted(self.folder.glob("eval_results*.json")):
            text = read_text(path, max_bytes=OWN_LINE)
            found = parse_json(text, path=path, max_values=OWN_VALUES)
            for row in (row for rows in found["eval"].values() for row in rows):
                name = program_hash(row["solution"])
                if row["solution"] and name not in seen:
                    seen.add(name)
                    yield name, row["solution"]

    @cached_property
    def label(self) -> str:
        """A name for the folder's samples: that of the only sample file, else the folder's."""
        samples = self.summary["run"].get("samples", ())
        return label(samples[0]["path"]) if len(samples) == 1 else self.folder.resolve().name


def read_evaluations(paths: Iterable[str | os.PathLike[str]]) -> list[Evaluation]:
    """Return the evaluations in these folders, and below; InputError where there is none."""
    given = list(paths)
    found = [evaluation_of(each) for each in found_outputs(given) if each.kind == "evaluation"]
    if not found:
        shown = ", ".join(map(str, given)) or "no folder"
        raise InputError(
            f"{shown} given, which holds no results of evaluate",
            remedy="give a folder that has results.jsonl and summary.json",
        )
    return found


def evaluation_of(output: Output) -> Evaluation:
    """Return an output of the kind ``evaluation``."""
    if not is_summary(output.summary):
        raise InputError(
            "is no summary of evaluate", path=output.path, remedy="judge the samples again"
        )
    return Evaluation(output.folder, output.summary)


@dataclass(slots=True)
class TaskCount:
    """Of ``total`` judged samples of a task so many pass its base cases, and all of them."""

    total: int = 0
    base_right: int = 0
    plus_right: int = 0


@dataclass(frozen=True)
class Entrant:
    """One model at one temperature in one evaluation, under a label that no other has.

    ``model`` and ``temperature`` are as the rows name them; ``counts`` are by task, in the order
    of the rows. Where there are no plus cases ``plus_right`` counts the base cases alone.
    """

    label: str
    evaluation: Evaluation
    model: str | None
    temperature: float | None
    counts: Mapping[str, TaskCount]

    def is_of(self, row: Mapping[str, Any]) -> bool:
        """Return whether a row of the evaluation is this entrant's."""
        return (row.get("model") or None, row.get("temperature")) == (self.model, self.temperature)


def entrants(evaluations: Sequence[Evaluation]) -> list[Entrant]:
    """Return all models and temperatures of these evaluations, by folder, model, temperature.

    One pass over each folder's rows; memory grows with models and tasks, never with samples.
    """
    found: list[Entrant] = []
    for each in evaluations:
        groups: dict[tuple[str | None, float | None], dict[str, TaskCount]] = {}
        for row in each.rows():
            group = (row.get("model") or None, row.get("temperature"))
            count = groups.setdefault(group, {}).setdefault(row["task_id"], TaskCount())
            count.total += 1
            count.base_right += row["base"] == "pass"
            count.plus_right += (row["plus"] or row["base"]) == "pass"
        order = sorted(groups, key=lambda group: (group[0] or "", group[1] or 0.0))
        for model, heat in order:
            name = model or each.label
            name = name if heat is None else f"{name}, temperature {heat:g}"
            found.append(Entrant(name, each, model, heat, groups[model, heat]))
    names = _distinct(found)
    return [replace(each, label=name) for name, each in zip(names, found, strict=True)]


def _distinct(entrants: Sequence[Entrant]) -> list[str]:
    """Return the labels; those that several bear with their folder, then with a number."""
    names = [each.label for each in entrants]
    found: list[str] = []
    for name, each in zip(names, entrants, strict=True):
        folder = each.evaluation.folder.resolve().name
        shown = f"{name} ({folder})" if names.count(name) > 1 else name
        number = 2
        while shown in found:
            shown, number = f"{name} ({folder}, {number})", number + 1
        found.append(shown)
    return found
