"""``evalplus-lite compare``: compare models on the same tests, with statistical significance."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import typer

from evalplus_lite.cli import options
from evalplus_lite.cli.console import name_report, print_tables, say
from evalplus_lite.cli.run import Run, takes
from evalplus_lite.errors import InputError
from evalplus_lite.jobs.session import Result
from evalplus_lite.jobs.tables import MOST_PAIRS, Table, percent, points, short
from evalplus_lite.jobs.tables import markdown as escaped
from evalplus_lite.reports import comparison
from evalplus_lite.reports.page.rendering import table_page
from evalplus_lite.statistics.paired import LEVEL
from evalplus_lite.store import write_text

MOST_IDS = MOST_CHANGES = 10
"""Maximum number of tasks named on a line, and of changed verdicts shown for a pair."""
MOST_FLIPS = 50
"""Maximum number of tasks, and of samples, that --markdown lists for a pair."""
FEW_PAIRS = 3
"""Up to this number of pairs, won and lost tasks are named."""


@takes("json")
def compare(
    run: Run,
    folders: list[Path] = options.folders(
        "DIR...", "Folders written by evaluate, or folders that contain them."
    ),
    rank: bool = typer.Option(False, "--rank", help="Rank the models, in a table for each suite."),
    out: Path | None = typer.Option(
        None,
        "--out",
        "-o",
        metavar="FILE",
        help="Also write the tables: .md, .html, .tex or .json.",
    ),
    markdown: bool = typer.Option(
        False, "--markdown", help="Print what flipped, for a comment on a pull request."
    ),
    k: int = typer.Option(1, "--k", min=1, help="Compare pass@k."),
    common: bool = typer.Option(
        False, "--common", help="Compare on the tasks that all have, if tests differ."
    ),
    fail_if_worse: bool = typer.Option(
        False,
        "--fail-if-worse",
        help="Exit with 1 if a later one is significantly worse, or lacks tasks.",
    ),
    fail_if_worse_by: float | None = typer.Option(
        None,
        "--fail-if-worse-by",
        metavar="POINTS",
        min=0,
        max=100,
        help="Exit with 1 if a later one is lower by more percentage points, or lacks tasks.",
    ),
) -> int:
    """Compare or rank models by their results, with intervals and exact tests.

    Each model and temperature in the folders is compared with every other; if all folders have the
    same several models, each is compared with itself across folders. A difference is second -
    first, paired by task, with a 95 % interval; p is exact and Holm-adjusted for the number of
    pairs; the MDE is the smallest true difference that the tests would detect with 80 % power. If
    the same programs were judged twice, changed verdicts are listed with the deciding case. Folders
    that were judged by different tests are rejected, unless --common is given.

    With --rank, a model's rank is one more than the number of models that are significantly better
    (5 % after Holm), so equal ranks are ties.

    [bold]Example[/bold]  evalplus-lite compare out/old out/new --fail-if-worse
    [bold]Example[/bold]  evalplus-lite compare out/old out/new --markdown
    [bold]Example[/bold]  evalplus-lite compare out --rank -o leaderboard.html
    """
    write = _writer(out)
    if rank:
        run.refuse("common fail_if_worse fail_if_worse_by markdown", "does not go with --rank")
        ranked = comparison.leaderboard(folders, k=k)
        write(ranked)
        return run.ended(ranked, lambda: _show(ranked, folders, out))
    result = comparison.compare(folders, k=k, common=common)
    write(result)
    worse = []
    if fail_if_worse:
        worse += [(pair, "significantly (5 %)") for pair in result.worse()]
    if fail_if_worse_by is not None:
        by = f"by more than {fail_if_worse_by:g} points"
        worse += [(pair, by) for pair in result.worse(fail_if_worse_by)]
    # What a later one was not judged on cannot be said not to be worse; --common does not ask.
    is_gate = fail_if_worse or fail_if_worse_by is not None
    lacking = result.lacking() if is_gate and not common else []
    absent = is_gate and result.summary.get("without_samples")

    def show() -> None:
        if markdown:
            for part in (part for pair in result.summary["pairs"] for part in _flipped(pair)):
                for line in part.split("\n"):
                    say(line)
            return
        _show(result, folders, out)
        for pair, by in worse:
            say(f"worse {by}: {pair['second']} than {pair['first']}")
        for pair in lacking:
            missing = _some(pair["only_first"])
            say(f"not judged: {pair['second']} lacks tasks of {pair['first']}: {missing}")

    return run.ended(result, show, attention=lambda: worse or lacking or absent)


def _writer(out: Path | None) -> Any:
    """Return a function that writes a result's tables in the format of a file's extension."""
    forms = {
        ".md": lambda result: "\n".join(
            f"## {escaped(table.title)}\n\n{table.to_markdown()}\n"
            + (f"{escaped(table.caption)}\n\n" if table.caption else "\n")
            for table in result.tables()
        ),
        ".html": lambda result: table_page("evalplus_lite: models compared", result.tables()),
        ".tex": lambda result: "\n".join(table.to_latex() for table in result.tables()),
        ".json": Result.to_json_text,
    }
    if out is None:
        return lambda result: None
    form = forms.get(out.suffix.lower())
    if form is None:
        remedy = f"end it in {', '.join(forms)}"
        raise InputError("has no ending that names a format", path=out, remedy=remedy)
    return lambda result: write_text(out, form(result))


def _show(result: Result, folders: Sequence[Path], out: Path | None) -> None:
    """Print the tables, and an explanation for each pair."""
    print_tables(result.tables())
    pairs = result.summary.get("pairs", ())
    for pair in pairs[:MOST_PAIRS]:
        _tell(pair, "plus" if pair["plus"] else "base", is_long=len(pairs) <= FEW_PAIRS)
    for folder in result.summary.get("without_samples", ()):
        say(f"left out, no sample was judged: {folder}")
    for name, values in result.summary.get("differs", {}).items():
        say(f"{name} differs: {', '.join(map(short, values))}")
    if out is not None:
        say(f"written: {out}")
    name_report(*folders)


def _tell(pair: Mapping[str, Any], suite: str, *, is_long: bool) -> None:
    """Print what a pair's figures mean, the tasks won and lost, and changed verdicts."""
    say("")
    say(_meaning(pair, suite))
    if is_long:
        for key in ("won", "lost"):
            if ids := pair[suite][f"tasks_{key}"]:
                say(f"  {key} by {pair['second']} on {suite}: {_some(ids)}")
    for key, side in (("only_first", "first"), ("only_second", "second")):
        if pair[key]:
            say(f"  not counted, only the {side} has them: {len(pair[key])} ({_some(pair[key])})")
    if pair["changes"] is not None:
        _changes(pair["changes"])


