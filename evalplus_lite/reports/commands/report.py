"""``evalplus-lite report``: what jobs wrote as one page."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from evalplus_lite.cli import options
from evalplus_lite.cli.arguments import all_names
from evalplus_lite.cli.console import print_json, say
from evalplus_lite.cli.setup import started
from evalplus_lite.reports import reporting
from evalplus_lite.store.locations import place_of


def report(
    outputs: Annotated[
        list[Path],
        typer.Argument(
            metavar="OUT...",
            help="Folders or URLs of results, or ones that hold such.",
            parser=place_of,
        ),
    ],
    dataset: Annotated[
        list[str] | None,
        typer.Option(
            "--dataset",
            "-d",
            metavar="NAME|PATH",
            help="The tasks that judged: prompts, references, inputs; several times.",
            callback=all_names,
        ),
    ] = None,
    out: Annotated[
        Path, typer.Option("--out", "-o", metavar="FILE", help="The page to write.")
    ] = Path("report.html"),
    title: Annotated[str, typer.Option("--title", help="What the page is called.")] = "",
    json: options.Json = False,
) -> int:
    """Show results as one HTML file: scores, every task, every sample and why it fails.

    The file needs no network, and no other file: it can be sent, kept, and opened anywhere. More
    than about 10 MB of samples are split, a file a task in a folder beside it. A suite among the
    outputs and published data sets are found without --dataset.

    [bold]Example[/bold]  evalplus-lite report out/my-model out/other-model -d humaneval+
    """
    with started() as (session, screen):
        result = reporting.report(
            outputs, datasets=dataset or (), out=out, title=title, session=session
        )
    summary = result.summary
    if json:
        print_json(summary)
        return 0
    for suite in summary["suites"]:
        if not suite["has_tasks"]:
            screen.note(
                f"{suite['name']}: prompts, references and inputs are missing from the page; give"
                " the data set that judged with --dataset"
            )
    beside = f", and {summary['files'] - 1} beside it" if summary["files"] > 1 else ""
    say(f"{summary['out']}{beside}: {summary['bytes'] / 1e6:.1f} MB, to open in a browser")
    return 0
