"""Suites side by side: those tasks that all of them have, and what each says of known programs."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from evalplus_lite.errors import InputError
from evalplus_lite.grading.evidence import Evidence
from evalplus_lite.pipelines.context import Session
from evalplus_lite.pipelines.datasets import content_hash, listed, prepared, require_any
from evalplus_lite.pipelines.evaluation import evaluate
from evalplus_lite.pipelines.expected import SuiteSource
from evalplus_lite.pipelines.truth import Truth, whole_verdict
from evalplus_lite.programs import program_hash
from evalplus_lite.statistics.detection import Judged, by_task, figures
from evalplus_lite.store.labels import labels
from evalplus_lite.tasks import Dataset
from evalplus_lite.types import Sample

AnyDataset: TypeAlias = Dataset | str | os.PathLike[str]


@dataclass(frozen=True, slots=True)
class ComparedSuite:
    """A dataset under a name that no other has; ``evidence`` says what each task's suite rests on.

    ``unusable`` and ``notes`` are as in every summary, each with the suite's name before it.
    """

    name: str
    data: Dataset
    evidence: Mapping[str, Evidence]
    unusable: tuple[dict[str, Any], ...]
    notes: tuple[dict[str, Any], ...]


@dataclass(frozen=True, slots=True)
class JudgedSuite:
    """What a suite says of known programs: ``row`` is its part of the summary.

    ``false_alarms`` are right programs that it rejects, ``missed`` wrong ones that it accepts;
    the machine failed on the samples in ``infra``.
    """

    row: dict[str, Any]
    false_alarms: tuple[dict[str, Any], ...]
    missed: tuple[dict[str, Any], ...]
    infra: tuple[str, ...]


def compared(
    datasets: AnyDataset | Sequence[AnyDataset],
    session: Session,
    *,
    names: Sequence[str] = (),
    strict: bool = False,
) -> list[ComparedSuite]:
    """Return the suites of these datasets, each with those tasks only that are usable in all.

    Raises InputError if there is no such task.
    """
    given = [datasets] if isinstance(datasets, Dataset | str | os.PathLike) else list(datasets)
    if not given:
        raise InputError("no dataset is given", remedy="give a suite file or a name")
    own = [each.name if isinstance(each, Dataset) else each for each in given]
    names = labels(names if len(names) == len(given) else own)
    names = [f"{name}-{n}" if name in names[:n] else name for n, name in enumerate(names)]
    sets = [prepared(each, session, strict=strict) for each in given]
    sources = [SuiteSource(given=data.suites, cache=session.cache) for data in sets]
    session.stage("suites", len(sets))
    for data, source in zip(sets, sources, strict=True):
        source.prepare(data.tasks, session.pool())
        require_any(len(source.evidence), data, source)
        session.advance()
    common = [id for id in sets[0].ids if all(id in source.evidence for source in sources)]
    if not common:
        raise InputError(
            f"{' and '.join(names)} have no usable task in common",
            remedy="compare suites for the same tasks",
        )
    found = []
    for name, data, source in zip(names, sets, sources, strict=True):
        report = listed(data, source)
        found.append(
            ComparedSuite(
                name,
                data.only(common),
                {id: source.evidence[id] for id in common},
                *(_of(name, report[kind], len(sets) > 1) for kind in ("unusable", "notes")),
            )
        )
    return found


def _of(name: str, rows: Iterable[Mapping[str, Any]], is_named: bool) -> tuple[dict[str, Any], ...]:
    """Return rows that say which suite they are about."""
    return tuple({**row, "detail": f"{name}: {row['detail']}"} if is_named else {**row}
                 for row in rows)  # fmt: skip


def judge_suite(
    suite: ComparedSuite,
    programs: Truth,
    session: Session,
    *,
    limits: Mapping[str, Any],
    seed: int,
    out: Path | None,
    force: bool,
) -> JudgedSuite:
    """Judge right and wrong programs by a suite; ``limits`` and ``out`` are those of ``evaluate``.

    Wrong ones meet every case, and for right ones that are rejected the smallest such input is
    looked for.
    """
    options: dict[str, Any] = {"extract": False, "force": force, "session": session, **limits}
    right = evaluate(
        suite.data, iter(programs.right), minimize=True, out=out and out / "right", **options
    )
    wrong = evaluate(
        suite.data, iter(programs.wrong), details=True, out=out and out / "wrong", **options
    )
    rights, wrongs = right.to_rows(), wrong.to_rows()
    whole = [by_task(_judged(rows, suite, is_base=False)) for rows in (rights, wrongs)]
    base = [by_task(_judged(rows, suite, is_base=True)) for rows in (rights, wrongs)]
    has_base = suite.data.has_plus and any(each.base for each in suite.evidence.values())
    count = len(suite.evidence)
    row = {
        "name": suite.name,
        "content": content_hash(suite.data),
        "cases_a_task": {
            "all": sum(each.cases for each in suite.evidence.values()) / count,
            "base": sum(each.base for each in suite.evidence.values()) / count,
        },
        "all": figures(*whole, seed=seed),
        "base": figures(*base, seed=seed) if has_base else None,
        "verdicts": {"right": right.summary["plus"] or right.summary["base"],
                     "wrong": wrong.summary["plus"] or wrong.summary["base"]},
        "by_task": {
            id: {
                "cases": evidence.cases,
                "base": evidence.base,
                "right": len(whole[0].get(id, ())),
                "accepted": sum(each.is_accepted for each in whole[0].get(id, ())),
                "wrong": len(whole[1].get(id, ())),
                "rejected": sum(not each.is_accepted for each in whole[1].get(id, ())),
            }
            for id, evidence in suite.evidence.items()
        },
    }  # fmt: skip
    infra = [*right.summary["infra"], *wrong.summary["infra"]]
    return JudgedSuite(
        row,
        tuple(_false_alarms(suite.name, rights, programs.right)),
        tuple(_missed(suite.name, wrongs, programs.wrong)),
        tuple(f"{suite.name}: {line}" for line in infra),
    )


def _judged(
    rows: Iterable[Mapping[str, Any]], suite: ComparedSuite, *, is_base: bool
) -> Iterator[Judged]:
    """Yield what the suite, or its base cases alone, say of the programs of result rows."""
    for row in rows:
        evidence = suite.evidence[row["task_id"]]
        count = evidence.base if is_base else evidence.cases
        # What a program that is lost was not run on counts neither way.
        known = [each for each in row.get("details", ())[:count] if each is not None]
        rejecting = sum(verdict != "pass" for verdict in known)
        verdict = row["base"] if is_base else whole_verdict(row)
        passes_base = row["base"] == "pass"
        yield Judged(row["task_id"], verdict == "pass", passes_base, rejecting, len(known))


def _false_alarms(
    name: str, rows: Iterable[Mapping[str, Any]], programs: Iterable[Sample]
) -> Iterator[dict[str, Any]]:
    rejected = [row for row in rows if whole_verdict(row) != "pass"]
    texts = _texts(rejected, programs)
    for row in rejected:
        shown = row.get("smallest") or row.get("failure") or {}
        yield {
            "suite": name,
            "task_id": row["task_id"],
            "model": row.get("model", ""),
            "verdict": whole_verdict(row),
            **{key: shown.get(key) for key in ("input", "expected", "actual", "detail")},
            "is_smallest": "smallest" in row,
            "solution": texts[row["task_id"], row["program"]],
        }


def _missed(
    name: str, rows: Iterable[Mapping[str, Any]], programs: Iterable[Sample]
) -> Iterator[dict[str, Any]]:
    accepted = [row for row in rows if whole_verdict(row) == "pass"]
    texts = _texts(accepted, programs)
    for row in accepted:
        yield {
            "suite": name,
            "task_id": row["task_id"],
            "model": row.get("model", ""),
            "solution": texts[row["task_id"], row["program"]],
        }


def _texts(
    rows: Iterable[Mapping[str, Any]], programs: Iterable[Sample]
) -> dict[tuple[str, str], str]:
    """Return the texts of the programs of result rows, by task and name."""
    wanted = {(row["task_id"], row["program"]) for row in rows}
    return {
        key: sample.source
        for sample in (programs if wanted else ())
        if (key := (sample.task_id, program_hash(sample.source))) in wanted
    }
