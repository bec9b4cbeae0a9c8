"""The report job: results, with the tasks they were judged on, as one HTML file."""

from __future__ import annotations

import itertools
import math
import os
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import quote

from evalplus_lite.errors import EvalPlusLiteError, InputError
from evalplus_lite.jobs.datasets import SUITE, content_hash, load_dataset
from evalplus_lite.jobs.expected import SuiteSource
from evalplus_lite.jobs.outputs import (
    Evaluation,
    Output,
    evaluation_of,
    found_outputs,
    listed_paths,
)
from evalplus_lite.jobs.session import Result, Session, within
from evalplus_lite.jobs.tables import evaluation, p_value, percent, points
from evalplus_lite.reports.comparison import with_samples
from evalplus_lite.reports.page.gathering import (
    FORMAT,
    Answering,
    Judged,
    PageData,
    Part,
    judged,
    task_parts,
)
from evalplus_lite.reports.page.rendering import MOST_ROWS, Section, page, script_json
from evalplus_lite.reports.page.sections import job_sections, suite_sections
from evalplus_lite.statistics.paired import LEVEL
from evalplus_lite.store import replacing
from evalplus_lite.tasks import Dataset, names
from evalplus_lite.types import Suite, Task
from evalplus_lite.version import __version__

NAME = "report.html"
"""The page's default name in a folder."""
MOST_BYTES = 10_000_000
"""Maximum bytes of tasks in one file; beyond it, each task gets its own file."""


@dataclass(frozen=True, slots=True)
class ReportResult(Result):
    """The written report: ``out``, ``files``, ``bytes``, and the suites with their models."""

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
    """Write results as one HTML file: scores, every task, and every sample.

        report(["out/my-model", "out/other-model"], datasets=["humaneval+"], out="report.html")

    ``paths`` are folders of results, or folders that contain them. ``datasets`` provide prompts,
    references and inputs; suites among the outputs and published sets are found without it.
    Expected outputs that no file has are taken from the cache, or computed in the sandbox. ``out``
    may be a folder. If the tasks exceed ``most_bytes``, each gets its own file in a folder next to
    ``out``. The same outputs give the same bytes. Raises InputError for a path without results, and
    for a data set that judged none of them.
    """
    given = listed_paths(paths)
    outputs = found_outputs(given)
    # Evaluations inside a quality folder are part of quality's own figures.
    inner = {each.folder.resolve() for each in outputs if each.kind == "quality"}
    evaluations = [
        evaluation_of(each)
        for each in outputs
        if each.kind == "evaluation" and not inner & set(each.folder.resolve().parents)
    ]
    with within(session) as opened:
        data = _found(evaluations, datasets, outputs, opened)
        own_suites = _made(outputs, opened)
        distinct = {content_hash(each): each for each in (*own_suites, *data.values())}
        further = [
            *suite_sections(outputs, distinct.values()),
            *job_sections(outputs),
        ]
        evaluations, without = with_samples(evaluations)
        if not evaluations and not further:
            raise InputError(
                f"{', '.join(map(str, given))}: nothing that a page shows",
                remedy="give a folder that has results.jsonl and summary.json, or mutants.json",
            )
        suites = judged(evaluations, data)
        about = [suite.name for suite in suites] or [section.title for section in further[:1]]
        name = title or ", ".join(dict.fromkeys(about))
        place = Path(out) / NAME if Path(out).is_dir() else Path(out)
        answering = partial(_answers, opened)
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
        | without
    )


def _found(
    evaluations: Sequence[Evaluation],
    datasets: Iterable[Dataset | str | os.PathLike[str]],
    outputs: Sequence[Output],
    session: Session,
) -> dict[str, Dataset]:
    """Return the data sets of the evaluations, by content hash, as far as they can be found."""
    kinds = ("mutants", "reduction", "suite")
    about = {str(each.summary.get("dataset")) for each in outputs if each.kind in kinds}
    by_content: dict[str, Dataset] = {}
    for each in datasets:
        data = each if isinstance(each, Dataset) else load_dataset(each, session=session)
        matching = _matching(data, evaluations)
        if not matching and data.name in about:
            matching = {content_hash(data): data}
        if not matching:
            contents = ", ".join(f"{one.dataset} {one.content[:12]}" for one in evaluations[:5])
            raise InputError(
                f"{data.name} (content {content_hash(data)[:12]}) judged none of these results"
                f" ({contents})",
                remedy="give the data set that evaluate was given",
            )
        by_content = {**matching, **by_content}
    nearby = [each.folder / SUITE for each in outputs if (each.folder / SUITE).is_file()]
    known = dict.fromkeys(each.dataset for each in evaluations if each.dataset in names())
    sources: list[str | Path] = [*nearby, *known]
    for source in sources:
        if by_content.keys() >= {each.content for each in evaluations}:
            break
        try:
            data = load_dataset(source, session=session)
        except EvalPlusLiteError:  # not requested, so it may be missing or another version
            continue
        by_content = {**_matching(data, evaluations), **by_content}
    return by_content


