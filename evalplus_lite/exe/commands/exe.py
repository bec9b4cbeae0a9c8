"""``evalplus-lite exe``: execution tasks from packages, from mining to the paper's figures."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from evalplus_lite.cli.console import say
from evalplus_lite.cli.run import Run, takes
from evalplus_lite.errors import InputError, one_of
from evalplus_lite.exe.commands.exe_report import exe_report
from evalplus_lite.exe.commands.mine import mine
from evalplus_lite.exe.commands.predict import predict
from evalplus_lite.exe.commands.score import score
from evalplus_lite.exe.task_files import export_mined
from evalplus_lite.exe.tasks.publishing import WRITERS
from evalplus_lite.reports.commands.export import exported

app = typer.Typer(
    add_completion=False,
    name="exe",
    help="Mine execution tasks from packages, ask models about them, and score the answers.",
    no_args_is_help=True,
)


@takes("json")
def export(
    run: Run,
    tasks: Annotated[Path, typer.Argument(metavar="TASKS", help="Mined tasks (JSONL).")],
    to: Annotated[
        str, typer.Option("--to", metavar="FORMAT", help=f"One of {', '.join(WRITERS)}.")
    ],
    out: Annotated[Path, typer.Option("--out", "-o", metavar="PATH", help="The file (JSONL).")],
) -> int:
    """Write mined tasks as rows of CRUXEval, LiveCodeBench (execution) or CodeI/O.

    [bold]Example[/bold]  evalplus-lite exe export out/mined/tasks.jsonl --to cruxeval -o rows.jsonl
    """
    if to not in WRITERS:
        raise InputError(f"no format named {to!r}", remedy=one_of(to, tuple(WRITERS)))
    result = export_mined(tasks, out, format=to)
    return run.ended(result, lambda: say(exported(result)))


for name, function in {
    "mine": mine,
    "predict": predict,
    "score": score,
    "report": exe_report,
    "export": export,
}.items():
    app.command(name)(function)
