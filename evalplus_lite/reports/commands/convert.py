"""``evalplus-lite convert``: results in the forms that other tools read."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from evalplus_lite.cli.console import say
from evalplus_lite.reports.export.conversion import FORMS
from evalplus_lite.reports.export.conversion import convert as converted
from evalplus_lite.store.locations import place_of


def convert(
    folders: Annotated[
        list[Path],
        typer.Argument(
            metavar="OUT...", help="Folders or URLs that evaluate wrote.", parser=place_of
        ),
    ],
    out: Annotated[Path, typer.Option("--out", "-o", metavar="FILE", help="The file to write.")],
    to: Annotated[
        str | None,
        typer.Option(
            "--to", metavar="FORM", help=f"One of {', '.join(FORMS)}; else as FILE is named."
        ),
    ] = None,
) -> int:
    """Write results as JUnit XML, CSV, JSON lines or Parquet.

    junit (.xml) has a test suite for each model and a test case for each sample, whose failure
    holds the input that decided, what was expected and what came. csv, jsonl and parquet have a row
    for each sample with the same columns: verdicts, values as Python source, time and memory. The
    results of several folders are put together.

    [bold]Example[/bold]  evalplus-lite convert out/my-model -o results.xml
    """
    count = converted(folders, out, form=to)
    say(f"{count} samples: {out}")
    return 0
