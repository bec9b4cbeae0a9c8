"""``evalplus-lite compare``: who does better on the same tests, and whether that is sure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from evalplus_lite.cli import options
from evalplus_lite.cli.app import BARE
from evalplus_lite.cli.console import (
    name_report,
    percent,
    print_json,
    print_table,
    say,
    short,
    sure,
)
from evalplus_lite.errors import InputError
from evalplus_lite.reports import comparison
from evalplus_lite.statistics.paired import LEVEL
from evalplus_lite.store.locations import place_of

MOST_IDS = 10
"""Tasks that are named on a line."""
MOST_CHANGES = 10
"""Changed verdicts of a pair that are shown."""
MOST_PAIRS = 50
"""Pairs that a table shows."""
FEW_PAIRS = 3
"""Up to so many pairs, won and lost tasks are named."""

Folders = Annotated[
    list[Path],
    typer.Argument(
        metavar="DIR...",
        help="Folders or URLs that evaluate wrote, or folders of such.",
        parser=place_of,
    ),
]


def compare(
    folders: Folders,
    k: Annotated[int, typer.Option("--k", min=1, help="Compare pass@k.")] = 1,
    common: Annotated[
        bool,
        typer.Option("--common", help="Other tests on each side: the tasks that both have."),
    ] = False,
    fail_if_worse: Annotated[
        str | None,
        typer.Option(
            "--fail-if-worse",
            metavar="[POINTS]",
            help="Exit with 1 if a later one is worse: beyond doubt, or by over POINTS %.",
        ),
    ] = None,
    json: options.Json = False,
) -> int:
    """Say which of several models or runs does better, by how much, and whether that is sure.

    Each model and temperature in the folders is compared with each other, or, if all folders have
    the same several, with its namesakes. Differences are the second less the first, task by task,
    with a 95 % interval; p is exact, and corrected for the number of pairs (Holm); beside it stands
    the smallest true difference that so many tasks would most likely have shown. Of the same
    programs judged twice, the verdicts that changed are listed with the case that decided. Only
    tasks that both sides have count. Folders that were judged by other tests are refused, unless
    --common is given.

    [bold]Example[/bold]  evalplus-lite compare out/old out/new --fail-if-worse
    """
    points = _points(fail_if_worse)
    result = comparison.compare(folders, k=k, common=common)
    if json:
        print_json(result.summary)
    else:
        show(result.summary)
        name_report(*folders)
    worse = [] if fail_if_worse is None else result.worse(points)
    if worse and not json:
        by = "beyond doubt (95 %)" if points is None else f"by more than {points:g} points"
        for pair in worse:
            say(f"worse {by}: {pair['second']} than {pair['first']}")
    return 1 if worse else 0


def _points(given: str | None) -> float | None:
    """Return the number of ``--fail-if-worse``; None if it stands alone, or is not given."""
    if given is None or given == BARE["--fail-if-worse"]:
        return None
    try:
        points = float(given)
    except ValueError:
        points = -1
    if not 0 <= points <= 100:
        raise InputError(
            f"--fail-if-worse is {given!r}", remedy="give percentage points from 0 to 100, or none"
        )
    return points


def show(summary: Mapping[str, Any]) -> None:
    """Print the entrants, each pair's difference, and what is to be known of it."""
    entrants, pairs = summary["entrants"], summary["pairs"]
    suites = [suite for suite in ("base", "plus") if entrants[0][suite] is not None]
    print_table(
        f"{summary['dataset']}: pass@{summary['k']}",
        ["model", "tasks", "samples", *(f"{suite} % [95 %]" for suite in suites)],
        [
            (
                each["label"],
                each["tasks"],
                each["samples"],
                *(sure(each[suite]["value"], each[suite]["interval"]) for suite in suites),
            )
            for each in entrants
        ],
    )
    many = ["p"] if len(pairs) == 1 else ["p", "p (Holm)"]
    print_table(
        "how much better the second does, in percentage points" + _of(len(pairs), MOST_PAIRS),
        ["first, second", "tests", "tasks", "difference [95 %]", *many, "visible", "won", "lost"],
        [
            (
                f"{pair['first']}, {pair['second']}",
                suite,
                pair["tasks"],
                _difference(pair[suite]),
                *map(chance, (pair[suite]["p"], pair[suite]["p_holm"])[: len(many)]),
                percent(pair[suite]["visible"]),
                len(pair[suite]["tasks_won"]),
                len(pair[suite]["tasks_lost"]),
            )
            for pair in pairs[:MOST_PAIRS]
            for suite in suites
        ],
        left=2,
    )
    say("visible: the smallest true difference that is found with 80 % power at 5 %")
    for pair in pairs[:MOST_PAIRS]:
        _tell(pair, suites[-1], is_long=len(pairs) <= FEW_PAIRS)
    for name, values in summary["differs"].items():
        say(f"{name} differs: {', '.join(map(short, values))}")


def chance(p: float) -> str:
    """Return a p-value with three decimals."""
    return "<0.001" if p < 0.001 else f"{p:.3f}"


def points(value: float) -> str:
    """Return a difference in percentage points, with its sign."""
    return f"{100 * value:+.1f}"


def _difference(row: Mapping[str, Any]) -> str:
    return f"{points(row['difference'])} [{', '.join(map(points, row['interval']))}]"


def _tell(pair: Mapping[str, Any], suite: str, *, is_long: bool) -> None:
    """Say what a pair's figures mean, which tasks are won and lost, and what changed."""
    say("")
    say(_meaning(pair, suite))
    if is_long:
        for key in ("won", "lost"):
            if ids := pair[suite][f"tasks_{key}"]:
                say(f"  {key} by {pair['second']} on {suite}: {_some(ids)}")
    for key, side in (("only_first", "first"), ("only_second", "second")):
        if pair[key]:
            say(
                f"  not counted, as only the {side} has them: {len(pair[key])} ({_some(pair[key])})"
            )
    if pair["changes"] is not None:
        _changes(pair["changes"])


def _meaning(pair: Mapping[str, Any], suite: str) -> str:
    row, first, second = pair[suite], pair["first"], pair["second"]
    if row["visible"] is None:
        return f"{second} and {first} do the same on every task"
    if row["p_holm"] < LEVEL:
        which = "better" if row["difference"] > 0 else "worse"
        return f"{second} is {which} than {first} beyond doubt (95 %)"
    return (
        f"{second} and {first}: no difference beyond doubt (95 %); a true one of"
        f" {percent(row['visible'])} points would most likely have been seen"
    )


def _changes(changes: Mapping[str, Any]) -> None:
    say(f"  the same {changes['samples']} programs, judged twice: {changes['changed']} verdicts"
        " changed")  # fmt: skip
    for kind, count in changes["counts"].items():
        say(f"    {kind}: {count}")
    for each in changes["shown"][:MOST_CHANGES]:
        sides = [f"{each[side]['base']}/{each[side]['plus'] or '-'}" for side in SIDES]
        say(f"    {each['task_id']} sample {each['index']}: {' -> '.join(sides)}{_case(each)}")


SIDES = ("first", "second")


def _case(change: Mapping[str, Any]) -> str:
    """Return the case that decided, on the side that the program failed last."""
    for side in reversed(SIDES):
        if failure := change[side].get("failure"):
            return f"; input {short(failure['input'])}: {short(failure['detail'])} ({side})"
    return ""


def _some(ids: Sequence[str]) -> str:
    return ", ".join(ids[:MOST_IDS]) + (f", ... ({len(ids)})" if len(ids) > MOST_IDS else "")


def _of(count: int, most: int) -> str:
    return f" (the first {most} of {count} pairs)" if count > most else ""