def _answers(session: Session, data: Dataset, tasks: Sequence[Task]) -> Iterator[Suite | None]:
    """Yield the suite of each task: its own, a cached one, or one computed now."""
    source = SuiteSource(given=data.suites, cache=session.cache)
    without = [task for task in tasks if task.id not in data.suites]
    answers = source.suites(without, session.pool()) if without else iter(())
    try:
        for task in tasks:
            yield data.suites.get(task.id) or next(answers)
    except EvalPlusLiteError as error:  # without a sandbox, only this is missing from the page
        session.note(f"expected outputs are missing from the page: {error}")
        yield from (None for _ in tasks)


def _made(outputs: Sequence[Output], session: Session) -> list[Dataset]:
    """Return the suites among the outputs; mini suites only if there are no others."""
    kinds = [each.kind for each in outputs]
    wanted = "suite" if {*kinds} - {"reduction"} else "reduction"
    places = [each.folder / SUITE for each in outputs if each.kind == wanted]
    return [load_dataset(place, session=session) for place in places if place.is_file()]


def _matching(data: Dataset, evaluations: Sequence[Evaluation]) -> dict[str, Dataset]:
    """Return the data set, or the tasks of it that an evaluation used, by content."""
    whole = content_hash(data)
    by_content = {each.content: data for each in evaluations if each.content == whole}
    for each in evaluations:
        if each.content not in by_content:
            # The ids of all tasks of the evaluation.
            rows = itertools.chain(each.rows(), each.summary.get("unusable", ()))
            ids = {row["task_id"] for row in rows}
            ids.update(*(group["tasks_without_samples"] for group in each.summary["groups"]))
            part = data.only([id for id in data.ids if id in ids] or None)
            if len(part) < len(data) and content_hash(part) == each.content:
                by_content[each.content] = part
    return by_content


# Pairs of models: their difference, its significance, and the tasks it comes from.

MOST_PAIRS = 45
"""Maximum number of pairs on a page: those of ten models."""


def pairings(suite: Judged, links: Mapping[str, str]) -> Iterator[Part]:
    """Yield a row for each pair of ranked models, with the first model's lead.

    A row has the two labels, ``tests`` (figures for base tests and, if there are more, all tests)
    and the tasks ``won`` and ``lost`` on all tests: ids with their addresses from ``links``.
    """
    places = {row["label"]: place for place, row in enumerate(suite.ranking.rows)}
    for pair in suite.ranking.pairs[:MOST_PAIRS]:
        # In a pair, the second has the higher score; here it comes first.
        labels = pair["second"], pair["first"]
        last = pair[suite.ranking.suite]
        asked = f"first={places[labels[0]]}&second={places[labels[1]]}"
        yield {
            "labels": labels,
            "tests": [
                {
                    "name": name,
                    "difference": points(row["difference"]),
                    "ends": f"[{', '.join(map(points, row['interval']))}]",
                    "p": p_value(row["p_holm"]),
                    "visible": percent(row["visible"]),
                    "is_sure": row["p_holm"] < LEVEL,
                }
                for name in ("base", "plus")
                if (row := pair[name])
            ],
            **{
                key: [(id, _beside(links[id], asked)) for id in last[f"tasks_{key}"]]
                for key in ("won", "lost")
            },
        }


def _beside(link: str, asked: str) -> str:
    """Return the address of the comparison of two models on a link's task."""
    path, _, query = link.partition("?")
    return f"{path}/compare?{'&'.join(filter(None, [query, asked]))}"


# The section on a suite: scores with intervals, a map of tasks and models, and a table.

LEVELS = ("none", "up to 25 %", "up to 50 %", "up to 75 %", "below all", "all")
"""Labels of the classes ``l0`` to ``l5``: shares of right samples."""
NO_SAMPLE = 6


