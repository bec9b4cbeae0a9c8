"""``evalplus-lite score``: grade predictions of what code does."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from evalplus_lite.cli import options
from evalplus_lite.cli.arguments import whole_numbers
from evalplus_lite.cli.console import ends, name_report, print_json, print_table, say, sure
from evalplus_lite.cli.setup import started
from evalplus_lite.exe import prediction
from evalplus_lite.exe.asking.score import ScoreReport
from evalplus_lite.exe.commands.arguments import asked_of, name_left_out
from evalplus_lite.models import Client


def score(
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
    judge: Annotated[
        str | None,
        typer.Option("--judge", metavar="MODEL", help="Ask a model where only messages differ."),
    ] = None,
    base_url: Annotated[
        str | None, typer.Option("--base-url", help="The judge's server (or OPENAI_BASE_URL).")
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="PATH", help="Write the report as JSON.")
    ] = None,
    grades: Annotated[
        Path | None,
        typer.Option(
            "--grades", metavar="PATH", help="Write each prediction with its grade (JSONL)."
        ),
    ] = None,
    workers: options.Workers = None,
    sandbox: options.Sandbox = "auto",
    json: options.Json = False,
) -> int:
    """Grade predictions by the paper's rules and print the tables.

    Values are compared as JSON after normalisation (sets sorted, tuples as lists, numbers written
    one way); exceptions by type and message. Reported overall, on errors alone, by package and by
    statistic. CRUXEval's generations are Python expressions, compared as Python compares; with
    --of input they are calls, right if they give the known output.

    [bold]Example[/bold]  evalplus-lite score tasks.jsonl tasks.my-model.predictions.jsonl
    [bold]Example[/bold]  evalplus-lite score cruxeval.jsonl generations.json
    """
    with started(workers, sandbox) as (session, _):
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
    if json:
        print_json(result.summary)
    else:
        show(result.report)
        name_left_out(result.summary)
        if k is not None and result.report.too_few:
            shown = ", ".join(f"pass@{each}" for each in result.report.too_few)
            say(f"{shown}: no case has so many answers; predict -n draws more")
        if out is not None:
            name_report(out)
    return 1 if result.report.undecided else 0


def show(report: ScoreReport) -> None:
    """Print a report's tables."""
    if report.pass_at:
        rows = [
            (name, f"{100 * value:.2f}", ends(report.intervals[name]))
            for name, value in report.pass_at.items()
        ]
        print_table("Predictions", ["", "%", "95 %"], rows)
    if report.consistency is not None:
        found = report.consistency
        say(
            f"incremental consistency over {found.moments} moments: {100 * found.mean:.1f} %"
            f" {ends(found.interval)}"
        )
    groups = dict.fromkeys(line.group for line in report.lines)
    for title, wanted in (
        ("Overall", {"all"}),
        ("By package", {"package"}),
        ("By question", {"question"}),
        ("By statistic", set(groups) - {"all", "package", "question"}),
    ):
        lines = [line for line in report.lines if line.group in wanted]
        if lines:
            print_table(
                title,
                ["group", "", "cases", "functions", "pass@1 % [95 %]"],
                [(x.group, x.name, x.cases, x.tasks, sure(x.pass_at_1, x.interval)) for x in lines],
                left=2,
            )
    for reason, count in report.reasons.items():
        say(f"{reason}: {count}")
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
