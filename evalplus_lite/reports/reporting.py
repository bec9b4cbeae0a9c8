"""A page of results: outputs of jobs, with the tasks that judged, as one HTML file."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evalplus_lite.errors import EvalPlusLiteError, InputError
from evalplus_lite.jobs.datasets import content_hash, load_dataset
from evalplus_lite.jobs.expected import SuiteSource
from evalplus_lite.jobs.outputs import Evaluation, Output, evaluation_of, found_outputs
from evalplus_lite.jobs.session import Result, Session, within
from evalplus_lite.reports.page.gathering import judged
from evalplus_lite.reports.page.page import MOST_BYTES, write_report
from evalplus_lite.reports.page.suites import suite_sections
from evalplus_lite.reports.page.tables import picture_sections, table_sections
from evalplus_lite.tasks import Dataset, names
from evalplus_lite.types import Suite, Task

SUITE = "suite.jsonl.gz"
"""The file of tasks and inputs in the folders of jobs that make suites."""

NAME = "report.html"
"""The page's name where only its folder is given."""


@dataclass(frozen=True, slots=True)
class ReportResult(Result):
    """What was written: ``out``, ``files``, ``bytes``, and the suites with their models."""

    def to_rows(self) -> list[dict[str, Any]]:
        """Return a row for each suite."""
        return list(self.summary["suites"])


def report(
    paths: Sequence[str | os.PathLike[str]] | str | os.PathLike[str],
    *,
    datasets: Iterable[Dataset | str | os.PathLike[str]] = (),
    out: str | os.PathLike[str] = "report.html",
    title: str = "",
    most_bytes: int = MOST_BYTES,
    session: Session | None = None,
) -> ReportResult:
    """Write one HTML file on what jobs wrote: scores, every task, and every sample.

        report(["out/my-model", "out/other-model"], datasets=["humaneval+"], out="report.html")

    ``paths`` are folders of results, or ones that hold such. ``datasets`` give prompts, references
    and inputs; a suite among the outputs, and a published set that judged, are found without.
    Expected outputs that no file has are taken from the cache, or computed in the sandbox. Of
    more than ``most_bytes`` each task gets a file of its own, in a folder beside ``out``, which may
    be a folder itself. The same outputs give the same bytes. Raises InputError for a path without
    results, and for a data set that judged none of them.
    """
    given = [paths] if isinstance(paths, str | os.PathLike) else list(paths)
    outputs = found_outputs(given)
    # What quality judged on its way is in its own figures.
    inner = {each.folder.resolve() for each in outputs if each.kind == "quality"}
    evaluations = [
        evaluation_of(each)
        for each in outputs
        if each.kind == "evaluation" and not inner & set(each.folder.resolve().parents)
    ]
    with within(session) as opened:
        data = _found(evaluations, datasets, outputs, opened)
        made = _made(outputs, opened)
        further = [
            *suite_sections(outputs, _distinct([*made, *data.values()])),
            *table_sections(outputs),
            *picture_sections(outputs),
        ]
        if not evaluations and not further:
            raise InputError(
                f"{', '.join(map(str, given))}: nothing that a page shows",
                remedy="give a folder that has results.jsonl and summary.json, or mutants.json",
            )
        suites = judged(evaluations, data)
        about = [suite.name for suite in suites] or [section.title for section in further[:1]]
        name = title or ", ".join(dict.fromkeys(about))
        place = Path(out) / NAME if Path(out).is_dir() else Path(out)

        def answering(dataset: Dataset, tasks: Sequence[Task]) -> Iterator[Suite | None]:
            return _answers(dataset, tasks, opened)

        files = write_report(
            place, suites, further, title=name, most=most_bytes, answering=answering
        )
    return ReportResult(
        {
            "out": os.fspath(place),
            "files": len(files),
            "bytes": sum(file.stat().st_size for file in files),
            "suites": [
                {
                    "name": suite.name,
                    "content": suite.content,
                    "tasks": len(suite.ids),
                    "models": len(suite.entrants),
                    "has_tasks": suite.data is not None,
                }
                for suite in suites
            ],
        }
    )


