"""``evalplus-lite exe score``: grade predictions of what code does."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from evalplus_lite.cli import options
from evalplus_lite.cli.console import name_report, print_tables, say
from evalplus_lite.cli.options import whole_numbers
from evalplus_lite.cli.run import SANDBOX, Run, takes
from evalplus_lite.exe import prediction
from evalplus_lite.exe.asking.score import ScoreReport
from evalplus_lite.exe.commands.predict import asked_of, name_left_out
from evalplus_lite.jobs.tables import ends
from evalplus_lite.models import Client


@takes(*SANDBOX)
def score(
    run: Run,
    tasks: options.Mined,
    predictions: Annotated[
        Path,
        typer.Argument(metavar="PREDICTIONS", help="What predict wrote, or CRUXEval generations."),
    ],
    k: Annotated[
        str | None,
        typer.Option(
            "--k", metavar="N,N", help="Which pass@k, of so many answers or more; default: 1,5."
        ),
    ] = None,
    of: Annotated[
        str | None,
        typer.Option("--of", metavar="WHAT", help="What generations are: output or input."),
    ] = None,
    judge: options.Judge = None,
    base_url: options.JudgeUrl = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="PATH", help="Write the report as JSON.")
    ] = None,
    grades: Annotated[
        Path | None,
        typer.Option(
            "--grades", metavar="PATH", help="Write each prediction with its grade (JSONL)."
        ),
    ] = None,
) -> int:
    """Grade predictions by the paper's rules and print the tables.

    Values are compared as JSON after normalisation (sets sorted, tuples as lists, numbers written
    one way); exceptions by type and message. Reported overall, on errors alone, by package and by
    statistic. CRUXEval's generations are Python expressions, compared as Python compares; with
    --of input they are calls, right if they give the known output.

    [bold]Example[/bold]  evalplus-lite exe score tasks.jsonl tasks.my-model.predictions.jsonl
    [bold]Example[/bold]  evalplus-lite exe score cruxeval.jsonl generations.json
    """
    with run.started() as (session, _):
        result = prediction.score(
            tasks,
            predictions,
            ks=whole_numbers(k or "1,5"),
            of=None if of is None else asked_of(of),
            judge=None if judge is None else Client(judge, base_url=base_url),
            graded=grades,
            out=out,
            session=session,
        )

    def show() -> None:
        print_tables(result.tables())
        _notes(result.report)
        name_left_out(result.summary)
        if k is not None and result.report.too_few:
            shown = ", ".join(f"pass@{each}" for each in result.report.too_few)
            say(f"{shown}: no case has so many answers; exe predict -n draws more")
        if out is not None:
            name_report(out)

    return run.ended(result, show, attention=lambda: result.report.undecided)


def _notes(report: ScoreReport) -> None:
    """Print what the tables do not hold."""
    if report.consistency is not None:
        found = report.consistency
        say(
            f"incremental consistency over {found.moments} moments: {100 * found.mean:.1f} %"
            f" {ends(found.interval)}"
        )
    if report.undecided:
        first = report.undecided[0]
        say(
            f"{len(report.undecided)} predictions are not judged and not in these figures, the "
            f"first {first['task_id']}, case {first['case']}: {first['problem']}"
        )
    if report.repeated:
        say(f"{report.repeated} predictions are there more than once, and counted once")
    if report.missing:
        say(f"{report.missing} cases have no prediction and are not in these figures")
