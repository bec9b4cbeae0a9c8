"""Predictions of several models as the tables and figures of the paper that mining follows."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from evalplus_lite.errors import InputError
from evalplus_lite.exe import findings
from evalplus_lite.exe.asking.judging import judge_by
from evalplus_lite.exe.asking.predict import Prediction
from evalplus_lite.exe.asking.score import GradedPrediction
from evalplus_lite.exe.findings import GradedTasks, ModelGrades, Place
from evalplus_lite.exe.prediction import graded_all
from evalplus_lite.exe.statistics.measures import TIME
from evalplus_lite.exe.task_files import KnownTasks
from evalplus_lite.exe.tasks.mined import MinedTask
from evalplus_lite.jobs.datasets import file_facts, run_facts
from evalplus_lite.jobs.session import Result, Session, made_folder, within
from evalplus_lite.models import ModelSource, Prices
from evalplus_lite.reports.figure_files import figures
from evalplus_lite.reports.reporting import report
from evalplus_lite.store import parse_json, read_jsonl, read_text
from evalplus_lite.store.labels import labels, stem

NAME = "exe-report.json"
PAGE = "report.html"


@dataclass(frozen=True, slots=True)
class ExecutionReportResult(Result):
    """All figures: ``folder`` holds them, with pictures, tables and a page."""

    folder: Path

    kind: ClassVar[str] = "exe_report"

    def to_rows(self) -> list[dict[str, Any]]:
        """Return a row a model: ``model``, ``all``, ``errors``, ``functions``, ``runs``, ..."""
        return list(self.summary["models"])


def exe_report(
    tasks: str | os.PathLike[str],
    predictions: Sequence[str | os.PathLike[str]] | Mapping[str, str | os.PathLike[str]],
    *,
    out: str | os.PathLike[str],
    times: str | os.PathLike[str] | None = None,
    prices: Mapping[str, Prices] | Prices | None = None,
    judge: ModelSource | None = None,
    pictures: bool = True,
    session: Session | None = None,
) -> ExecutionReportResult:
    """Say what models' predictions show: each table and figure of the EXecution-Eval paper.

        exe_report("out/mined/tasks.jsonl", ["out/a.predictions.jsonl"], out="out/exe")

    ``predictions`` are files of ``predict``, or of CRUXEval's generations; files of one model at
    one temperature are further runs of it. A mapping gives the models' names. ``times`` is the file
    of CPU times, by default the one beside the tasks; ``prices`` are those of a million tokens, of
    all models or by name ("" of others). Written to ``out``: ``exe-report.json`` with every
    number, pictures as SVG and PNG (unless ``pictures`` is false), tables as Markdown, LaTeX and
    CSV, and a page, ``report.html``. What there is no data for is listed under ``missing`` with the
    reason. Raises InputError for files that cannot be read, and predictions of other tasks.
    """
    folder = made_folder(out)
    given = KnownTasks.of(tasks)
    known = given.tasks
    if not known:
        raise InputError("holds no task", path=Path(tasks), remedy="make it with mine")
    named = _named(predictions)
    with within(session) as opened:
        models = _graded(given, named, judge, opened)
        missing: list[dict[str, str]] = []
        seconds = dict(_seconds(known, tasks, times, missing))
        material = GradedTasks(known, models, seconds)
        missing += [
            {"name": model.label, "reason": f"all {model.undecided} predictions are not judged"}
            for model in models
            if not model.runs
        ]
        by_model = _by_model(prices, [*(model.label for model in models), *_writers(known)])
        summary = {
            "run": run_facts(
                tasks=file_facts([Path(tasks)]),
                predictions=file_facts([path for _, path in named]),
            ),
            **_computed(material, by_model, missing),
            **given.facts(),
            "undecided": sum(model.undecided for model in models),
            "missing": missing,
        }
        result = ExecutionReportResult(summary, folder)
        result.write_summary(folder / NAME)
        drawn = figures(
            [folder / NAME], out=folder, pictures=pictures, only=["execution"], session=opened
        )
        summary["figures"] = [
            {
                **row,
                "heads": list(table.columns),
                "left": table.left,
                "rows": [list(cells) for cells in table.rows],
            }
            for row in drawn.to_rows()
            if (table := drawn.by_name[row["name"]])
        ]
        summary["missing"] = drawn.summary["missing"]
        result.write_summary(folder / NAME)
        report([folder / NAME], out=folder / PAGE, title="Execution prediction", session=opened)
    return result


def _named(
    predictions: Sequence[str | os.PathLike[str]] | Mapping[str, str | os.PathLike[str]],
) -> list[tuple[str, Path]]:
    """Return each file with its model's name; a name that is there twice has several runs."""
    if isinstance(predictions, Mapping):
        return [(name, Path(path)) for name, path in predictions.items()]
    paths = [Path(path) for path in predictions]
    if not paths:
        raise InputError("no predictions were given", remedy="name a file that predict wrote")
    known = [_settings(path) for path in paths]
    several = {each.get("model") for each in known if each}
    heats = {each: {s.get("temperature") for s in known if s.get("model") == each}
             for each in several}  # fmt: skip
    found = []
    for path, own, fallback in zip(paths, known, labels(paths), strict=True):
        name = own.get("model")
        if not isinstance(name, str):
            found.append((fallback, path))
        elif len(heats[name]) > 1:
            found.append((f"{name} at {own.get('temperature')}", path))
        else:
            found.append((name, path))
    return found