def _found(
    evaluations: Sequence[Evaluation],
    datasets: Iterable[Dataset | str | os.PathLike[str]],
    outputs: Sequence[Output],
    session: Session,
) -> dict[str, Dataset]:
    """Return the tasks that judged, by the hash of their content, where they can be found."""
    found: dict[str, Dataset] = {}
    for each in datasets:
        data = each if isinstance(each, Dataset) else load_dataset(each, session=session)
        matching = _matching(data, evaluations)
        if not matching and data.name in _named(outputs):
            matching = {content_hash(data): data}
        if not matching:
            contents = ", ".join(f"{one.dataset} {one.content[:12]}" for one in evaluations[:5])
            raise InputError(
                f"{data.name} (content {content_hash(data)[:12]}) judged none of these results"
                f" ({contents})",
                remedy="give the data set that evaluate was given",
            )
        found = {**matching, **found}
    missing = {each.content for each in evaluations} - set(found)
    nearby = [each.folder / SUITE for each in outputs if (each.folder / SUITE).is_file()]
    known = [name for name in dict.fromkeys(each.dataset for each in evaluations)
             if name in names()]  # fmt: skip
    places: list[str | Path] = [*nearby, *known]
    for place in places:
        if not missing:
            break
        try:  # what was not asked for may be absent, or another version
            data = load_dataset(place, session=session)
        except EvalPlusLiteError:
            continue
        found = {**_matching(data, evaluations), **found}
        missing -= set(found)
    return found


def _answers(data: Dataset, tasks: Sequence[Task], session: Session) -> Iterator[Suite | None]:
    """Yield the suite of each task: the one it came with, the cached one, or one computed now."""
    source = SuiteSource(given=data.suites, cache=session.cache)
    without = [task for task in tasks if task.id not in data.suites]
    answers = source.suites(without, session.pool()) if without else iter(())
    try:
        for task in tasks:
            yield data.suites.get(task.id) or next(answers)
    except EvalPlusLiteError as error:  # no sandbox here: the page has all the rest
        session.note(f"expected outputs are missing from the page: {error}")
        yield from (None for _ in tasks)


def _named(outputs: Sequence[Output]) -> set[str]:
    """Return the names of the suites that outputs other than evaluations are about."""
    kinds = ("mutants", "reduction", "suite")
    return {str(each.summary.get("dataset")) for each in outputs if each.kind in kinds}


def _made(outputs: Sequence[Output], session: Session) -> list[Dataset]:
    """Return the suites that jobs among the outputs made; mini suites if there are no others."""
    kinds = [each.kind for each in outputs]
    wanted = "suite" if {*kinds} - {"reduction"} else "reduction"
    places = [each.folder / SUITE for each in outputs if each.kind == wanted]
    return [load_dataset(place, session=session) for place in places if place.is_file()]


def _distinct(datasets: Sequence[Dataset]) -> list[Dataset]:
    """Return data sets each once, by content."""
    return list({content_hash(each): each for each in datasets}.values())


def _matching(data: Dataset, evaluations: Sequence[Evaluation]) -> dict[str, Dataset]:
    """Return the data set, or those of its tasks that an evaluation took, by content."""
    whole = content_hash(data)
    found = {each.content: data for each in evaluations if each.content == whole}
    for each in evaluations:
        if each.content not in found:
            ids = _ids(each)
            part = data.only([id for id in data.ids if id in ids] or None)
            if len(part) < len(data) and content_hash(part) == each.content:
                found[each.content] = part
    return found


def _ids(evaluation: Evaluation) -> set[str]:
    """Return the ids of all tasks that an evaluation was of."""
    found = {row["task_id"] for row in evaluation.rows()}
    for group in evaluation.summary["groups"]:
        found.update(group["tasks_without_samples"])
    return found | {row["task_id"] for row in evaluation.summary.get("unusable", ())}
