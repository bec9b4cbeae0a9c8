"""What ``evaluate`` writes and shows in the end: the scores of each model, and the rows' forms."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from evalplus_lite.cli.console import Screen
    from evalplus_lite.pipelines.evaluation import Tally
    from evalplus_lite.pipelines.groups import Group
    from evalplus_lite.store import Journal
    from evalplus_lite.tasks import Dataset
    from evalplus_lite.types import Sample

MOST_FILES = 200
"""Models and temperatures that get a file of their own: rows may name as many as there are."""
MOST_SHOWN = 50
"""Models and temperatures that are shown in a table."""
MOST_CHARACTERS = 32 << 20
"""Programs' texts of more characters than this are left out of the file in evalplus' form."""


def grouped(journal: Journal, tally: Tally, *, pool: bool) -> dict[Group, Tally]:
    """Return the counts of each model and temperature, or those of all samples as one."""
    from evalplus_lite.pipelines.groups import Group, tallies

    if pool:
        return {Group(): tally}
    found = tallies((row.data for row in journal.rows()), has_plus=tally.has_plus)
    for each in found.values():
        each.unusable = tally.unusable
    return found or {Group(): tally}


def solutions(programs: Iterable[Sample]) -> dict[str, str] | None:
    """Return the programs' texts by the names that results know them by; None if they are too long
    to be held together.
    """
    from evalplus_lite.pipelines.work.evaluation import program_hash

    found: dict[str, str] = {}
    characters = 0
    for sample in programs:
        name = program_hash(sample.source)
        if name not in found:
            found[name] = sample.source
            characters += len(sample.source)
            if characters > MOST_CHARACTERS:
                return None
    return found


def summarize(
    data: Dataset, groups: Mapping[Group, Tally], tally: Tally, ks: tuple[int, ...]
) -> dict[str, Any]:
    """Return the scores of each group, and the counts of all.

    There is no pass@k of several models or temperatures together, unless they were pooled before.
    """
    rows = [_row(data, group, each, ks) for group, each in groups.items()]
    whole = _row(data, None, tally, ks)
    if len(rows) > 1:
        whole["pass_at_k"] = None
    return {"dataset": data.name, **whole, "groups": rows}


def _row(data: Dataset, group: Group | None, tally: Tally, ks: tuple[int, ...]) -> dict[str, Any]:
    from evalplus_lite.pipelines.evaluation import missing

    scores = tally.pass_at_k(ks)
    names = {} if group is None else {"model": group.model, "temperature": group.temperature}
    return {
        **names,
        "tasks": len(tally.total),
        "samples": sum(tally.total.values()),
        "pass_at_k": {"base": scores["base"], "plus": scores.get("plus")},
        "base": dict(sorted(tally.base.items())),
        "plus": dict(sorted(tally.plus.items())) if tally.has_plus else None,
        "tasks_without_samples": missing(data.ids, tally),
    }


def write_all(
    folder: Path,
    groups: Mapping[Group, Tally],
    journal: Journal,
    ks: tuple[int, ...],
    *,
    content: str,
    solutions: Mapping[str, str] | None,
) -> None:
    """Write ``eval_results.json``, as evalplus does: a file for each model and temperature.

    Of very many, as rows may name them, the first ``MOST_FILES`` get one.
    """
    from evalplus_lite.export.evalplus_results import write_results
    from evalplus_lite.pipelines.facts import now
    from evalplus_lite.pipelines.groups import Group

    first = dict(itertools.islice(groups.items(), MOST_FILES))
    names = _file_names(first)
    only = next(iter(groups)) if len(groups) == 1 else None
    write_results(
        folder,
        {group: (names[group], tally.pass_at_k(ks)) for group, tally in first.items()},
        ((only or Group.of(row.data), row.data) for row in journal.rows()),
        dataset_hash=content,
        solutions=solutions,
        date=now(),
    )


def _file_names(groups: Mapping[Group, Tally]) -> dict[Group, str]:
    from evalplus_lite.store.labels import file_name

    if len(groups) == 1:
        return dict.fromkeys(groups, "eval_results.json")
    found: dict[Group, str] = {}
    for number, group in enumerate(groups):
        name = f"eval_results-{file_name(str(group))}.json"
        if name in found.values():
            name = f"eval_results-{file_name(str(group))}-{number}.json"
        found[group] = name
    return found


def show(summary: dict[str, Any], folder: Path, screen: Screen) -> None:
    """Print the table of scores, and what does not count in them."""
    from evalplus_lite.cli.console import percent, print_table, say
    from evalplus_lite.cli.evidence import tell
    from evalplus_lite.types import VERDICTS

    groups = summary["groups"]
    suites = ["base", "plus"] if summary["plus"] is not None else ["base"]
    ks = list(dict.fromkeys(k for row in groups for k in row["pass_at_k"]["base"]))
    seen = [v for v in VERDICTS if any((summary[suite] or {}).get(v) for suite in suites)]
    many = len(groups) > 1
    by_heat = any(row["temperature"] is not None for row in groups)
    left = ["model", *(["temperature"] if by_heat else [])] if many else []
    rows = []
    for row in groups[:MOST_SHOWN]:
        names = [row["model"] or "(not named)", *([_heat(row)] if by_heat else [])] if many else []
        for suite in suites:
            scores = [percent(row["pass_at_k"][suite].get(k)) for k in ks]
            counts = [row["samples"]] if many else []
            rows.append([*names, suite, *counts, *scores, *(row[suite].get(v, 0) for v in seen)])
    print_table(
        f"{summary['dataset']}: {summary['samples']} samples of {summary['tasks']} tasks",
        [*left, "tests", *(["samples"] if many else []), *(f"{k} %" for k in ks), *seen],
        rows,
        left=len(left) + 1,
    )
    if len(groups) > MOST_SHOWN:
        screen.note(
            f"{len(groups)} models and temperatures: the first {MOST_SHOWN} are shown, summary.json"
            f" has all; eval_results files are written of {MOST_FILES} at most"
        )
    if "plus" not in suites:
        screen.note(f"plus: none, as {summary['dataset']} has no inputs beyond the base ones")
    tell(summary, screen)
    for row in groups[:MOST_SHOWN]:
        _note_missing(row, screen, of=f"{row['model'] or '(not named)'}: " if many else "")
    for line in summary["infra"]:
        screen.note(f"not scored, the machine failed: {line}")
    say(f"every verdict, with the input that decided it: {folder / 'results.jsonl'}")


def _heat(row: Mapping[str, Any]) -> str:
    return "" if row["temperature"] is None else f"{row['temperature']:g}"


def _note_missing(row: Mapping[str, Any], screen: Screen, *, of: str) -> None:
    without = row["tasks_without_samples"]
    if without:
        shown = ", ".join(without[:5]) + (" ..." if len(without) > 5 else "")
        screen.note(f"{of}tasks without a sample do not count: {len(without)} ({shown})")