def suite_section(
    number: int, suite: Judged, part: Part, links: Sequence[str], title: str
) -> Section:
    """Return the section of a suite (``number`` from 0); ``links`` are its tasks' addresses."""
    tasks = part["tasks"]
    context = {
        "suite": part,
        "number": number,
        "links": links,
        "pairs": list(pairings(suite, dict(zip(suite.ids, links, strict=True)))),
        "unranked": [row["label"] for row in suite.ranking.unranked],
        "levels": LEVELS,
        "paths": [_paths(tasks, side) for side in range(len(part["entrants"]))],
        "cells": [list(_cells(row["counts"])) for row in tasks],
        "tables": [table for each in suite.evaluations for table in evaluation(each.summary)],
        "runs": [_run(each) for each in suite.evaluations],
        "most": MOST_ROWS,
    }
    return Section(f"suite-{number + 1}", title, "suite.html", context)


Counts = tuple[int, int, int] | None
"""Samples, and how many of them are right on base and on all tests."""


def level(share: float | None) -> int:
    """Return the class of a share, as ``levelOf`` in page.js does."""
    if share is None:
        return NO_SAMPLE
    return 0 if share == 0 else 5 if share == 1 else min(math.ceil(share * 4), 4)


def _paths(tasks: Sequence[Part], side: int) -> list[tuple[int, str]]:
    """Return the squares of a model's strip for each level, base above plus."""
    paths: dict[int, list[str]] = {}
    for place, row in enumerate(tasks):
        counts = row["counts"][side]
        for which in (1, 2):
            shade = level(counts[which] / counts[0] if counts else None)
            paths.setdefault(shade, []).append(f"M{place} {which - 1}h1v1h-1z")
    return [(shade, "".join(squares)) for shade, squares in sorted(paths.items())]


def _cells(every: Sequence[Counts]) -> Iterator[tuple[int, str]]:
    """Yield the level and text of a task's cells: for all samples together, then by model."""
    shares = [counts[2] / counts[0] if counts else None for counts in every]
    defined = [share for share in shares if share is not None]
    mean = sum(defined) / len(defined) if defined else None
    yield level(mean), "–" if mean is None else f"{100 * mean:.0f} %"
    yield from zip(map(level, shares), map(_cell, every), strict=True)


def _cell(counts: Counts) -> str:
    if counts is None:
        return "–"
    total, base, plus = counts
    if total == 1:
        return "pass" if plus else "base only" if base else "fail"
    return f"{plus}/{total}" if base == plus else f"{base} → {plus}/{total}"


# Runs: their data, settings and command.


def _run(evaluation: Evaluation) -> dict[str, Any]:
    """Return the texts of a run's footer."""
    summary, run = evaluation.summary, evaluation.summary["run"]
    limits = run.get("limits") or {}
    words = ["evalplus-lite", "evaluate", "-d", evaluation.data_path]
    words += [part for each in run.get("samples", ()) for part in ("-s", str(each["path"]))]
    if limits.get("preset", "default") != "default":
        words += ["--limits", str(limits["preset"])]
    facts = {
        "evalplus_lite": run.get("version"),
        "Python": run.get("python"),
        "sandbox": run.get("sandbox"),
        "limits": ", ".join(_limits(limits)),
        "data": evaluation.content[:16],
        "samples": ", ".join(str(each["sha256"])[:16] for each in run.get("samples", ())),
    }
    return {
        "name": evaluation.label,
        "date": str(run.get("date", ""))[:10],
        "facts": [f"{name} {value}" for name, value in facts.items() if value],
        "command": shlex.join(words),
        "left_out": list(_left_out(summary)),
    }


def _limits(limits: Mapping[str, Any]) -> Iterator[str]:
    """Yield the limits of a case, of all cases, and of memory, in words."""
    if factor := limits.get("factor"):
        yield f"max({limits['floor_seconds']:g} s, {factor:g}x reference) a case"
    if total := limits.get("total_seconds"):
        yield f"{total:g} s a program"
    if memory := limits.get("memory_bytes"):
        yield f"{memory >> 20} MiB"


