"""Results other than verdicts as tables: quality, cross-validation, audits, mining, predictions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evalplus_lite.jobs.outputs import Kind, Output
from evalplus_lite.reports.page.document import Section
from evalplus_lite.reports.page.gathering import arguments_text, cut, value_text

MOST_ROWS = 500
"""Rows of a table that a page shows."""


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of texts under ``heads``; the first ``left`` columns are texts, the others numbers."""

    title: str
    heads: Sequence[str]
    rows: Sequence[Sequence[str]]
    left: int = 1
    note: str = ""


def table_sections(outputs: Sequence[Output]) -> Iterator[Section]:
    """Yield a section for each kind of result that there is, with the tables of all of its kind."""
    for kind, (title, lead, tables) in VIEWS.items():
        found = [each for each in outputs if each.kind == kind]
        if found:
            parts = [(str(each.path), list(tables(each.summary))) for each in found]
            context = {"title": title, "lead": lead, "parts": parts, "most": MOST_ROWS}
            yield Section(kind, title, "tables.html", context)


def _quality(summary: Mapping[str, Any]) -> Iterator[Table]:
    counts = summary["programs"]
    title = (
        f"{summary['tasks']} tasks, {counts['right']} right and {counts['wrong']} wrong programs"
    )
    pairs = [(suite, kind) for suite in summary["suites"] for kind in ("all", "base")
             if suite.get(kind)]  # fmt: skip
    yield Table(
        title,
        ["suite", "cases", "a task", "right accepted", "wrong rejected",
         "wrong ones past base rejected", "tasks all rejected", "mutants noticed"],
        [
            (
                suite["name"],
                kind,
                f"{suite['cases_a_task'][kind]:.1f}",
                *(_share(suite[kind].get(key)) for key in
                  ("tpr", "tnr", "tnr_past_base", "verifier_accuracy")),
                _share(suite["mutants"][kind]["score"]) if suite.get("mutants") else "–",
            )
            for suite, kind in pairs
        ],
        left=2,
    )  # fmt: skip
    yield Table(
        "Wrong programs that N cases drawn at random reject",
        ["suite", "cases", "N = 1 %", "N = 10 %", "N = 100 %", "mean over N %", "all %"],
        [
            (
                suite["name"],
                kind,
                *(_at(suite[kind]["coverage"]["curve"], n) for n in (1, 10, 100)),
                _percent(suite[kind]["coverage"]["area"]),
                _percent(suite[kind]["detection_rate"]["value"]),
            )
            for suite, kind in pairs
        ],
        left=2,
    )


def _crossval(summary: Mapping[str, Any]) -> Iterator[Table]:
    yield Table(
        f"{summary['dataset']}: failures on plus inputs of unseen models that are still rejected",
        ["suite", "plus inputs a task", "rejected", "% [95 %]", "random %", "in contract"],
        [
            (
                line["policy"],
                f"{line['size']:.1f}",
                f"{line['kept']:.0f}/{line['failures']}",
                _sure(line["share"], line["interval"]),
                _percent(line["share_random"]),
                f"{line['kept_accepted']:.0f}/{line['failures_accepted']}",
            )
            for line in summary["pooled"]
        ],
    )
    yield Table(
        "pass@1 of each model, left out",
        ["model", "suite", "base %", "all %", "chosen %", "random %"],
        [
            (line["model"], line["policy"],
             *(_percent(line["pass@1"][kind]) for kind in ("base", "plus", "reduced", "random")))
            for line in summary["models"]
        ],
        left=2,
    )  # fmt: skip


def _audit(summary: Mapping[str, Any]) -> Iterator[Table]:
    yield Table(
        f"{summary['dataset']}: {summary['heard']} of {summary['tasks']} tasks had two programs"
        " to compare",
        ["task", "doubtful", "inputs", "of", "most votes", "of programs"],
        [
            (each["task_id"], each["kind"],
             *(str(each[key]) for key in ("disputed", "heard", "votes", "jurors")))
            for each in summary["findings"]
        ],
        left=2,
    )  # fmt: skip
    yield Table(
        "The clearest inputs: who says what",
        ["task", "input", "the reference", "programs"],
        [
            (
                each["task_id"],
                cut(arguments_text(example["input"])),
                _said(example["reference"]),
                "; ".join(
                    f"{camp['programs']}: {_said(camp['says'])}"
                    for camp in example["camps"]
                    if camp["programs"]
                ),
            )
            for each in summary["findings"]
            for example in each["examples"]
        ],
        left=4,
    )


def _mining(summary: Mapping[str, Any]) -> Iterator[Table]:
    yield Table(
        "What is left after each stage",
        ["stage", "left"],
        [(name, str(count)) for name, count in summary["counts"].items()],
    )
    yield Table(
        "Rejected",
        ["stage", "reason", "functions"],
        [(row["stage"], row["reason"], str(row["count"])) for row in summary["rejects"]],
        left=2,
    )


def _score(summary: Mapping[str, Any]) -> Iterator[Table]:
    rows = [(name, _percent(value)) for name, value in summary.get("pass_at_k", {}).items()]
    yield Table("Predictions that are right", ["", "%"], rows)
    yield Table(
        "By package and statistic",
        ["group", "", "cases", "functions", "pass@1 %"],
        [
            (row["group"], row["name"], str(row["cases"]), str(row["tasks"]),
             _percent(row["pass@1"]))
            for row in summary["tables"]
        ],
        left=2,
    )  # fmt: skip
    yield Table(
        "Why predictions are wrong",
        ["reason", "predictions"],
        [(name, str(count)) for name, count in summary["wrong"].items()],
    )


def _said(answer: Mapping[str, Any]) -> str:
    """Return what a program or the reference did on an input of an audit."""
    if "value" in answer:
        return cut(value_text(answer["value"]))
    return cut(", ".join(f"{key} {value}" for key, value in answer.items()))


def _share(row: Mapping[str, Any] | None) -> str:
    if not row or not row["total"]:
        return "–"
    return f"{row['hits']}/{row['total']}: {_sure(row['value'], row['interval'])}"


def _sure(value: float | None, interval: Iterable[float] | None) -> str:
    ends = f" [{', '.join(map(_percent, interval))}]" if interval else ""
    return f"{_percent(value)}{ends}"


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{100 * share:.1f}"


def _at(curve: Sequence[float], number: int) -> str:
    return _percent(curve[number - 1]) if len(curve) >= number else "–"


VIEWS: Mapping[Kind, tuple[str, str, Callable[[Mapping[str, Any]], Iterator[Table]]]] = {
    "quality": (
        "Quality",
        "How well the suites tell right programs from wrong ones. Shares come with their counts"
        " and 95 % intervals.",
        _quality,
    ),
    "crossval": (
        "Cross-validation",
        "Small suites that were chosen by other models' samples, and judged by a model that was"
        " left out.",
        _crossval,
    ),
    "audit": (
        "Audit",
        "Inputs on which most programs that pass the base tests contradict the reference: for"
        " review, not proof.",
        _audit,
    ),
    "mining": ("Mining", "Functions of packages on their way to execution tasks.", _mining),
    "score": (
        "Predictions",
        "How many predictions of what programs do are right.",
        _score,
    ),
}
"""By kind of output: the section's title, what it shows, and its tables."""