def _meaning(pair: Mapping[str, Any], suite: str) -> str:
    row, first, second = pair[suite], pair["first"], pair["second"]
    if row["visible"] is None:
        return f"{second} and {first} do the same on every task"
    if row["p_holm"] < LEVEL:
        which = "better" if row["difference"] > 0 else "worse"
        return f"{second} is significantly {which} than {first} (5 %)"
    return (
        f"{second} and {first}: no significant difference (5 %); one of"
        f" {percent(row['visible'])} points would most likely have been detected"
    )


def _flipped(pair: Mapping[str, Any]) -> Iterator[str]:
    """Yield Markdown lines on tasks that flipped between two runs, or samples that both judged."""
    suite = "plus" if pair["plus"] else "base"
    row = pair[suite]
    gap = f"{points(row['difference'])} points on {suite}, {comparison.p_words(row['p_holm'])}"
    yield f"### {escaped(pair['first'])} → {escaped(pair['second'])}: {escaped(gap)}\n"
    for name, key in (("Worse", "lost"), ("Better", "won")):
        if ids := row[f"tasks_{key}"]:
            more = f" and {len(ids) - MOST_FLIPS} more" if len(ids) > MOST_FLIPS else ""
            yield f"- {name} ({len(ids)}): {', '.join(map(escaped, ids[:MOST_FLIPS]))}{more}"
    for side in SIDES:
        if ids := pair[f"only_{side}"]:
            yield f"- Not counted, only {escaped(pair[side])} has samples: {len(ids)} tasks"
    changes = pair["changes"]
    if changes and changes["changed"]:
        rows = [
            (f"{each['task_id']}#{each['index']}", *_sides(each), _case(each).removeprefix("; "))
            for each in changes["shown"][:MOST_FLIPS]
        ]
        table = Table("flipped", "", ("sample", *SIDES, "why"), rows, left=4)
        yield f"\n{table.to_markdown()}"
    if not (row["tasks_lost"] or row["tasks_won"] or (changes and changes["changed"])):
        yield "No verdict flipped."
    yield ""


def _changes(changes: Mapping[str, Any]) -> None:
    say(f"  the same {changes['samples']} programs, judged twice: {changes['changed']} verdicts"
        " changed")  # fmt: skip
    for kind, count in changes["counts"].items():
        say(f"    {kind}: {count}")
    for each in changes["shown"][:MOST_CHANGES]:
        sides = " -> ".join(_sides(each))
        say(f"    {each['task_id']} sample {each['index']}: {sides}{_case(each)}")


SIDES = ("first", "second")


def _sides(change: Mapping[str, Any]) -> list[str]:
    return [f"{change[side]['base']}/{change[side]['plus'] or '-'}" for side in SIDES]


def _case(change: Mapping[str, Any]) -> str:
    """Return the deciding case, from the last side on which the program failed."""
    for side in reversed(SIDES):
        if failure := change[side].get("failure"):
            return f"; input {short(failure['input'])}: {short(failure['detail'])} ({side})"
    return ""


def _some(ids: Sequence[str]) -> str:
    return ", ".join(ids[:MOST_IDS]) + (f", ... ({len(ids)})" if len(ids) > MOST_IDS else "")