def _left_out(summary: Mapping[str, Any]) -> Iterator[str]:
    """Yield a sentence for each kind of sample or task that an evaluation does not count."""
    for group in summary["groups"]:
        if without := group.get("tasks_without_samples"):
            name = f"{group['model']}: " if group.get("model") else ""
            yield f"{name}{len(without)} tasks without a sample: {_some(without)}"
    if unusable := summary.get("unusable"):
        ids = [row["task_id"] for row in unusable]
        count = summary.get("unusable_samples", 0)
        yield f"{len(ids)} tasks that cannot judge ({count} samples of them): {_some(ids)}"
    rows = summary.get("rows") or {}
    if rows.get("left_out"):
        yield f"{rows['left_out']} rows of the sample files are no answers"
    if rows.get("unusable"):
        yield f"{rows['unusable']} answers cannot be programs and count as failing"
    if infra := summary.get("infra"):
        yield f"{len(infra)} samples that the machine failed on"


def _some(ids: Sequence[str]) -> str:
    return ", ".join(ids[:5]) + (" ..." if len(ids) > 5 else "")


# Files: one with everything, or an index and a file per task.


def write_report(
    path: Path,
    suites: Sequence[Judged],
    further: Sequence[Section],
    *,
    title: str,
    most: int,
    answering: Answering,
) -> list[Path]:
    """Write the page of these suites and further sections, and return its files.

    If the tasks exceed ``most`` bytes, each gets its own file in a folder next to ``path``:
    ``report-tasks`` for ``report.html``.
    """
    parts = [suite.part() for suite in suites]
    index = {"format": FORMAT, "version": __version__, "title": title, "suites": parts}
    with PageData() as pages:
        pages.fill(suites)
        for number, suite in enumerate(suites):
            for place, part in enumerate(task_parts(number, suite, pages, answering)):
                pages.add(f"task-{number}-{place}", script_json(part))
        is_whole = pages.size <= most
        files = [] if is_whole else list(_split(path, index, pages))
        sections = []
        for number, (suite, part) in enumerate(zip(suites, parts, strict=True)):
            suffix = "" if number == 0 else f"?suite={number + 1}"
            links = [
                f"{row.get('file', '')}#task/{_named(row['id'], place)}{suffix}"
                for place, row in enumerate(part["tasks"])
            ]
            name = suite.name if len(suites) > 1 else "Results"
            sections.append(suite_section(number, suite, part, links, name))
        # The index comes last, when the files it links to exist.
        inside = pages.parts() if is_whole else ()
        return [*files, _write(path, index, [*sections, *further], inside)]


def _named(id: str, place: int) -> str:
    """Return a task's name in addresses, as ``named`` in views.js does."""
    try:
        return quote(id, safe="/!'()*")
    except UnicodeEncodeError:
        return f"%40{place}"


def _split(path: Path, index: Part, pages: PageData) -> Iterator[Path]:
    """Write and yield a file for each task, and add its address to the index."""
    folder = path.with_name(f"{path.stem}-tasks")
    for number, suite in enumerate(index["suites"]):
        for place, row in enumerate(suite["tasks"]):
            row["file"] = f"{quote(os.fsencode(folder.name))}/{_name(number, place)}"
    for number, suite in enumerate(index["suites"]):
        for place in range(len(suite["tasks"])):
            key = f"task-{number}-{place}"
            inner = _near(index, number, place, path.name)
            yield _write(folder / _name(number, place), inner, (), [(key, pages.text(key))])


def _name(number: int, place: int) -> str:
    return f"{number + 1}-{place + 1}.html"


def _near(index: Part, number: int, place: int, home: str) -> Part:
    """Return the index for a task's own page: the task, and links to its neighbors."""
    suites = []
    for each, suite in enumerate(index["suites"]):
        sides = [
            {key: side[key] for key in ("label", "folder", "options")} for side in suite["entrants"]
        ]
        rows = [
            {"id": row["id"], "file": _name(each, n), "counts": row["counts"]}
            if abs(n - place) <= 1
            else None
            for n, row in enumerate(suite["tasks"] if each == number else ())
        ]
        suites.append({**suite, "entrants": sides, "tasks": rows})
    address = f"../{quote(os.fsencode(home))}"
    return {**index, "suites": suites, "home": address, "task": [number, place]}


def _write(
    path: Path, index: Part, sections: Sequence[Section], parts: Iterable[tuple[str, str]]
) -> Path:
    with replacing(path) as stream:
        for text in page(index, sections, parts):
            stream.write(text.encode("utf-8", "replace"))  # paths may not be UTF-8
    return path