def _settings(path: Path) -> Mapping[str, Any]:
    """Return what ``predict`` was asked with; nothing where it does not say."""
    place = path.with_name(f"{stem(path)}.settings.json")
    if not place.is_file():
        return {}
    found = parse_json(read_text(place), path=place)
    return found if isinstance(found, dict) else {}


def _graded(
    given: KnownTasks,
    named: Sequence[tuple[str, Path]],
    judge: ModelSource | None,
    session: Session,
) -> list[ModelGrades]:
    decide = None if judge is None else judge_by(judge)
    found: dict[str, ModelGrades] = {}
    for label, path in named:
        model = found.setdefault(label, ModelGrades(label))
        said = _of_kinds(path, list(given.predictions(path)))
        before = 1 + max(model.runs, default=-1)

        def take(_: MinedTask, each: GradedPrediction, model: ModelGrades = model,
                 before: int = before) -> None:  # fmt: skip
            model.take(each, run=before + each.prediction.sample)

        try:
            graded_all(given.tasks, said, judge=decide, told=take, session=session)
        except InputError as error:
            raise InputError(f"{path}: {error}") from None
    return list(found.values())


def _of_kinds(path: Path, said: list[Prediction]) -> list[Prediction]:
    """Return predictions; InputError if some are of outputs and some of inputs."""
    if len({each.of for each in said}) > 1:
        raise InputError(
            "holds predictions of outputs and of inputs",
            path=path,
            remedy="report on one kind at a time",
        )
    return said


def _seconds(
    known: Mapping[str, MinedTask],
    tasks: str | os.PathLike[str],
    times: str | os.PathLike[str] | None,
    missing: list[dict[str, str]],
) -> Iterator[tuple[Place, float]]:
    """Yield CPU seconds of cases; those of tasks whose number of cases differs are left out."""
    place = (
        Path(times) if times is not None else Path(tasks).with_name(f"{stem(tasks)}.times.jsonl")
    )
    if times is None and not place.is_file():
        missing.append({"name": TIME, "reason": f"there is no {place.name} beside the tasks"})
        return
    odd = 0
    for row in read_jsonl(place):
        id, seconds = row.data.get("task_id"), row.data.get("seconds")
        if not isinstance(seconds, list) or not all(isinstance(s, int | float) for s in seconds):
            raise InputError("is no row of times", path=place, line=row.line)
        task = known.get(str(id))
        if task is None:
            continue
        if len(seconds) != len(task.cases):
            odd += 1
            continue
        yield from (((task.id, case), float(each)) for case, each in enumerate(seconds))
    if odd:
        reason = f"{place.name} has another number of cases for {odd} of the tasks"
        missing.append({"name": TIME, "reason": reason})


def _writers(known: Mapping[str, MinedTask]) -> list[str]:
    """Return the models that wrote inputs; "" for those that rows do not name."""
    facts = (task.facts.get("generation", {}) for task in known.values())
    return sorted({str(each.get("model", "")) for each in facts})


def _by_model(
    prices: Mapping[str, Prices] | Prices | None, names: Sequence[str]
) -> Mapping[str, Prices]:
    """Return the prices by model; InputError for one of a model that is not there."""
    if isinstance(prices, Prices):
        prices = {"": prices}
    prices = prices or {}
    if unknown := sorted(set(prices) - {"", *names}):
        raise InputError(
            f"a price is for {unknown[0]!r}",
            remedy=f"the models are {', '.join(filter(None, names))}",
        )
    others = {name: prices[""] for name in names if "" in prices}
    return {**others, **prices}


def _computed(
    material: GradedTasks, prices: Mapping[str, Prices], missing: list[dict[str, str]]
) -> dict[str, Any]:
    """Return every number of the report."""
    tasks = list(material.tasks.values())
    found = {
        "cases": sum(len(task.cases) for task in tasks),
        "answered": len(material.answered),
        "same_cases": findings.is_same_cases(material),
        "models": list(findings.model_rows(material, prices)),
        "questions": list(findings.question_rows(material)),
        "repositories": findings.repositories(material),
        "packages": list(findings.package_rows(material)),
        "trends": list(findings.trend_rows(material)),
        "constructs": list(findings.construct_rows(material)),
        "called_most": findings.called_most(material),
        "sizes": list(findings.size_rows(tasks)),
        "variation": list(findings.variation_rows(tasks)),
        "generation": findings.generation(tasks, prices),
    }
    if not material.errors:
        missing.append({"name": "errors", "reason": "no answered case raises"})
    return found
