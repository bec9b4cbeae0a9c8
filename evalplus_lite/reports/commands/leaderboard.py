"""``evalplus-lite leaderboard``: many models ranked by their results."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias, get_args

import typer

from evalplus_lite.cli import options
from evalplus_lite.cli.console import name_report, print_json, print_table, say, sure
from evalplus_lite.errors import InputError, one_of
from evalplus_lite.reports import leaderboards
from evalplus_lite.reports.commands.compare import Folders
from evalplus_lite.reports.leaderboards import NOTE, LeaderboardResult
from evalplus_lite.store import write_text

Form: TypeAlias = Literal["markdown", "html", "json"]
ENDINGS: Mapping[str, Form] = {".md": "markdown", ".html": "html", ".htm": "html", ".json": "json"}


def leaderboard(
    folders: Folders,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", metavar="FILE", help="Write it: .md, .html or .json."),
    ] = None,
    to: Annotated[
        str | None,
        typer.Option("--to", metavar="FORMAT", help=f"One of {', '.join(get_args(Form))}."),
    ] = None,
    k: Annotated[int, typer.Option("--k", min=1, help="Rank by pass@k.")] = 1,
    json: options.Json = False,
) -> int:
    """Rank models by their results: base and plus, with intervals and ties.

    Takes folders that evaluate wrote, or that hold such; a board for each suite that judged. A rank
    is one more than the number of models that are better beyond doubt (paired, exact, at 5 % after
    Holm over all pairs of a board), so that equal ranks are ties. --to prints the format, -o writes
    it to a file: Markdown for a README, one HTML page, or JSON.

    [bold]Example[/bold]  evalplus-lite leaderboard out -o leaderboard.html
    """
    form = _form(to, out)
    result = leaderboards.leaderboard(folders, k=k)
    if json:
        print_json(result.summary)
    elif form is None:
        show(result)
        name_report(*folders)
    if form is not None and out is not None:
        write_text(out, _written(result, form))
        if not json:
            show(result)
            say(f"as {form}: {out}")
            name_report(*folders)
    elif form is not None and not json:
        print(_written(result, form), end="")
    return 0


def _form(to: str | None, out: Path | None) -> Form | None:
    """Return the format that is asked for by its name or by a file's ending."""
    if to is None:
        if out is None:
            return None
        if out.suffix.lower() not in ENDINGS:
            raise InputError(
                "has no ending that names a format",
                path=out,
                remedy=f"end it in {', '.join(ENDINGS)}, or give --to",
            )
        return ENDINGS[out.suffix.lower()]
    for form in get_args(Form):
        if to == form:
            return form  # type: ignore[no-any-return]  # get_args knows no types
    raise InputError(f"--to is {to!r}", remedy=one_of(to, get_args(Form)))


def _written(result: LeaderboardResult, form: Form) -> str:
    if form == "json":
        return result.to_json_text()
    return result.to_html() if form == "html" else result.to_markdown()


def show(result: LeaderboardResult) -> None:
    """Print the boards as tables."""
    for board in result.summary["boards"]:
        _board(board, result.summary["k"])
    say(NOTE)


def _board(board: Mapping[str, Any], k: int) -> None:
    has_plus = board["entrants"][0]["plus"] is not None
    suites = ["plus", "base"] if has_plus else ["base"]
    print_table(
        f"{board['dataset']}: pass@{k}, {board['tasks']} tasks",
        ["model", *(part for suite in suites for part in (f"rank on {suite}", f"{suite} % [95 %]")),
         "tasks", "samples"],
        [
            (
                each["label"],
                *(
                    part
                    for suite in suites
                    for part in (
                        each[suite]["rank"],
                        sure(each[suite]["value"], each[suite]["interval"]),
                    )
                ),
                each["tasks"],
                each["samples"],
            )
            for each in board["entrants"]
        ],
    )  # fmt: skip
    if board["fewer_tasks"]:
        say(f"judged on fewer tasks than others: {', '.join(board['fewer_tasks'])}")
